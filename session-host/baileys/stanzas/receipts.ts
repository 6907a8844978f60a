import type { BinaryNode, WASocket } from "@whiskeysockets/baileys"
import { takeOver } from "../socket/take-over.ts"

interface Input {
  sock: Pick<WASocket, "ws" | "sendNode">
  onError: (error: unknown) => void
}

/**
 * Acknowledges receipts that name no sender. Baileys 7.0.0-rc14 throws at them before it has acknowledged them, so that they
 * would come again with each connection.
 */
export function takeReceipts({ sock, onError }: Input): void {
  takeOver(sock.ws, "CB:receipt", (node, pass) => {
    if (node.attrs.from) return pass(node)
    return sock.sendNode(ackOf(node)).catch(onError)
  })
}

function ackOf({ tag, attrs: { id, type } }: BinaryNode): BinaryNode {
  return { tag: "ack", attrs: { class: tag, ...(id && { id }), ...(type && { type }) } }
}
