import { isLid } from "#core/message/jid.ts"
import type { MessageContent, OpenedAnswer } from "../network/connection.ts"
import { decodeBare, eventResponse, pollVote, reaction } from "../network/decode.ts"
import type { Own } from "../network/happening.ts"
import { type Change, pollChange } from "./changes.ts"
import type { About } from "./chat-and-sender.ts"
import { toEdit } from "./compose.ts"
import { wholeNumber } from "./mapped.ts"
import { openSealed, type SecretUse } from "./message-secret-cipher.ts"
import { pollAfter } from "./poll-changes.ts"
import type { Remembered } from "./remembered.ts"
import { unwrap } from "./unwrap.ts"

type Target = { id?: string | null; remoteJid?: string | null } | null | undefined

/** Content that is sealed under the secret of the message to which it refers. */
export interface SealedPart {
  /** Undefined for content that this release cannot open. */
  use: SecretUse | undefined
  id: string
  encPayload: Uint8Array
  encIv: Uint8Array
}

/** The sealed part of an unwrapped content. */
export function sealedIn(content: MessageContent): SealedPart | undefined {
  const { pollUpdateMessage, encEventResponseMessage, encReactionMessage, secretEncryptedMessage } = content
  if (pollUpdateMessage?.vote)
    return answering("Poll Vote", pollUpdateMessage.pollCreationMessageKey, pollUpdateMessage.vote)
  if (encEventResponseMessage)
    return answering(
      "Event Response",
      encEventResponseMessage.eventCreationMessageKey,
      encEventResponseMessage,
    )
  if (encReactionMessage)
    return answering("Enc Reaction", encReactionMessage.targetMessageKey, encReactionMessage)
  if (!secretEncryptedMessage) return undefined
  const use = edits.get(secretEncryptedMessage.secretEncType ?? 0)
  return answering(use, secretEncryptedMessage.targetMessageKey, secretEncryptedMessage)
}

/** `SecretEncryptedMessage.SecretEncType` */
const edits = new Map<number, SecretUse>([
  [1, "Event Edit"],
  [2, "Message Edit"],
  [4, "Poll Edit"],
  [5, "Poll Add Option"],
])

function answering(
  use: SecretUse | undefined,
  key: Target,
  sealed: { encPayload?: Uint8Array | null; encIv?: Uint8Array | null },
): SealedPart | undefined {
  if (!key?.id) return undefined
  const none = new Uint8Array()
  return { use, id: key.id, encPayload: sealed.encPayload ?? none, encIv: sealed.encIv ?? none }
}

/** The sealed part: an answer, or the content that it hides. */
export interface Opened {
  answer?: OpenedAnswer
  content?: MessageContent
  /** What the content makes of a poll. */
  changed?: Change
}

/** Opens the sealed part with the first candidate message that fits; undefined if none does. */
export function openAnswer(
  sealed: SealedPart,
  input: { about: About; own: Own; phones: Map<string, string>; originals: Remembered[] },
): Opened | undefined {
  const { about, own, phones } = input
  const { use, encPayload, encIv } = sealed
  // The last 16 bytes are the tag.
  if (!use || encPayload.length < 16 || encIv.length === 0) return undefined
  const addresses = (jid: string) => [...new Set([jid, phones.get(jid) ?? jid, ...lidsOf(jid, phones)])]
  const ours = [own.jid, own.lid].filter((jid) => jid !== "")
  for (const original of input.originals) {
    const secret = original.content.messageContextInfo?.messageSecret
    if (!secret) continue
    const creators = original.fromMe ? ours : addresses(original.sender)
    const responders = about.fromMe ? ours : addresses(about.sender)
    const bytes = openSealed({ ...sealed, use, secret, creators, responders })
    if (bytes) return read(use, original, bytes, input)
  }
  return undefined
}

function lidsOf(phone: string, phones: Map<string, string>): string[] {
  return [...phones].flatMap(([lid, known]) => (known === phone && isLid(lid) ? [lid] : []))
}

interface Reader {
  own: Own
  about: About
}

function read(use: SecretUse, original: Remembered, bytes: Buffer, by: Reader): Opened | undefined {
  try {
    return readAs(use, original, bytes, by)
  } catch {
    // The content that it hides is no protobuf.
    return undefined
  }
}

function readAs(use: SecretUse, original: Remembered, bytes: Buffer, { own, about }: Reader): Opened {
  switch (use) {
    case "Poll Vote":
      return { answer: { original, vote: pollVote.decode(bytes) } }
    case "Event Response":
      return { answer: { original, response: eventResponse.decode(bytes) } }
    case "Enc Reaction": {
      const participant = original.fromMe ? own.jid : original.sender
      const key = { id: original.id, fromMe: false, participant }
      return { content: { reactionMessage: { text: reaction.decode(bytes).text, key } } }
    }
    case "Event Edit":
    case "Message Edit":
      return { content: edited(original, decodeBare(bytes), about) }
    case "Poll Edit":
    case "Poll Add Option":
      return changedPoll(original, decodeBare(bytes), about)
  }
}

/** Makes the change of a poll an edit that has the whole poll. */
function changedPoll(original: Remembered, change: MessageContent, about: About): Opened {
  const pollCreationMessage = pollAfter(change, original, about)
  if (!pollCreationMessage) return {}
  const content = { pollCreationMessage }
  return { content: toEdit({ id: original.id }, content), changed: pollChange(original, content) }
}

/**
 * The new content of an edited message: some clients seal the edit itself, others the new content. It changes
 * the message whose secret opens it, and no other that it may name.
 */
function edited({ id }: Remembered, content: MessageContent, about: About): MessageContent {
  const { editedMessage, timestampMs } = unwrap(content).protocolMessage ?? {}
  return toEdit({ id }, editedMessage ?? content, wholeNumber(timestampMs) || about.common.timestamp * 1000)
}
