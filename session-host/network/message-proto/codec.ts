import protobuf from "protobufjs/light.js"
import fields from "./fields.json" with { type: "json" }
import type {
  HistorySyncMsg,
  Message,
  Message_EventResponseMessage,
  Message_PollVoteMessage,
  Message_ReactionMessage,
  WebMessageInfo,
} from "./types.ts"

/** Reads and writes one type of the protocol's messages. */
interface Codec<Content> {
  /** @throws Error for bytes that are no protobuf of this type */
  decode: (bytes: Uint8Array) => Content
  encode: (content: Content) => Uint8Array
}

type Row = [id: number, name: string, type: string, rule?: "repeated"]

// Its inferred type knows nothing of tuples.
const rows = fields as unknown as Record<string, Row[]> & { Message: Row[]; ContextInfo: Row[] }
const types = typesOf(rows)
/** The same without what a message quotes. */
const withoutQuotes = typesOf({
  ...rows,
  ContextInfo: rows.ContextInfo.filter(([, name]) => name !== "quotedMessage"),
})

/** `Message`, which has the content of every message. */
export const message: Codec<Message> = codecOf("Message")
/** A message in the form in which phones keep it. */
export const webMessage: Codec<WebMessageInfo> = codecOf("WebMessageInfo")
/** A message of a phone's history. */
export const historyMessage: Codec<HistorySyncMsg> = codecOf("HistorySyncMsg")
/** A vote, once it is opened. */
export const pollVote: Codec<Message_PollVoteMessage> = codecOf("Message_PollVoteMessage")
/** An answer to an event message, once it is opened. */
export const eventResponse: Codec<Message_EventResponseMessage> = codecOf("Message_EventResponseMessage")

/** A reaction, once it is opened. */
export const reaction: Codec<Message_ReactionMessage> = codecOf("Message_ReactionMessage")

/** The names of the fields of `Message`, by their numbers. */
export const messageFields: ReadonlyMap<number, string> = new Map(
  rows.Message.map(([id, name]) => [id, name]),
)

function codecOf<Content>(name: string): Codec<Content> {
  const type = types.get(name)!
  return {
    // The objects that protobufjs makes have the fields of the type.
    decode(bytes) {
      try {
        return type.decode(bytes) as Content
      } catch {
        // A stranger may nest quotes without end, and protobufjs reads a hundred levels. The message itself
        // is read even if its quotes cannot be.
        return withoutQuotes.get(name)!.decode(bytes) as Content
      }
    },
    encode: (content) => type.encode(content as object).finish(),
  }
}

/**
 * Each type in the form that protobufjs uses. A field that a message lacks reads as null: with the default
 * values of protobufjs, a missing text would read as an empty one.
 */
function typesOf(all: Record<string, Row[]>): Map<string, protobuf.Type> {
  const root = new protobuf.Root()
  const made = new Map<string, protobuf.Type>()
  for (const [name, its] of Object.entries(all)) {
    const type = new protobuf.Type(name)
    for (const [id, field, kind, rule] of its) type.add(new protobuf.Field(field, id, kind, rule))
    root.add(type)
    made.set(name, type)
  }
  root.resolveAll()
  for (const { ctor, fieldsArray } of made.values()) {
    const prototype: object = ctor.prototype
    for (const { name, repeated } of fieldsArray) if (!repeated) Reflect.set(prototype, name, null)
  }
  return made
}
