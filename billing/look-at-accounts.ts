import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { NewlyLinked } from "#core/lease/newly-linked.ts"
import { now } from "#core/platform/clock.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { Due } from "./due-for-a-look.ts"
import { lookAtStripe } from "./look-at-stripe.ts"
import { Payer } from "./payer.ts"

/** How many looks run at once: Stripe takes a hundred calls a second, and a look makes one or two. */
const atOnce = 5

/**
 * How many accounts are made due at once: one after the other, ten thousand would take most of the function's
 * five minutes.
 */
const markedAtOnce = 25

const lookForMs = 45_000

/** Looks at every account that is due, for 45 s at most. One that fails is due again later. */
export async function lookAtDue(): Promise<void> {
  const until = performance.now() + lookForMs
  await markNewlyLinked()
  const left = (await Due.list())[Symbol.iterator]()
  const worker = async () => {
    for (const mark of left) {
      if (performance.now() > until) return
      await lookAt(mark)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/**
 * Makes accounts due that have linked a phone during their free trial: it ends if another account had this
 * phone during its own.
 */
async function markNewlyLinked(): Promise<void> {
  for (const bridgeId of await NewlyLinked.list()) {
    const bridge = await Bridge.byId(bridgeId)
    const account = bridge && (await Account.get(bridge.accountId))
    if (account?.subscription === "trialing" && !bridge?.isSandbox) await Due.mark(account.id)
    await NewlyLinked.remove(bridgeId)
  }
}

async function lookAt(mark: Due.Mark): Promise<void> {
  const { accountId } = mark
  try {
    await lookAtStripe(accountId)
    await Due.finish(mark)
  } catch (error) {
    const dueForS = now() - mark.since
    const about = { error, accountId, failures: mark.failures + 1, dueForS }
    Metrics.add("LookOverdueS", dueForS)
    log.error(about, "a subscription could not be looked at")
    await Due.postpone(mark)
  }
}

/**
 * Makes every account that Stripe may know due: webhooks may be lost, and people change things at Stripe by
 * hand.
 */
export async function makeAllDue(): Promise<void> {
  const all = await Account.list()
  for (let i = 0; i < all.length; i += markedAtOnce)
    await Promise.all(all.slice(i, i + markedAtOnce).map(markIfKnown))
}

async function markIfKnown({ id, subscription }: Account.Info): Promise<void> {
  const payer = await Payer.get(id)
  // An account that has only signed up has nothing at Stripe.
  if (payer && (subscription !== "none" || Payer.customersOf(payer).length > 0)) await Due.mark(id)
}
