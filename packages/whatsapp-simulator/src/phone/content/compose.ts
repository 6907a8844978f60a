import { randomBytes } from "node:crypto"
import { proto } from "@whiskeysockets/baileys"
import { now } from "../../clock.ts"
import { inMode, type Mode } from "../../network/addressing.ts"
import type { Handset } from "../handset.ts"
import type { Message } from "../messages.ts"
import type { WrittenContent } from "../outgoing-messages.ts"
import { chatOf, jidOfTarget, type Target } from "../target.ts"
import { attach, type Attachment } from "./media.ts"
import { field } from "./protobuf-field.ts"
import { optionHash, pollIn, seal, type SealedEdit, sealedEdits, type SecretUse } from "./sealed.ts"

/** The content that a person can put into a message, by kind. */
interface Kinds {
  text: string
  media: Attachment
  reaction: { message_id: string; emoji: string; sealed?: boolean }
  poll: { question: string; options: string[]; selectable: number }
  vote: { message_id: string; options: string[] }
  add_option: { message_id: string; option: string }
  event: { name: string; description?: string | undefined; start: number; end?: number | undefined }
  rsvp: { message_id: string; response: "going" | "not_going" | "maybe"; guests: number }
  edit: { message_id: string; text: string; sealed?: boolean }
  revoke: { message_id: string }
  pin: { message_id: string; unpin: boolean }
  location: { latitude: number; longitude: number; name?: string | undefined }
  contact: { name: string; vcard: string }
  /** Any protobuf Message, as JSON. */
  raw: object
  /** In place of a message. */
  bytes: Buffer
}

type Kind = keyof Kinds

/** Beside a text. */
interface Beside {
  quoted?: string | undefined
  mentions?: string[] | undefined
}

/** One kind of content. */
export type Content = { [K in Kind]: Pick<Kinds, K> & Beside }[Kind]

/** A content, its target, and the phone that writes it. */
interface Context extends Beside {
  handset: Handset
  target: Target
}

/** A content refers to a message that is not in this chat. */
export class UnknownMessage extends Error {
  override name = "UnknownMessage"
  constructor(id: string) {
    super(`there is no message ${id} in this chat`)
  }
}

/** A raw content has a field that the protocol here lacks: it would be left out without a word. */
export class UnknownField extends Error {
  override name = "UnknownField"
  constructor(field: string) {
    super(`the protocol here has no ${field}: encode the message yourself, and send it as \`bytes\``)
  }
}

const composers: { [K in Kind]: (content: Kinds[K], context: Context) => WrittenContent } = {
  text,
  media: (file, { handset }) => attach(handset.network, file),
  reaction,
  poll,
  vote,
  add_option: addOption,
  event,
  rsvp,
  edit,
  revoke,
  pin,
  location,
  contact: ({ name, vcard }) => ({ contactMessage: { displayName: name, vcard } }),
  raw,
  bytes: (content) => content,
}

// The language says of an object's keys only that they are strings.
const kinds = Object.keys(composers) as Kind[]

/** The message that carries a content. @throws UnknownMessage */
export function compose(handset: Handset, target: Target, content: Content): WrittenContent {
  const { quoted, mentions } = content
  const kind = kinds.find((one) => one in content)
  if (!kind) throw new Error("a message of no kind")
  // The content has this kind. No other kind is looked at.
  return composed(kind, (content as Kinds)[kind], { handset, target, quoted, mentions })
}

function composed<K extends Kind>(kind: K, content: Kinds[K], context: Context): WrittenContent {
  return composers[kind](content, context)
}

function text(words: string, context: Context): proto.IMessage {
  const { handset, target, quoted, mentions } = context
  if (!quoted && !mentions) return withSecret({ conversation: words })
  const original = quoted ? found(context, quoted) : undefined
  const author = handset.network.directory.user(original?.from ?? "")
  const mentionedJid = mentions?.flatMap((pn) => {
    const user = handset.network.directory.user(pn)
    return user ? [inMode(modeOf(target), user)] : []
  })
  return withSecret({
    extendedTextMessage: {
      text: words,
      contextInfo: {
        ...(mentionedJid && { mentionedJid }),
        ...(original &&
          author && {
            stanzaId: original.id,
            participant: inMode(modeOf(target), author),
            quotedMessage: proto.Message.fromObject(original.content as object),
          }),
      },
    },
  })
}

/** @throws UnknownField */
function raw(message: object): proto.IMessage {
  for (const [field, part] of Object.entries(message) as [string, { message?: unknown } | undefined][]) {
    if (!(field in proto.Message.prototype)) throw new UnknownField(field)
    // A message within a message; some kinds have a text of this name.
    if (part && typeof part.message === "object" && part.message) raw(part.message)
  }
  return proto.Message.fromObject(message)
}

function reaction({ message_id, emoji, sealed }: Kinds["reaction"], context: Context): proto.IMessage {
  const original = found(context, message_id)
  const key = keyOf(context, original)
  const reactionMessage = { text: emoji, senderTimestampMs: Date.now() }
  if (!sealed) return { reactionMessage: { key, ...reactionMessage } }
  const plaintext = proto.Message.ReactionMessage.encode(reactionMessage).finish()
  return {
    encReactionMessage: {
      targetMessageKey: key,
      ...sealedFor(context, original, "Enc Reaction", plaintext),
    },
  }
}

function poll({ question, options, selectable }: Kinds["poll"]): proto.IMessage {
  return withSecret({
    pollCreationMessageV3: {
      name: question,
      options: options.map((optionName) => ({ optionName })),
      selectableOptionsCount: selectable,
    },
  })
}

function vote({ message_id, options }: Kinds["vote"], context: Context): proto.IMessage {
  const original = found(context, message_id)
  const selectedOptions = options.map(optionHash)
  const plaintext = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish()
  return {
    pollUpdateMessage: {
      pollCreationMessageKey: keyOf(context, original),
      vote: sealedFor(context, original, "Poll Vote", plaintext),
      senderTimestampMs: now() * 1000,
    },
  }
}

/** An option that somebody adds to a poll. Baileys' protocol has no field for it. */
function addOption({ message_id, option }: Kinds["add_option"], context: Context): proto.IMessage {
  const original = found(context, message_id)
  const key = proto.MessageKey.encode(keyOf(context, original)).finish()
  const added = proto.Message.PollCreationMessage.Option.encode({ optionName: option }).finish()
  const pollAddOptionMessage = 121
  const plaintext = field(pollAddOptionMessage, Buffer.concat([field(1, key), field(2, added)]))
  return sealedEdit(context, original, "Poll Add Option", plaintext)
}

function event({ name, description, start, end }: Kinds["event"]): proto.IMessage {
  return withSecret({ eventMessage: { name, description, startTime: start, endTime: end } })
}

function rsvp({ message_id, response, guests }: Kinds["rsvp"], context: Context): proto.IMessage {
  const original = found(context, message_id)
  const { GOING, NOT_GOING, MAYBE } = proto.Message.EventResponseMessage.EventResponseType
  const plaintext = proto.Message.EventResponseMessage.encode({
    response: { going: GOING, not_going: NOT_GOING, maybe: MAYBE }[response],
    timestampMs: Date.now(),
    extraGuestCount: guests,
  }).finish()
  return {
    encEventResponseMessage: {
      eventCreationMessageKey: keyOf(context, original),
      ...sealedFor(context, original, "Event Response", plaintext),
    },
  }
}

/** Of a poll, its question is edited; that is always sealed. */
function edit({ message_id, text: words, sealed }: Kinds["edit"], context: Context): proto.IMessage {
  const original = found(context, message_id)
  const key = keyOf(context, original)
  const poll = pollIn(original)
  const message: proto.IMessage = {
    protocolMessage: {
      key,
      type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
      editedMessage: poll ? { pollCreationMessageV3: { ...poll, name: words } } : { conversation: words },
      timestampMs: Date.now(),
    },
  }
  if (!sealed && !poll) return { editedMessage: { message } }
  const plaintext = proto.Message.encode(message).finish()
  return sealedEdit(context, original, poll ? "Poll Edit" : "Message Edit", plaintext)
}

function sealedEdit(context: Context, original: Message, use: SealedEdit, plaintext: Uint8Array) {
  return {
    secretEncryptedMessage: {
      targetMessageKey: keyOf(context, original),
      secretEncType: sealedEdits[use],
      ...sealedFor(context, original, use, plaintext),
    },
  }
}

function revoke({ message_id }: Kinds["revoke"], context: Context): proto.IMessage {
  const type = proto.Message.ProtocolMessage.Type.REVOKE
  return { protocolMessage: { key: keyOf(context, found(context, message_id)), type } }
}

function pin({ message_id, unpin }: Kinds["pin"], context: Context): proto.IMessage {
  const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type
  return {
    pinInChatMessage: {
      key: keyOf(context, found(context, message_id)),
      type: unpin ? UNPIN_FOR_ALL : PIN_FOR_ALL,
      senderTimestampMs: Date.now(),
    },
    messageContextInfo: { messageAddOnDurationInSecs: 604_800 },
  }
}

function location({ latitude, longitude, name }: Kinds["location"]): proto.IMessage {
  return { locationMessage: { degreesLatitude: latitude, degreesLongitude: longitude, name } }
}

/** @throws UnknownMessage */
function found({ handset, target }: Context, id: string): Message {
  const message = handset.inbox.find(chatOf(target), id)
  if (!message) throw new UnknownMessage(id)
  return message
}

/** The key by which other messages refer to a message. */
function keyOf({ handset, target }: Context, message: Message): proto.IMessageKey {
  const author = handset.network.directory.user(message.from)
  const own = message.from_me
  const participant = "user" in target || own || !author ? undefined : inMode(modeOf(target), author)
  return { remoteJid: jidOfTarget(target), fromMe: own, id: message.id, participant }
}

function modeOf(target: Target): Mode {
  if ("user" in target) return target.mode
  return "group" in target ? target.group.mode : "lid"
}

/** Adds a secret to a message. Contents that refer to the message are sealed under it. */
function withSecret(message: proto.IMessage): proto.IMessage {
  return { ...message, messageContextInfo: { messageSecret: randomBytes(32) } }
}

/**
 * Seals under a key that only those who have the original message, with its secret, can make.
 * @throws UnknownMessage
 */
function sealedFor({ handset, target }: Context, original: Message, use: SecretUse, plaintext: Uint8Array) {
  const sealed = seal(handset, modeOf(target), original, use, plaintext)
  if (!sealed) throw new UnknownMessage(original.id)
  return sealed
}
