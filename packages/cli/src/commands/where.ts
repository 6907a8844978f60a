import { BridgeError } from "../../../sdk-typescript/src/index.ts"
import { type Asked, bridge, type Command, word } from "../command.ts"

/** How many messages are printed at most. */
const most = 50

export const where: Command = {
  takes: "<words or id>",
  says: "finds an event or a message by its id or Idempotency-Key, or messages by their words, and says how far each has come",
  options: ["bridge"],
  run: async (asked) => {
    word(asked.words, 0, "words or id")
    const text = asked.words.join(" ")
    if (text.startsWith("evt_")) return await event(asked, text)
    if (/^[!-~]{8,255}$/.test(text) && /\d/.test(text) && (await message(asked, text))) return 0
    const count = await kept(asked, text).catch(async (error: unknown) => {
      if (!isRefused(error, "not_kept")) throw error
      return await came(asked, text)
    })
    if (count === 0) console.error("nothing that was looked at has this")
    return count === 0 ? 1 : 0
  },
}

/** Each attempt at an event, and how it stands. */
async function event(asked: Asked, event_id: string): Promise<number> {
  const delivery = await bridge(asked).getDelivery({ event_id })
  for (const attempt of delivery.attempts) {
    const { timestamp, status_code, error, latency_ms } = attempt
    asked.print(
      `${timestamp}  attempt ${attempt.attempt}  ${status_code || error}  ${latency_ms} ms`,
      attempt,
    )
  }
  asked.print(`${event_id}  ${delivery.state}`, delivery)
  return 0
}

/** The message of this id, or under this key. @returns whether there is one */
async function message(asked: Asked, id: string): Promise<boolean> {
  const shop = bridge(asked)
  const found = [() => shop.getMessage({ id }), () => shop.findMessage({ idempotency_key: id })]
  for (const look of found)
    try {
      const one = await look()
      const at = one.played_at ?? one.read_at ?? one.delivered_at ?? one.sent_at ?? one.received_at
      asked.print(
        [timeOf(at), one.status, one.message_id, one.chat_id, one.reason ?? one.body].join("  "),
        one,
      )
      return true
    } catch (error) {
      if (!isRefused(error, "not_found")) throw error
    }
  return false
}

/** Messages that are kept, page by page. @returns how many were printed */
async function kept({ print, ...asked }: Asked, words: string): Promise<number> {
  let count = 0
  for await (const one of bridge({ print, ...asked }).searchMessages({ words })) {
    print(
      [timeOf(one.timestamp), one.from_me ? "to" : "from", one.chat_id, one.message_id, one.body].join("  "),
      one,
    )
    if (++count === most) break
  }
  return count
}

/** The events of the last days, where no messages are kept. @returns how many were printed */
async function came({ print, ...asked }: Asked, search: string): Promise<number> {
  const events = await bridge({ print, ...asked }).listEvents({ search, order: "newest", limit: most })
  for (const one of events)
    print(
      [timeOf(one.created_at), one.state, one.event_id, "body" in one.event ? one.event.body : ""].join("  "),
      one,
    )
  return events.length
}

function isRefused(error: unknown, code: string): boolean {
  return error instanceof BridgeError && error.code === code
}

function timeOf(seconds = 0): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19)
}
