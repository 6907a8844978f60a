import { createHash } from "node:crypto"
import {
  type BinaryNode,
  proto,
  type SignalRepositoryWithLIDStore,
  unpadRandomMax16,
} from "@whiskeysockets/baileys"
import { SessionEnded } from "../../memory/session-ended.ts"
import type { Intake, MessageContent, Received } from "../../network/connection.ts"
import { decode } from "../../network/decode.ts"
import type { ILogger } from "../quiet-log.ts"
import { addressesOf } from "../signal/addresses.ts"
import type { RepositoryInput } from "../signal/repository.ts"
import { childrenNamed, hasChild } from "../stanza.ts"
import { applyKeysFromMessage } from "./keys-from-messages.ts"

/** Stands for a redelivered message. It unpads to an empty message, so only the receipt goes out. */
const emptyMessage = Buffer.of(1)

/**
 * Messages that Baileys itself does not request again if it cannot read them: `newSettling` does. With each
 * `error`, Baileys gives the network the right answer.
 */
const unrequested: { is: (stanza: BinaryNode) => boolean; error: (cause: unknown) => Error }[] = [
  {
    // The live network sends a refused status again at each connection, and sends nothing behind it (Baileys
    // pull request 2779).
    is: ({ attrs }) => attrs.from === "status@broadcast",
    // Baileys' own error for a message without content, which it acknowledges.
    error: (cause) => new Error("Message absent from node", { cause }),
  },
  {
    // This message of the phone is for this device alone. Baileys would send a receipt for it, and it would
    // never come again.
    is: ({ attrs }) => attrs.category === "peer",
    // Baileys reads the `message` of an error. Without one, Baileys fails, and refuses the stanza like a
    // malformed one.
    error: (cause) => Object.assign(new Error("", { cause }), { message: undefined }),
  },
]

/**
 * The result for an ignored message: its sender need not send it again, and it may have come before without
 * leaving a mark.
 */
function asForgotten(error: unknown): Uint8Array {
  if (error instanceof SessionEnded) throw error
  return emptyMessage
}

/**
 * The result for a message that was not taken in, as far as we know, and whose key may be gone. If the
 * customer may not have wanted its event, it left no mark, and gets its receipt now. Otherwise the program
 * that had the login before has read it, and died before its receipt; or too many later ones have overtaken
 * it. Baileys refuses it for good if the error is libsignal's own; with any other it asks the sender again.
 */
function asUnseen(error: unknown, forgets: ReturnType<Intake["forgets"]>): Uint8Array {
  if (!wasDecrypted(error)) throw error
  if (forgets === "maybe") return emptyMessage
  throw new Error(`${error.message}, and its message was never taken in`, { cause: error })
}

/**
 * Whether the key of this ciphertext has been used: libsignal's error says so for a message, and Baileys'
 * error for one in a group.
 */
function wasDecrypted(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  return error.name === "MessageCounterError" || error.message.startsWith("Received message with old counter")
}

/** The content of a plaintext; undefined if the protocol as we know it has no such message. */
function contentOf(plaintext: Uint8Array, log: ILogger): MessageContent | undefined {
  try {
    const content = decode(plaintext)
    // Baileys decodes it once more, and would ask the sender for what it cannot read.
    proto.Message.decode(unpadRandomMax16(plaintext))
    return Object.keys(content).length > 0 ? content : undefined
  } catch (error) {
    // Sending the message again would not help, so it is parked until a later version of the code reads it.
    log.warn({ error }, "a message was decrypted and cannot be read")
    return undefined
  }
}

type Decrypting = Pick<
  SignalRepositoryWithLIDStore,
  "decryptMessage" | "decryptGroupMessage" | "processSenderKeyDistributionMessage"
>

/**
 * Requests a message again if Baileys would not, and says when a ciphertext is done. The request goes first:
 * after the answer, the network does not keep the message any more.
 */
function newSettling(input: RepositoryInput) {
  /** Messages that were requested again: each may have several ciphertexts. */
  const requested = new WeakSet<BinaryNode>()

  return async (ciphertext: Uint8Array, decrypt: () => Promise<Uint8Array>) => {
    try {
      return await decrypt()
    } catch (error) {
      const stanza = input.stanzaOf(ciphertext)
      const kind = stanza && unrequested.find(({ is }) => is(stanza))
      if (!kind || error instanceof SessionEnded) throw error
      if (!requested.has(stanza)) await input.whileAsking(() => input.request(stanza))
      requested.add(stanza)
      throw kind.error(error)
    } finally {
      input.onSettled(ciphertext)
    }
  }
}

/**
 * Decrypts ciphertexts that were not decrypted before. Their events are made in the unit that moves the
 * ratchet.
 */
export function newDecrypting(
  input: RepositoryInput,
  inner: SignalRepositoryWithLIDStore,
  log: ILogger,
): Decrypting {
  const { creds, keys, intake, guarded, lockKeys } = input
  const settling = newSettling(input)

  /**
   * Decrypts a ciphertext, and has it taken in as one unit.
   * @returns an empty message for a ciphertext that came before
   */
  async function decryptOnce(ciphertext: Uint8Array, decrypt: () => Promise<Uint8Array>) {
    const stanza = input.stanzaOf(ciphertext)
    if (!stanza) throw new Error("a ciphertext without its stanza")
    const { attrs } = stanza
    const hash = createHash("sha256").update(ciphertext).digest("hex")
    // A message that seems new is decrypted while it is looked up: `receive` waits for the answer.
    const next = await guarded(() => intake.whatToDoWith({ hash, attrs }, !saysAgain(stanza)))
    if (next === "seen") return emptyMessage
    if (next === "skip") throw new Error("skipped, as the operator asked")
    const read = async () => {
      const { message, plaintext } = await keys.atomically(
        async () => await opened(stanza, await decrypt()),
        async (changes, made) => {
          const received = { hash, attrs, plaintext: made.plaintext, ...besideMessage(stanza) }
          await guarded(() => intake.receive(received, changes))
        },
      )
      // If Baileys could not read the plaintext, it would ask the sender five times for the same bytes.
      return message ? plaintext : emptyMessage
    }
    const forgets = intake.forgets(attrs)
    if (forgets === "always") return await read().catch(asForgotten)
    return await read().catch(async (error: unknown) => {
      if (error instanceof SessionEnded) throw error
      const isSeen = await guarded(() => intake.isSeen({ hash, attrs }))
      return isSeen ? emptyMessage : asUnseen(error, forgets)
    })
  }

  /**
   * Reads a decrypted message, if that is possible, and applies the changes that it brings for our own keys.
   */
  async function opened(stanza: BinaryNode, plaintext: Uint8Array) {
    const message = contentOf(plaintext, log)
    if (message) await applyKeysFromMessage({ message, stanza, me: creds.me, keys, inner, log })
    return { message, plaintext }
  }

  return {
    decryptMessage: (message) =>
      settling(message.ciphertext, async () =>
        lockKeys(await addressesOf(message.jid, inner), () =>
          decryptOnce(message.ciphertext, () => inner.decryptMessage(message)),
        ),
      ),
    decryptGroupMessage: (message) =>
      settling(message.msg, () =>
        lockKeys([message.group], () => decryptOnce(message.msg, () => inner.decryptGroupMessage(message))),
      ),
    /**
     * This is done already, in the unit of the message that brought the sender key. A sender key that came
     * unencrypted must not be trusted.
     */
    processSenderKeyDistributionMessage: async () => {},
  }
}

/** What a stanza says about its message, beside the ciphertext. */
function besideMessage(stanza: BinaryNode): Pick<Received, "verified" | "meta"> {
  const meta = childrenNamed(stanza, "meta")
  return {
    ...(hasChild(stanza, "verified_name") && { verified: true }),
    ...(meta.length > 0 && { meta }),
  }
}

/**
 * Whether a message says that it may have come before: the network marks what it delivers again (`offline`),
 * and a sender marks what they encrypt again when asked (`count`).
 */
function saysAgain({ attrs, content }: BinaryNode): boolean {
  if (attrs.offline !== undefined) return true
  return (
    Array.isArray(content) && content.some((child) => child.tag === "enc" && child.attrs.count !== undefined)
  )
}
