import type { Event } from "#contract/event.ts"
import type { MessageContent, Media } from "../network/connection.ts"
import { botAnswer } from "./bot-answer.ts"
import { readers as business } from "./business.ts"
import * as everyday from "./everyday.ts"
import { unwrap } from "./unwrap.ts"

type Fields = Extract<Event, { event: "message" }>

/** What a message of any kind says. */
export interface Reading {
  /** The fields of its event that depend on its kind. */
  said: Pick<Fields, "body" | "type" | "media_type"> & Partial<Fields>
  /** The message's file. */
  media?: Media
  /** The files of a carousel's cards, by the place of the card. */
  cards?: (Media | undefined)[]
}

type Readers = {
  [Field in keyof MessageContent]: (part: NonNullable<MessageContent[Field]>) => Reading
}

/**
 * How each kind of message is read, by its field of `Message`. A content with several fields is of the first
 * kind that is named here.
 */
const readers = {
  extendedTextMessage: everyday.textWithLink,
  conversation: everyday.text,
  reactionMessage: ({ text }) => ({ said: { body: text ?? "", type: "reaction", media_type: "" } }),
  imageMessage: (part) => everyday.file("image", part),
  videoMessage: (part) => everyday.file("video", part),
  ptvMessage: everyday.videoNote,
  audioMessage: (part) => everyday.file(part.ptt ? "voice" : "audio", part),
  documentMessage: (part) => everyday.file("document", part),
  stickerMessage: (part) => everyday.file("sticker", part),
  pollCreationMessage: everyday.poll,
  pollCreationMessageV2: everyday.poll,
  pollCreationMessageV3: everyday.poll,
  pollCreationMessageV5: everyday.poll,
  pollCreationMessageV6: everyday.poll,
  pollResultSnapshotMessage: everyday.results,
  pollResultSnapshotMessageV3: everyday.results,
  locationMessage: (part) => everyday.place(part, part.isLive === true),
  liveLocationMessage: (part) => everyday.place({ ...part, name: part.caption }, true),
  eventMessage: everyday.event,
  contactMessage: (card) => everyday.contacts([card]),
  contactsArrayMessage: ({ contacts: cards }) => everyday.contacts(cards ?? []),
  questionResponseMessage: ({ text }) => everyday.text(text),
  statusQuestionAnswerMessage: ({ text }) => everyday.text(text),
  statusQuotedMessage: ({ text }) => everyday.text(text),
  commentMessage: ({ message }) => (message && read(unwrap(message))) ?? everyday.text(""),
  scheduledCallCreationMessage: everyday.scheduledCall,
  bcallMessage: ({ caption }) => everyday.text(caption),
  richResponseMessage: botAnswer,
  ...business,
} satisfies Partial<Readers>

/** The fields of `Message` that are read, in the order in which they are looked for. */
export const readFields = Object.keys(readers) as (keyof typeof readers)[]

/** The field by which an unwrapped content is read; undefined if it is of no kind that people read. */
export function fieldOf(content: MessageContent): keyof typeof readers | undefined {
  return readFields.find((name) => content[name] !== null && content[name] !== undefined)
}

/** What an unwrapped content says; undefined if it is of no kind that people read. */
export function read(content: MessageContent): Reading | undefined {
  const field = fieldOf(content)
  // Each reader gets the part of its own field.
  return field && (readers[field] as (part: unknown) => Reading)(content[field])
}
