import { type BinaryNode, buildAckStanza, type WASocket } from "@whiskeysockets/baileys"
import type { Logger } from "pino"
import { Metrics } from "#core/platform/metrics.ts"
import type { Interceptor } from "../listeners.ts"
import { hasChild } from "../stanza.ts"

interface Input {
  sock: Pick<WASocket, "sendNode">
  onError: (error: unknown) => void
}

/** Baileys itself acknowledges these stanzas, once they are durable or refused. */
const answeredByBaileys = new Set(["message", "status", "receipt", "notification", "call"])

/** The network expects no answer to these stanzas, whatever attributes they have. */
const wantNone = new Set(["ack", "presence", "chatstate", "ib", "success", "failure", "stream:error"])

/** Questions of the network that Baileys answers. */
const pairing = ["pair-device", "pair-success"]

/**
 * Answers what Baileys leaves unanswered. The network ends the stream of a device that has not answered a
 * stanza within 50 minutes, and sends the stanza again with the next connection (`docs/network.md`).
 */
export function newAnswers({ sock, onError }: Input) {
  const send = (answer: BinaryNode | undefined): void => {
    if (answer) sock.sendNode(answer).catch(onError)
  }
  const acknowledge = (node: BinaryNode): void => {
    if (node.attrs.id && node.attrs.from) send(buildAckStanza(node))
  }
  return {
    /** Gets every frame. */
    onFrame: (frame: BinaryNode): void => {
      if (frame.tag === "iq") send(answerTo(frame))
      else if (!answeredByBaileys.has(frame.tag) && !wantNone.has(frame.tag)) acknowledge(frame)
    },
    /** Sends the ack of this stanza. */
    acknowledge,
  }
}

function answerTo(iq: BinaryNode): BinaryNode | undefined {
  const { id, from, type, xmlns } = iq.attrs
  if (!from || type === "result" || type === "error" || pairing.some((tag) => hasChild(iq, tag)))
    return undefined
  const about = { ...(id && { id }), to: from }
  if (xmlns === "urn:xmpp:ping") return { tag: "iq", attrs: { ...about, type: "result" } }
  const error = { tag: "error", attrs: { code: "501", text: "feature-not-implemented" } }
  return { tag: "iq", attrs: { ...about, type: "error" }, content: [error] }
}

/**
 * Answers a notice about keys that has no `<count>`, at which Baileys throws. `<pq_count>` asks for keys of
 * post-quantum sessions, which no open client can make (WhatsApp Web, `WAWebSendMsg`).
 */
export function answerPostQuantum(
  acknowledge: (node: BinaryNode) => void,
  log: Pick<Logger, "error">,
): Interceptor {
  return (node, pass) => {
    const isRead = hasChild(node, "count") || hasChild(node, "identity") || hasChild(node, "digest")
    if (node.attrs.type !== "encrypt" || isRead) return pass(node)
    if (hasChild(node, "pq_count")) {
      Metrics.add("PostQuantumAsked")
      log.error("the network begins to require keys that no open client can make: look for a new release")
    }
    acknowledge(node)
    return undefined
  }
}
