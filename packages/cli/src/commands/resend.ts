import { type Asked, bridge, type Command, url, word } from "../command.ts"
import { forward } from "../forward.ts"
import { Misused, Refused } from "../refused.ts"

export const resend: Command = {
  takes: "[event_id]",
  says: "delivers an event again, or all that were given up since a time (2026-11-26T08:00Z, or Unix seconds)",
  options: ["bridge", "webhook", "since", "forward"],
  run: async (asked) => {
    const { words, options, print } = asked
    const webhook = options.webhook === undefined ? {} : { webhook: options.webhook }
    if (options.since !== undefined) {
      if (words.length > 0 || options.forward !== undefined)
        throw new Misused("--since goes with --bridge and --webhook alone")
      return await givenUpSince(asked, secondsOf(options.since), webhook)
    }
    const event_id = word(words, 0, "event_id")
    if (options.forward !== undefined) return await here(asked, event_id, url(options.forward))
    await bridge(asked).resendEvent({ event_id, ...webhook })
    print(`${event_id} will be sent again between two other events`, { event_id, ok: true })
    return 0
  },
}

/** There is room for a hundred at a time: the SDK waits for more. */
async function givenUpSince(asked: Asked, since: number, webhook: { webhook?: string }): Promise<number> {
  const shop = bridge(asked)
  let count = 0
  for (let after: string | undefined; ;) {
    const part = await shop.resendSince(
      { since, ...webhook, ...(after !== undefined && { after }) },
      { retries: 60 },
    )
    count += part.count
    if (part.next === undefined) break
    after = part.next
  }
  asked.print(count === 0 ? "nothing was given up since then" : `${count} will be sent again, oldest first`, {
    count,
  })
  return 0
}

/** Posts a kept event to a program on this machine, signed; the service hears nothing of it. */
async function here(asked: Asked, event_id: string, target: string): Promise<number> {
  const shop = bridge(asked)
  const { body } = await shop.getDelivery({ event_id })
  const secret = process.env.WEBHOOK_SECRET ?? (await shop.getBridge()).webhook_secret
  if (!secret)
    throw new Refused(
      "this key may only read, or only in some chats: use one with the scope `all`, for all chats",
    )
  const { ok, status, says, ms } = await forward(target, secret, {
    eventId: event_id,
    body,
    attempt: 1,
    isResend: true,
  })
  asked.print(`${event_id}  ${says}  ${ms} ms`, { event_id, ok, status, ms })
  return ok ? 0 : 1
}

function secondsOf(given: string): number {
  const seconds = /^\d{1,10}$/.test(given) ? Number(given) : Date.parse(given) / 1000
  if (Number.isNaN(seconds)) throw new Misused("--since: a time such as 2026-11-26T08:00Z, or Unix seconds")
  return Math.floor(seconds)
}
