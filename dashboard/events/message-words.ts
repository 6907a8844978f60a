import type { z } from "zod"
import type { SentMessage } from "#contract/message.ts"
import type { StoredEvent } from "#contract/stored-event.ts"

type MessageEvent = Extract<StoredEvent["event"], { event: "message" }>
type Sent = Pick<z.infer<typeof SentMessage>, "body" | "media_type" | "type">
type MessageFields = Sent & Partial<Omit<MessageEvent, keyof Sent>>

/** Whether an edit, or a revocation, is about another message: else the message says how it is now. */
function isOfAnother({ target_id, message_id }: MessageFields): boolean {
  return target_id !== undefined && target_id !== message_id
}

/**
 * Characters that reverse the direction of text. They would reverse what stands beside them, or disguise an
 * address.
 */
const directionMarks = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/** A message in one line, in plain words: `[document a.pdf, 2 pages] For you`. Strangers wrote most of it. */
export function wordsOf(message: MessageFields): string {
  if (message.reaction)
    return message.reaction.emoji ? `reacted ${message.reaction.emoji}` : "took a reaction back"
  const kind = [kindOf(message), ...detailsOf(message)].filter(Boolean).join(", ")
  const body = message.body.replaceAll(directionMarks, "").replaceAll("\n", " · ")
  const words = shortened(body, 300)
  const all = [kind && `[${kind.replaceAll(directionMarks, "")}]`, words].filter(Boolean).join(" ")
  return all || "a change of another message"
}

/** At most so many characters as a person counts them. One may be made of any number of code points. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const shown = new Intl.Segmenter().segment(text.slice(0, 20 * most))
  const first = [...shown].slice(0, most).map(({ segment }) => segment)
  const isWhole = first.join("").length === text.length
  return isWhole ? text : `${first.slice(0, most - 1).join("")}…`
}

function kindOf(message: MessageFields): string {
  const { type, media_type, edit, order, product, invitation, payment, tapped } = message
  if (edit === "revoke") return isOfAnother(message) ? "took a message back" : "taken back"
  if (edit === "pin") return "pinned a message"
  if (type === "unknown") return `a kind that cannot be read yet: ${message.unknown_kind ?? ""}`
  if (order) return `order of ${order.item_count}`
  if (payment) return `payment, ${payment.kind}`
  if (invitation) return `invitation to a ${invitation.to}`
  if (product) return "product"
  if (tapped) return "chose"
  if (message.event_details?.is_canceled) return "event, cancelled"
  if (message.location?.live) return "live location"
  return media_type || (type === "text" ? "" : type)
}

/** The longest name of a file, an ad or a button that a line has room for. */
const longestName = 60

function detailsOf({
  edit,
  file,
  view_once,
  contacts,
  order,
  payment,
  product,
  ad,
  ...more
}: MessageFields): string[] {
  const { amount, currency } = order ?? payment ?? product ?? {}
  return [
    file && shortened(file.name, longestName),
    file?.seconds && `${file.seconds} s`,
    file?.pages && `${file.pages} pages`,
    view_once && "to be seen once",
    contacts &&
      contacts
        .flatMap(({ phones }) => phones)
        .slice(0, 3)
        .join(" and "),
    amount !== undefined && `${amount} ${currency ?? ""}`.trim(),
    more.interactive?.buttons && `${more.interactive.buttons.length} buttons`,
    more.scheduled_for && "to be sent later",
    ad && shortened(`from the ad ${ad.title || ad.source_id}`, longestName),
    edit === "edit" && "edited",
  ].flatMap((each) => each || [])
}
