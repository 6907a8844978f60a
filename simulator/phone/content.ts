import { randomBytes } from "node:crypto"
import { proto } from "@whiskeysockets/baileys"
import { inMode, type Mode } from "../network/addressing.ts"
import { now } from "../network/network.ts"
import type { Desk } from "./desk.ts"
import type { Message } from "./inbox.ts"
import { attach, type File_ } from "./media.ts"
import { chatOf, jidOfTarget, type Target, type Written } from "./outgoing.ts"
import { hashOf, seal, type Use } from "./sealed.ts"

/** What a person can put into a message; one of it. */
export type Content =
  | { text: string; quoted?: string | undefined; mentions?: string[] | undefined }
  | { media: File_ }
  | { reaction: { message_id: string; emoji: string; sealed?: boolean } }
  | { poll: { question: string; options: string[]; selectable: number } }
  | { vote: { message_id: string; options: string[] } }
  | { event: { name: string; description?: string | undefined; start: number; end?: number | undefined } }
  | { rsvp: { message_id: string; response: "going" | "not_going" | "maybe"; guests: number } }
  | { edit: { message_id: string; text: string; sealed?: boolean } }
  | { revoke: { message_id: string } }
  | { pin: { message_id: string; unpin: boolean } }
  | { location: { latitude: number; longitude: number; name?: string | undefined } }
  | { contact: { name: string; vcard: string } }
  | { raw: unknown }
  | { bytes: Buffer }

/** A message that is referred to is not in this chat. */
export class UnknownMessage extends Error {
  override name = "UnknownMessage"
  constructor(id: string) {
    super(`there is no message ${id} in this chat`)
  }
}

/** The message that carries it. @throws UnknownMessage */
export function compose(desk: Desk, target: Target, content: Content): Written {
  if ("bytes" in content) return content.bytes
  const found = (id: string) => {
    const message = desk.inbox.find(chatOf(target), id)
    if (!message) throw new UnknownMessage(id)
    return message
  }
  const keyTo = (id: string) => keyOf(desk, target, found(id))
  if ("text" in content) return withSecret(text(desk, target, content, found))
  if ("media" in content) return attach(desk.network, content.media)
  if ("reaction" in content) {
    const { emoji, message_id, sealed } = content.reaction
    if (sealed) return sealedReaction(desk, target, found(message_id), emoji)
    return { reactionMessage: { key: keyTo(message_id), text: emoji, senderTimestampMs: Date.now() } }
  }
  if ("poll" in content) return poll(content.poll)
  if ("vote" in content) return vote(desk, target, found(content.vote.message_id), content.vote.options)
  if ("event" in content) {
    const { name, description, start, end } = content.event
    return withSecret({ eventMessage: { name, description, startTime: start, endTime: end } })
  }
  if ("rsvp" in content) return rsvp(desk, target, found(content.rsvp.message_id), content.rsvp)
  if ("edit" in content) {
    const { message_id, sealed } = content.edit
    const edited: proto.IMessage = {
      protocolMessage: {
        key: keyTo(message_id),
        type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
        editedMessage: { conversation: content.edit.text },
        timestampMs: Date.now(),
      },
    }
    if (sealed) return sealedEdit(desk, target, found(message_id), edited)
    return { editedMessage: { message: edited } }
  }
  if ("revoke" in content) {
    const type = proto.Message.ProtocolMessage.Type.REVOKE
    return { protocolMessage: { key: keyTo(content.revoke.message_id), type } }
  }
  if ("pin" in content) {
    const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type
    const type = content.pin.unpin ? UNPIN_FOR_ALL : PIN_FOR_ALL
    return {
      pinInChatMessage: { key: keyTo(content.pin.message_id), type, senderTimestampMs: Date.now() },
      messageContextInfo: { messageAddOnDurationInSecs: 604_800 },
    }
  }
  if ("location" in content) {
    const { latitude, longitude, name } = content.location
    return { locationMessage: { degreesLatitude: latitude, degreesLongitude: longitude, name } }
  }
  if ("contact" in content)
    return { contactMessage: { displayName: content.contact.name, vcard: content.contact.vcard } }
  return proto.Message.fromObject(content.raw as object)
}

/** A message as others refer to it. */
function keyOf(desk: Desk, target: Target, message: Message): proto.IMessageKey {
  const author = desk.network.directory.user(message.from)
  const own = message.from_me
  const participant = "user" in target || own || !author ? undefined : inMode(modeOf(target), author)
  return { remoteJid: jidOfTarget(target), fromMe: own, id: message.id, participant }
}

const modeOf = (target: Target): Mode =>
  "user" in target ? target.mode : "group" in target ? target.group.mode : "lid"

type Text = Extract<Content, { text: string }>

function text(desk: Desk, target: Target, content: Text, found: (id: string) => Message): proto.IMessage {
  const { quoted, mentions } = content
  if (!quoted && !mentions) return { conversation: content.text }
  const original = quoted ? found(quoted) : undefined
  const author = desk.network.directory.user(original?.from ?? "")
  const mentionedJid = mentions?.flatMap((pn) => {
    const user = desk.network.directory.user(pn)
    return user ? [inMode(modeOf(target), user)] : []
  })
  return {
    extendedTextMessage: {
      text: content.text,
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
  }
}

const withSecret = (message: proto.IMessage): proto.IMessage => ({
  ...message,
  messageContextInfo: { messageSecret: randomBytes(32) },
})

function poll(asked: { question: string; options: string[]; selectable: number }): proto.IMessage {
  const options = asked.options.map((optionName) => ({ optionName }))
  return withSecret({
    pollCreationMessageV3: { name: asked.question, options, selectableOptionsCount: asked.selectable },
  })
}

function vote(desk: Desk, target: Target, poll: Message, options: string[]): proto.IMessage {
  const selectedOptions = options.map(hashOf)
  const plaintext = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish()
  return {
    pollUpdateMessage: {
      pollCreationMessageKey: keyOf(desk, target, poll),
      vote: sealedFor(desk, target, poll, "Poll Vote", plaintext),
      senderTimestampMs: now() * 1000,
    },
  }
}

interface Rsvp {
  response: "going" | "not_going" | "maybe"
  guests: number
}

function rsvp(desk: Desk, target: Target, event: Message, { response, guests }: Rsvp): proto.IMessage {
  const { GOING, NOT_GOING, MAYBE } = proto.Message.EventResponseMessage.EventResponseType
  const plaintext = proto.Message.EventResponseMessage.encode({
    response: { going: GOING, not_going: NOT_GOING, maybe: MAYBE }[response],
    timestampMs: Date.now(),
    extraGuestCount: guests,
  }).finish()
  return {
    encEventResponseMessage: {
      eventCreationMessageKey: keyOf(desk, target, event),
      ...sealedFor(desk, target, event, "Event Response", plaintext),
    },
  }
}

/** Under a key that only those who have the original message, with its secret, can make. */
function sealedFor(desk: Desk, target: Target, original: Message, use: Use, plaintext: Uint8Array) {
  const sealed = seal(desk, modeOf(target), original, use, plaintext)
  if (!sealed) throw new UnknownMessage(original.id)
  return sealed
}

/** A reaction that only those see who have the message. */
function sealedReaction(desk: Desk, target: Target, original: Message, emoji: string): proto.IMessage {
  const reaction = { text: emoji, senderTimestampMs: Date.now() }
  const plaintext = proto.Message.ReactionMessage.encode(reaction).finish()
  const sealed = sealedFor(desk, target, original, "Enc Reaction", plaintext)
  return { encReactionMessage: { targetMessageKey: keyOf(desk, target, original), ...sealed } }
}

/** A new text that only those see who have the old one. */
function sealedEdit(desk: Desk, target: Target, original: Message, edit: proto.IMessage): proto.IMessage {
  const plaintext = proto.Message.encode(edit).finish()
  const secretEncType = proto.Message.SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT
  const sealed = sealedFor(desk, target, original, "Message Edit", plaintext)
  const targetMessageKey = keyOf(desk, target, original)
  return { secretEncryptedMessage: { targetMessageKey, secretEncType, ...sealed } }
}
