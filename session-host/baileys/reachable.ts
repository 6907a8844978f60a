import {
  getBinaryNodeChild,
  getBinaryNodeChildren,
  S_WHATSAPP_NET,
  type BinaryNode,
  type WASocket,
} from "@whiskeysockets/baileys"
import { isGroup } from "#core/jid.ts"

/** What the network says of a group that is none, or none of ours. */
const refusals = new Set([401, 403, 404, 406])

/** Whether a group has us for a member, or a LID belongs to somebody. */
export async function isReachable(
  sock: Pick<WASocket, "query" | "generateMessageTag">,
  jid: string,
): Promise<boolean> {
  return isGroup(jid) ? await isMember(sock, jid) : await isSomebody(sock, jid)
}

async function isMember(sock: Pick<WASocket, "query">, group: string): Promise<boolean> {
  try {
    await sock.query({
      tag: "iq",
      attrs: { to: group, type: "get", xmlns: "w:g2" },
      content: [{ tag: "query", attrs: { request: "interactive" } }],
    })
    return true
  } catch (error) {
    const { data } = error as { data?: unknown } // Baileys puts the network's number here
    if (typeof data === "number" && refusals.has(data)) return false
    throw error
  }
}

async function isSomebody(
  sock: Pick<WASocket, "query" | "generateMessageTag">,
  lid: string,
): Promise<boolean> {
  const attrs = {
    context: "interactive",
    mode: "query",
    sid: sock.generateMessageTag(),
    last: "true",
    index: "0",
  }
  const content = [
    { tag: "query", attrs: {}, content: [{ tag: "devices", attrs: { version: "2" } }] },
    { tag: "list", attrs: {}, content: [{ tag: "user", attrs: { jid: lid } }] },
  ]
  const answer: BinaryNode | undefined = await sock.query({
    tag: "iq",
    attrs: { to: S_WHATSAPP_NET, type: "get", xmlns: "usync" },
    content: [{ tag: "usync", attrs, content }],
  })
  const list = getBinaryNodeChild(getBinaryNodeChild(answer, "usync"), "list")
  return getBinaryNodeChildren(list, "user").length > 0
}
