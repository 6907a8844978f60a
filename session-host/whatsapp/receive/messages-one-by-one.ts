import {
  type AuthenticationCreds,
  type BinaryNode,
  decodeMessageNode,
  getBinaryNodeChildren,
  proto,
} from "@whiskeysockets/baileys"
import type { Received } from "../../network/connection.ts"
import type { Interceptor } from "../tap.ts"
import { placeholderIn } from "./placeholder.ts"
import type { UnsettledStanzas } from "./unsettled-stanzas.ts"
import { viewOnceIn } from "./view-once.ts"

interface Input {
  unsettled: Pick<UnsettledStanzas, "dropped" | "whenSettled">
  creds: Pick<AuthenticationCreds, "me">
  ended: () => boolean
  /** Takes in a message that Baileys does not report. */
  take: (received: Received) => Promise<void>
  /**
   * The phone will be asked for this message. Resolves when that is durable: Baileys acknowledges its
   * placeholder at once.
   */
  expect: (attrs: Received["attrs"]) => Promise<void>
  /** Sends the network an ack. */
  acknowledge: (node: BinaryNode) => void
  onError: (error: unknown) => void
}

/**
 * Gives Baileys the next message when the one before is settled. By itself Baileys looks up addresses for
 * several messages at once before it decrypts them. With a slow store they would be decrypted, and become
 * events, in any order; and live messages would overtake the backlog.
 */
export function oneByOne({
  unsettled,
  creds,
  ended,
  take,
  expect,
  acknowledge,
  onError,
}: Input): Interceptor {
  const give = async (node: BinaryNode, pass: Parameters<Interceptor>[1]) => {
    // Baileys would refuse it. The network sends a refused status again and again, and nothing behind it
    // (Baileys pull request 2779).
    if (node.attrs.from === "status@broadcast" && !(isParsable(node, creds.me) && isOfKnownKind(node))) {
      unsettled.dropped(node)
      return acknowledge(node)
    }
    const viewOnce = viewOnceIn(node)
    if (viewOnce && isParsable(node, creds.me)) await take(viewOnce).catch(onError)
    if (placeholderIn(node) === "awaited" && isParsable(node, creds.me))
      await expect(node.attrs).catch(onError)
    if (ended()) return
    await pass(node)
    // For the backlog this moment means nothing: Baileys has a queue of its own for that.
    if (!node.attrs.offline || !isParsable(node, creds.me)) unsettled.dropped(node)
  }
  const after = async (before: Promise<void>, node: BinaryNode, pass: Parameters<Interceptor>[1]) => {
    await before
    if (ended()) return
    const given = give(node, pass).catch(onError)
    const settled = unsettled.whenSettled(node)
    await (settled ?? given)
    // Baileys answers a status with a receipt alone. The network wants an ack of each status too, and ignores
    // a second ack.
    if (settled && node.tag === "status" && !ended()) acknowledge(node)
  }
  let turn = Promise.resolve()
  return (node, pass) => {
    turn = after(turn, node, pass)
  }
}

/** The kinds of ciphertexts that Baileys reads. */
const knownKinds = new Set(["pkmsg", "msg", "skmsg"])

function isOfKnownKind(node: BinaryNode): boolean {
  return getBinaryNodeChildren(node, "enc").every(({ attrs }) => knownKinds.has(attrs.type ?? ""))
}

/**
 * Whether Baileys comes as far as to decrypt this message. It drops what it cannot parse, and reports that to
 * nobody.
 */
function isParsable(node: BinaryNode, me: AuthenticationCreds["me"]): boolean {
  try {
    decodeMessageNode(node, me?.id ?? "", me?.lid ?? "")
    for (const { tag, content } of Array.isArray(node.content) ? node.content : []) {
      if (tag !== "verified_name" || !(content instanceof Uint8Array)) continue
      const { details } = proto.VerifiedNameCertificate.decode(content)
      proto.VerifiedNameCertificate.Details.decode(details ?? Buffer.alloc(0))
    }
    return true
  } catch {
    // Baileys' own parser throws the same error.
    return false
  }
}
