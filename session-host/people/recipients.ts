import { LRUCache } from "lru-cache"
import { ApiError } from "#core/error.ts"
import { isGroup, isPhoneJid, userOf } from "#core/jid.ts"
import type { Connection } from "../network/connection.ts"
import { el } from "../network/stanza.ts"
import { groupCard, usync } from "./questions.ts"

type Asked = Pick<Connection, "ask" | "registered">

const day = 24 * 3600 * 1000
/** Somebody may join the network at any time, but need not be looked up at each attempt. */
const unknownFor = 10 * 60 * 1000

/** The people who can be written to. Messaging numbers that are not on the network gets numbers restricted. */
export class Recipients {
  readonly #known = new LRUCache<string, { jid: string | undefined }>({ max: 5000 })

  get size(): number {
    return this.#known.size
  }

  /** The JID to send to. @throws ApiError `recipient_not_found`. NetworkRejected, NoAnswer: nothing is known then. */
  async reach(chat: string, connection: Asked): Promise<string> {
    const { jid } = this.#known.get(chat) ?? (await this.#ask(chat, connection))
    if (jid) return jid
    throw new ApiError("recipient_not_found")
  }

  async #ask(chat: string, connection: Asked) {
    const entry = { jid: await jidOf(chat, connection) }
    this.#known.set(chat, entry, { ttl: entry.jid ? day : unknownFor })
    return entry
  }
}

async function jidOf(chat: string, connection: Asked): Promise<string | undefined> {
  if (isGroup(chat)) return (await groupCard(connection, chat)) && chat
  if (!isPhoneJid(chat)) return (await isSomebody(connection, chat)) ? chat : undefined
  const phone = userOf(chat)
  return (await connection.registered([phone])).get(phone)?.jid
}

async function isSomebody(connection: Pick<Connection, "ask">, lid: string): Promise<boolean> {
  const about = [el("devices", { version: "2" })]
  return (await usync(connection, { about, users: [el("user", { jid: lid })] })).length > 0
}
