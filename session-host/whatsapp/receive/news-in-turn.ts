import { type BinaryNode, getBinaryNodeChildren, type WASocket } from "@whiskeysockets/baileys"
import { z } from "zod"
import { isGroupNews } from "../../content/group.ts"
import type { Intake } from "../../network/connection.ts"
import type { Happening } from "../../network/happening.ts"
import { jsonIn } from "../../network/mex.ts"
import type { Lifetime } from "../lifetime.ts"
import type { Interceptor } from "../listeners.ts"
import { storePairs } from "../questions/members.ts"
import { toStanza } from "../stanza.ts"
import type { UnsettledStanzas } from "./read-in-order.ts"

type Told = Extract<Happening, { kind: "stanza" | "revealed" }>

interface Input {
  intake: Pick<Intake, "followsGroup">
  lifetime: Pick<Lifetime, "emit">
  unsettled: Pick<UnsettledStanzas, "afterThose">
  sock: Pick<WASocket, "signalRepository">
}

/**
 * Gives Baileys the news of a group, and the keys of scheduled messages, once their events are made, after
 * the messages that arrived before them. Baileys then acknowledges them, and the ack waits at the gate until
 * the events are durable: news that was not taken in comes again.
 */
export function newsInTurn({ intake, lifetime, unsettled, sock }: Input): Interceptor {
  const newsIn = (node: BinaryNode): Told[] => {
    const { tag, attrs } = node
    if (isGroupNews({ tag, attrs }))
      return intake.followsGroup(attrs.from ?? "") ? [{ kind: "stanza", stanza: toStanza(node) }] : []
    return keysIn(node).map(({ rkid, rk }) => ({ kind: "revealed", keyId: rkid, key: bytesOf(rk) }))
  }
  return async (node, pass) => {
    const news = newsIn(node)
    if (news.length > 0) await new Promise<void>((onTurn) => unsettled.afterThose(node, onTurn))
    for (const each of news) await new Promise<void>((onTaken) => lifetime.emit({ ...each, onTaken }))
    for (const each of news) if (each.kind === "stanza") await storePairs(sock, each.stanza)
    return await pass(node)
  }
}

/** WhatsApp Web, `WAWebScheduledMsgRevealNotificationHandler`. */
const Revealed = z.object({
  data: z.object({ xwa2_notify_scheduled_message_reveal: z.object({ rkid: z.string(), rk: z.string() }) }),
})

function keysIn(node: BinaryNode) {
  if (node.attrs.type !== "mex") return []
  return getBinaryNodeChildren(node, "update").flatMap(
    ({ content }) =>
      Revealed.safeParse(jsonIn(content)).data?.data.xwa2_notify_scheduled_message_reveal ?? [],
  )
}

const bytesOf = (text: string) => Buffer.from(text, "base64url")
