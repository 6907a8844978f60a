import { type Asked, bridge, type Command, secondsOf, service, url, word } from "../command.ts"
import { forward } from "../forward.ts"
import { Misused, Refused } from "../refused.ts"

export const resend: Command = {
  takes: "[event_id]",
  says: "delivers an event again, or all that were given up from a time (2026-11-26T08:00Z, or Unix seconds) until another",
  options: ["bridge", "webhook", "since", "until", "all", "forward"],
  run: async (asked) => {
    const { words, options, print } = asked
    const webhook = options.webhook === undefined ? {} : { webhook: options.webhook }
    if (options.since !== undefined) {
      if (words.length > 0 || options.forward !== undefined)
        throw new Misused("--since goes with --until, --bridge and --webhook, or with --until and --all")
      const until = options.until === undefined ? {} : { until: secondsOf("until", options.until) }
      const span = { since: secondsOf("since", options.since), ...until }
      if (!options.all) return await givenUp(asked, { ...span, ...webhook })
      if (options.bridge !== undefined || options.webhook !== undefined)
        throw new Misused("--all is of every bridge and webhook: it goes without --bridge and --webhook")
      return await givenUpEverywhere(asked, span)
    }
    if (options.until !== undefined || options.all) throw new Misused("--until and --all go with --since")
    const event_id = word(words, 0, "event_id")
    if (options.forward !== undefined) return await here(asked, event_id, url(options.forward))
    await bridge(asked).resendEvent({ event_id, ...webhook })
    print(`${event_id} will be sent again between two other events`, { event_id, ok: true })
    return 0
  },
}

interface Span {
  since: number
  until?: number
  webhook?: string
}

async function givenUp({ print, ...asked }: Asked, span: Span): Promise<number> {
  const shop = bridge({ print, ...asked })
  let count = 0
  for (let after: string | undefined; ;) {
    const part = await shop.resendSince({ ...span, ...(after !== undefined && { after }) }, { retries: 60 })
    count += part.count
    if (part.next === undefined) break
    after = part.next
  }
  print(count === 0 ? "nothing was given up then" : `${count} will be sent again, oldest first`, { count })
  return 0
}

/** Of every bridge of the account, page by page. */
async function givenUpEverywhere({ print }: Asked, span: Span): Promise<number> {
  const all = service()
  let count = 0
  for (let after: string | undefined; ;) {
    const part = await all.resendEverywhere({ ...span, ...(after !== undefined && { after }) })
    count += part.count
    for (const one of part.requested) {
      const rest = one.all ? "" : ", and more later: ask again"
      print(`${one.customer_ref}  ${one.webhook}  ${one.count} will be sent again${rest}`, one)
    }
    if (part.next === undefined) break
    after = part.next
  }
  if (count === 0) print("nothing was given up then", { count })
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
