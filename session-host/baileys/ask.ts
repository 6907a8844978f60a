import { S_WHATSAPP_NET, type BinaryNode, type WASocket } from "@whiskeysockets/baileys"
import { NetworkRejected, NoAnswer, type Question, type Stanza } from "../network.ts"
import { toNode, toStanza } from "./stanza.ts"

/** decisions, "Errors": how long the network may take. */
const answerMs = 15_000

/** @throws NetworkRejected, NoAnswer */
export async function ask(sock: Pick<WASocket, "query">, question: Question): Promise<Stanza> {
  const { xmlns, type, to = S_WHATSAPP_NET, target, children = [] } = question
  return await answerTo(sock, {
    tag: "iq",
    attrs: { to, type, xmlns, ...(target && { target }) },
    content: children.map(toNode),
  })
}

/** What came back for this node. @throws NetworkRejected, NoAnswer */
export async function answerTo(sock: Pick<WASocket, "query">, node: BinaryNode): Promise<Stanza> {
  const answer: BinaryNode | undefined = await asked(sock, node)
  if (!answer) throw new NoAnswer("the network did not answer")
  return toStanza(answer)
}

async function asked(sock: Pick<WASocket, "query">, node: BinaryNode): Promise<BinaryNode | undefined> {
  try {
    return await sock.query(node, answerMs)
  } catch (error) {
    // Baileys puts the network's number into `data`, and its own 408 into `output`.
    const { data, output } = error as { data?: unknown; output?: { statusCode?: number } }
    if (typeof data === "number") throw new NetworkRejected(data)
    if (output?.statusCode === 408) return undefined
    throw error
  }
}
