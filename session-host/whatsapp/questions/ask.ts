import { S_WHATSAPP_NET, type BinaryNode, type WASocket } from "@whiskeysockets/baileys"
import { within } from "#session-host/concurrency/call-deadline.ts"
import type { Question } from "#session-host/network/connection.ts"
import { NetworkRejected, NoAnswer } from "#session-host/network/errors.ts"
import type { Stanza } from "#session-host/network/stanza.ts"
import { toNode, toStanza } from "../stanza.ts"

/** Contract, "Time to answer": how long the network may take. */
const answerMs = 15_000

/** @throws NetworkRejected, NoAnswer */
export async function askNetwork(sock: Pick<WASocket, "query">, question: Question): Promise<Stanza> {
  const { xmlns, type, to = S_WHATSAPP_NET, target, children = [] } = question
  return await askByNode(sock, {
    tag: "iq",
    attrs: { to, type, xmlns, ...(target && { target }) },
    content: children.map(toNode),
  })
}

/** The answer to this node. @throws NetworkRejected, NoAnswer */
export async function askByNode(sock: Pick<WASocket, "query">, node: BinaryNode): Promise<Stanza> {
  return toStanza(await answerInTime(sock.query(node)))
}

/**
 * The answer to a question that Baileys asks. Baileys itself waits for a minute, and then goes on as if the
 * network had answered nothing. A caller would take that silence for "there is none".
 * @throws NetworkRejected, NoAnswer
 */
export async function answerInTime<T>(asking: Promise<T>): Promise<T> {
  try {
    return await within(answerMs, asking, () => {
      throw new NoAnswer("the network did not answer")
    })
  } catch (error) {
    // Baileys puts the network's code here. An error of Baileys' own has something else in this place.
    const { data } = error as { data?: unknown }
    throw typeof data === "number" ? new NetworkRejected(data) : error
  }
}
