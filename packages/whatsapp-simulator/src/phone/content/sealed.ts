import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto"
import { proto } from "@whiskeysockets/baileys"
import { inMode, type Mode } from "../../network/addressing.ts"
import type { User } from "../../network/directory.ts"
import type { Handset } from "../handset.ts"
import type { Message } from "../messages.ts"

/**
 * Contents that are sealed under the secret of the message that they refer to (WhatsApp Web,
 * `WAWebAddonEncryption`).
 */
export type SecretUse = "Poll Vote" | "Event Response" | "Enc Reaction" | SealedEdit

/** `SecretEncryptedMessage.SecretEncType`, of which Baileys knows the first two. */
export const sealedEdits = { "Event Edit": 1, "Message Edit": 2, "Poll Edit": 4, "Poll Add Option": 5 }
export type SealedEdit = keyof typeof sealedEdits
const useOf = new Map(Object.entries(sealedEdits).map(([use, type]) => [type, use as SealedEdit]))

/** The uses whose ciphertext is bound to its sender. */
const bound = new Set<SecretUse>(["Poll Vote", "Event Response"])

interface Parties {
  id: string
  secret: Uint8Array
  author: string
  responder: string
  use: SecretUse
}

function keyOf({ id, secret, author, responder, use }: Parties): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, Buffer.alloc(32), id + author + responder + use, 32))
}

const boundTo = ({ id, responder, use }: Parties) => Buffer.from(bound.has(use) ? `${id}\0${responder}` : "")

/** Seals a content for those who have the original message. Undefined when that has no secret. */
export function seal(handset: Handset, mode: Mode, original: Message, use: SecretUse, plaintext: Uint8Array) {
  const user = handset.network.directory.user(original.from)
  const secret = secretOf(original)
  if (!user || !secret) return undefined
  const parties = {
    id: original.id,
    secret,
    author: inMode(mode, user),
    responder: inMode(mode, handset.user()),
    use,
  }
  const encIv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", keyOf(parties), encIv)
  cipher.setAAD(boundTo(parties))
  const encPayload = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
  return { encPayload, encIv }
}

/** The sealed content of a message, opened: chosen options, a response, a reaction, a new text. */
export type Opened =
  | { options: string[] }
  | { response: string; guests: number }
  | { reaction: string }
  | { edit: unknown }

/**
 * Opens the sealed part of a message; undefined when there is none, or the phone does not have the message
 * that it refers to.
 */
export function open(
  handset: Handset,
  chat: string,
  from: User,
  content: proto.IMessage,
): Opened | undefined {
  const sealed = sealedIn(content)
  const original = sealed && handset.inbox.find(chat, sealed.id)
  const secret = original && secretOf(original)
  const author = handset.network.directory.user(original?.from ?? "")
  if (!sealed || !original || !secret || !author) return undefined
  // Clients do not agree on which of a person's addresses to use.
  for (const one of addressesOf(author))
    for (const other of addressesOf(from)) {
      const parties = { ...sealed, secret, author: one, responder: other }
      const plaintext = decrypt(parties, sealed.encPayload, sealed.encIv)
      if (plaintext) return inWords(sealed.use, plaintext, original)
    }
  return undefined
}

const addressesOf = (user: User) => [inMode("lid", user), inMode("pn", user)]

function sealedIn(content: proto.IMessage) {
  const { pollUpdateMessage, encEventResponseMessage, encReactionMessage, secretEncryptedMessage } = content
  if (pollUpdateMessage?.vote)
    return sealing("Poll Vote", pollUpdateMessage.pollCreationMessageKey, pollUpdateMessage.vote)
  if (encEventResponseMessage)
    return sealing("Event Response", encEventResponseMessage.eventCreationMessageKey, encEventResponseMessage)
  if (encReactionMessage)
    return sealing("Enc Reaction", encReactionMessage.targetMessageKey, encReactionMessage)
  if (!secretEncryptedMessage) return undefined
  const { secretEncType, targetMessageKey } = secretEncryptedMessage
  const use = useOf.get(Number(secretEncType))
  return use && sealing(use, targetMessageKey, secretEncryptedMessage)
}

type Key = proto.IMessageKey | null | undefined

function sealing(use: SecretUse, key: Key, sealed: proto.Message.IPollEncValue) {
  return key?.id && sealed.encPayload && sealed.encIv
    ? { use, id: key.id, encPayload: sealed.encPayload, encIv: sealed.encIv }
    : undefined
}

function decrypt(parties: Parties, payload: Uint8Array, iv: Uint8Array): Buffer | undefined {
  if (payload.length < 16 || iv.length !== 12) return undefined
  const decipher = createDecipheriv("aes-256-gcm", keyOf(parties), iv)
  decipher.setAAD(boundTo(parties)).setAuthTag(payload.subarray(-16))
  try {
    return Buffer.concat([decipher.update(payload.subarray(0, -16)), decipher.final()])
  } catch {
    // Not under these two addresses, says the tag.
    return undefined
  }
}

function inWords(use: SecretUse, plaintext: Buffer, original: Message): Opened {
  switch (use) {
    case "Poll Vote": {
      const chosen = proto.Message.PollVoteMessage.decode(plaintext).selectedOptions
      const hashes = new Set(chosen.map((hash) => Buffer.from(hash).toString("hex")))
      return { options: optionsOf(original).filter((name) => hashes.has(optionHash(name).toString("hex"))) }
    }
    case "Event Response": {
      const answer = proto.Message.EventResponseMessage.decode(plaintext)
      const { EventResponseType } = proto.Message.EventResponseMessage
      const response = EventResponseType[answer.response ?? 0] ?? "UNKNOWN"
      return { response: response.toLowerCase(), guests: answer.extraGuestCount ?? 0 }
    }
    case "Enc Reaction":
      return { reaction: proto.Message.ReactionMessage.decode(plaintext).text ?? "" }
    case "Event Edit":
    case "Message Edit":
    case "Poll Edit":
    case "Poll Add Option":
      return { edit: proto.Message.decode(plaintext).toJSON() }
  }
}

/** An option as votes name it. */
export function optionHash(option: string) {
  return createHash("sha256").update(option).digest()
}

function optionsOf(message: Message): string[] {
  return (pollIn(message)?.options ?? []).flatMap(({ optionName }) => optionName ?? [])
}

export function pollIn({ content }: Message) {
  const message = proto.Message.fromObject(content as object)
  return message.pollCreationMessageV3 ?? message.pollCreationMessageV2 ?? message.pollCreationMessage
}

function secretOf({ content }: Message): Uint8Array | undefined {
  const secret = proto.Message.fromObject(content as object).messageContextInfo?.messageSecret
  return secret && secret.length > 0 ? secret : undefined
}
