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

/**
 * A message in one line, in plain words, as every page words it: `Document a.pdf, 2 pages: For you`.
 * Strangers wrote most of it.
 */
export function wordsOf(message: MessageFields): string {
  if (message.reaction)
    return message.reaction.emoji ? `reacted ${emojiIn(message.reaction)}` : "took a reaction back"
  const kind = [kindOf(message), ...detailsOf(message)]
    .filter(Boolean)
    .join(", ")
    .replaceAll(directionMarks, "")
  const words = shortened(plainText(textOf(message)).replaceAll("\n", " · "), 300)
  const said = [kind, words].filter(Boolean).join(": ") || "a change of another message"
  return message.edit === "edit" ? `${said} (edited)` : said
}

/** A text of a stranger, without what would reverse the text beside it. */
export function plainText(text: string): string {
  return text.replaceAll(directionMarks, "")
}

/** The emoji of a reaction. Its sender may put any text there. */
export function emojiIn({ emoji }: { emoji: string }): string {
  return shortened(plainText(emoji), 4)
}

/** What is written in a message, and of contact cards their numbers, too. */
function textOf({ body, contacts = [] }: MessageFields): string {
  const numbers = contacts.flatMap(({ phones }) => phones).slice(0, 3)
  return [body, numbers.join(" and ")].filter(Boolean).join(", ")
}

/** At most so many characters as a person counts them. One may be made of any number of code points. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const shown = new Intl.Segmenter().segment(text.slice(0, 20 * most))
  const first = [...shown].slice(0, most).map(({ segment }) => segment)
  const isWhole = first.join("").length === text.length
  return isWhole ? text : `${first.slice(0, most - 1).join("")}…`
}

const mediaWords = {
  "": "",
  image: "Picture",
  video: "Video",
  audio: "Audio",
  voice: "Voice message",
  document: "Document",
  sticker: "Sticker",
}

const typeWords = {
  text: "",
  media: "Picture or video",
  reaction: "",
  poll: "Poll",
  location: "Place",
  event: "Event",
  contact: "Contact card",
  unknown: "",
  "": "",
}

const editWords = { revoke: "took a message back", pin: "pinned a message", edit: "" }

/** What kind of message it is, as a person would call it; `""`: a text. */
export function kindOf(message: MessageFields): string {
  const { type, media_type, edit, order, product, invitation, payment, tapped, file } = message
  if (edit === "revoke" && !isOfAnother(message)) return "taken back"
  if (edit && editWords[edit]) return editWords[edit]
  if (type === "unknown") return `A kind that cannot be read yet, ${message.unknown_kind ?? ""}`
  if (order) return `Order of ${order.item_count}`
  if (payment) return `Payment, ${payment.kind}`
  if (invitation) return `Invitation to a ${invitation.to}`
  if (product) return "Product"
  if (tapped) return "Chose"
  if (message.event_details?.is_canceled) return "Event, cancelled"
  if (message.location?.live) return "Live place"
  const name = shortened(file?.name ?? "", longestName)
  return [mediaWords[media_type] || typeWords[type], name].filter(Boolean).join(" ")
}

/** The longest name of a file, an ad or a button that a line has room for. */
const longestName = 60

function detailsOf({ file, view_once, order, payment, product, ad, ...more }: MessageFields): string[] {
  const { amount, currency } = order ?? payment ?? product ?? {}
  return [
    file?.seconds && `${file.seconds} s`,
    file?.pages && (file.pages === 1 ? "1 page" : `${file.pages} pages`),
    view_once && "to be seen once",
    amount !== undefined && `${amount} ${currency ?? ""}`.trim(),
    more.interactive?.buttons && `${more.interactive.buttons.length} buttons`,
    more.scheduled_for && "to be sent later",
    ad && shortened(`from the ad ${ad.title || ad.source_id}`, longestName),
  ].flatMap((each) => each || [])
}
