import { createHash, randomUUID } from "node:crypto"
import { CustomerRef } from "#contract/bridge.ts"
import { Account } from "#core/account/account.ts"
import { BridgeCount } from "#core/bridge/bridge-count.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { Move } from "#core/bridge/move.ts"
import { refOfName } from "#core/bridge/ref-of-name.ts"
import { Lease } from "#core/lease/lease.ts"
import { userOf, withoutDevice } from "#core/message/jid.ts"
import { config } from "#core/platform/config.ts"
import { tables } from "#core/store/tables.ts"
import { Unusable } from "#one-machine/backup/unusable.ts"
import type { FoundCreds } from "#session-host/whatsapp/found-login.ts"
import { rowsOfLogin, whyNoCreds, whyNoKeys } from "#session-host/whatsapp/take-login.ts"
import { Arrival } from "../move/arrival.ts"
import { type OpenFiles, openFiles } from "./at-rest.ts"
import type { FoundSession } from "./found-session.ts"

/** What has become of a session of another gateway. */
export interface MovedIn {
  name: string
  /** Its bridge; absent if it did not come. */
  bridge?: { id: string; customerRef: string }
  /** It was here before. */
  wasHere?: true
  /** Why it did not come, in one sentence. */
  why?: string
  webhookUrls: string[]
  /** What the operator has to do at the old gateway, in sentences that several sessions may share. */
  toDo?: string | undefined
}

/**
 * Sessions of another gateway that has stopped become bridges of an account, one after the other; nobody
 * has to link them again. What cannot come changes nothing, here or there. Each bridge is here, and runs,
 * once all of it is here; after that the old gateway's session is marked. An interrupted call can be
 * repeated.
 * @param say is told of the progress
 * @throws Unusable when none can come
 */
export async function moveIn(
  { sessions, accountId }: { sessions: FoundSession[]; accountId: string },
  say: (line: string) => void,
): Promise<MovedIn[]> {
  if (!(await Account.get(accountId))) throw new Unusable(`there is no account ${accountId} here`)
  const all: MovedIn[] = []
  // Once for all, since a look takes longer than a session. A gateway that starts meanwhile writes, too.
  const open = openFiles()
  for (const session of sessions) {
    const { name, webhookUrls } = session
    const progress = `${all.length + 1} of ${sessions.length}: ${name}`
    try {
      const moved = await moveOneIn(session, { accountId, open }, (line) => say(`${progress} ${line}`))
      all.push({ name, webhookUrls, ...moved })
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      all.push({ name, webhookUrls, why: error.message })
      say(`${progress} was not imported`)
    }
  }
  // Once more: sessions may share a file, which is renamed with the last of them.
  for (const [at, session] of sessions.entries()) if (all[at]?.bridge) all[at].toDo = await session.mark()
  return all
}

/** @throws Unusable */
async function moveOneIn(
  session: FoundSession,
  { accountId, open }: { accountId: string; open: OpenFiles },
  say: (line: string) => void,
): Promise<Pick<MovedIn, "bridge" | "wasHere">> {
  const creds = await session.creds()
  const why = whyNoCreds(creds)
  if (why) throw new Unusable(`${session.place}: ${why}`)
  const phone = userOf(withoutDevice(creds.me?.id ?? ""))
  const bridge = {
    id: idOf(accountId, creds),
    accountId,
    customerRef: customerRefOf(session.name, phone),
    network: config.HOST_NETWORK,
  }
  const lease = await Lease.get(bridge.id)
  if (lease && (await isHere(lease))) {
    await session.mark()
    const { customerRef } = (await Bridge.byId(bridge.id)) ?? bridge
    say(`is here already, as ${customerRef}`)
    return { bridge: { id: bridge.id, customerRef }, wasHere: true }
  }
  await mayHaveMore(accountId)
  await mustBeFree(bridge, phone)
  await session.mustRest(open)
  const cut: string[] = []
  const whyNot = await whyNoKeys(
    creds,
    session.keys((name) => cut.push(name)),
    cut,
  )
  if (whyNot) throw new Unusable(`${session.place}: ${whyNot}`)
  const arrival = new Arrival(bridge, { accountId, importId: randomUUID(), seen: lease })
  try {
    await arrive(session, { creds, arrival, open })
  } catch (error) {
    // A session that cannot be read to its end leaves nothing. Whatever else failed is repeated.
    const begun = error instanceof Unusable ? await Lease.get(bridge.id) : undefined
    if (begun) await Move.undoArrival(begun)
    throw error
  }
  await BridgesOfPhone.note(bridge.id, phone)
  say(`is here, as ${bridge.customerRef}, with ${arrival.rows} rows${left(cut)}`)
  await session.mark()
  return { bridge }
}

async function arrive(
  session: FoundSession,
  { creds, arrival, open }: { creds: FoundCreds; arrival: Arrival; open: OpenFiles },
): Promise<void> {
  const { bridge, accountId } = arrival
  const left = Move.asIfLeft({ ...bridge, accountId })
  await arrival.claim()
  const taken = { creds, keys: session.keys(() => {}), people: session.people?.() }
  for await (const row of rowsOfLogin(taken, { bridgeId: bridge.id, sessionKey: left.keys.session }))
    await arrival.put(tables.sessions, row)
  // What has changed since it was first looked at may be half of a change.
  await session.mustRest(open)
  await arrival.end(left)
}

/**
 * Whether a bridge of this id is here, and has not left since; false while it arrives.
 * @throws Unusable
 */
async function isHere(lease: Lease.Info): Promise<boolean> {
  if (lease.host === Lease.GONE)
    throw new Unusable(
      "its bridge is being deleted here: a host does that (`host start`, if none runs), and then it can come",
    )
  if (lease.arriving !== undefined) return false
  if (lease.stopped.includes("moved"))
    throw new Unusable(
      `it was here, and has left in a file as ${lease.bridgeId}. If nobody has that, \`take-back\` lets it run here again`,
    )
  return true
}

/** @throws Unusable when the account could not create a bridge either */
async function mayHaveMore(accountId: string): Promise<void> {
  const account = await Account.get(accountId)
  if (!account) throw new Unusable(`there is no account ${accountId} here`)
  const { subscription, bridges, bridgeLimit } = account
  if (BridgeCount.hasRoom(account)) return
  throw new Unusable(
    `the account may have no more bridges: its subscription is ${subscription}, and it has ${bridges} of ${bridgeLimit}. ` +
      `\`account subscription ${accountId} active\` or \`account limit ${accountId} <bridges>\` changes that`,
  )
}

/** @throws Unusable when the reference is another bridge's, or the number is here */
async function mustBeFree(bridge: { id: string; accountId: string; customerRef: string }, phone: string) {
  const named = await Bridge.find(bridge.accountId, bridge.customerRef)
  if (named && named.id !== bridge.id)
    throw new Unusable(
      `the account ${bridge.accountId} has another bridge called ${bridge.customerRef}, ${named.id}: delete one of the two`,
    )
  for (const { bridgeId } of await BridgesOfPhone.find(phone)) {
    const lease = await Lease.get(bridgeId)
    if (!lease || bridgeId === bridge.id || lease.host === Lease.GONE || lease.stopped.includes("moved"))
      continue
    const { reported } = lease
    // A bridge that came a moment ago has not reported its number yet.
    const isLinked = reported?.status !== "unpaired" && reported?.status !== "passkey_required"
    if (isLinked && (!reported || reported.phone_hash === BridgesOfPhone.hashOf(phone)))
      throw new Unusable(`its number is here already, linked to the bridge ${bridgeId}`)
  }
}

/**
 * The id of the bridge that a login becomes in an account: always the same one, so that an interrupted import
 * goes on with it, and one that is repeated finds it.
 */
function idOf(accountId: string, { signedIdentityKey }: FoundCreds): string {
  const hash = createHash("sha256")
    .update(`moved in\n${accountId}\n`)
    .update(signedIdentityKey.public)
    .digest()
  const digits = hash.subarray(0, 16).toString("hex")
  // A UUID of one's own making, by RFC 9562: version 8.
  const variant = ((parseInt(digits[16]!, 16) & 3) | 8).toString(16)
  return digits.replace(
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/,
    (_, a: string, b: string, c: string, d: string, e: string) => `${a}-${b}-8${c}-${variant}${d}-${e}`,
  )
}

/** The reference that the name of the session leads to; the number if it leads to none. */
function customerRefOf(name: string, phone: string): string {
  const ref = refOfName(name)
  return CustomerRef.safeParse(ref).success && ref !== "sandbox" ? ref : phone
}

function left(cut: string[]): string {
  return cut.length === 0 ? "" : `; ${cut.length} of its keys could not be read, and are made anew`
}
