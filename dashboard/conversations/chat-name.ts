import { LRUCache } from "lru-cache"
import { z } from "zod"
import { isGroup, isLid } from "#core/message/jid.ts"
import { plainText } from "../events/message-words.ts"
import { askSession, type OfBridge, phoneOrJid } from "../numbers/session-answer.ts"

/**
 * The name of a chat or a person, as every page says it: the name that is known of them, else the number.
 * Strangers choose their names: where they matter, the number stands beside them (`numberOf`).
 * @param name as the network or the address book gives it; `""`: not known
 */
export function chatName(jid: string, name = ""): string {
  const known = plainText(name).trim()
  return known || numberOf(jid)
}

/** The number of a person; what stands in its place, where there is none. */
export function numberOf(jid: string): string {
  if (isGroup(jid)) return `Group …${jid.replace(/@.*/, "").slice(-4)}`
  if (isLid(jid)) return `Number not shown …${jid.replace(/@.*/, "").slice(-4)}`
  return phoneOrJid(jid)
}

/** The page of a number's chat with somebody, or of a group. */
export function pathOfChat(ref: string, jid: string): string {
  return `/numbers/${ref}/chats/${encodeURIComponent(jid)}`
}

/** Names as a session knew them lately, by bridge and JID. */
const known = new LRUCache<string, string>({ max: 50_000, ttl: 60_000 })
/**
 * How long a page waits for the names that only the session knows, in ms; and how many it asks for at once.
 */
const patienceMs = 400
const atOnce = 100

/** What somebody is called. `said`: the name in the message at hand, for people who are not known. */
export type NameOf = (jid: string, said?: string) => string

/**
 * Learns what the chats and people of these JIDs are called: from the account's address book, or as they
 * call themselves.
 * @returns the name of any of them
 */
export async function namesOf(c: OfBridge, jids: Iterable<string>): Promise<NameOf> {
  const { id } = c.var.bridge
  const wanted = [...new Set(jids)].filter((jid) => jid !== "" && !known.has(`${id} ${jid}`))
  const asked: Promise<void>[] = []
  for (let at = 0; at < wanted.length; at += atOnce) asked.push(learn(c, wanted.slice(at, at + atOnce)))
  await Promise.all(asked)
  return (jid, said) => chatName(jid, known.get(`${id} ${jid}`) || said)
}

/** Lets a name that was changed here be asked for again. */
export function forgetName(bridgeId: string, jid: string): void {
  known.delete(`${bridgeId} ${jid}`)
}

async function learn(c: OfBridge, jids: string[]): Promise<void> {
  const path = `/names?jids=${encodeURIComponent(jids.join(","))}`
  const { value = {} } = await askSession(c, path, z.record(z.string(), z.string()), patienceMs)
  for (const jid of jids) {
    const name = value[jid] ?? ""
    // A name may be learnt at any moment.
    known.set(`${c.var.bridge.id} ${jid}`, name, name === "" ? { ttl: 5000 } : {})
  }
}
