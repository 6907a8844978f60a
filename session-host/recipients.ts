import { LRUCache } from "lru-cache"
import { ApiError } from "#core/error.ts"
import { isPhoneJid, userOf } from "#core/jid.ts"
import type { Connection } from "./network.ts"

const day = 24 * 3600 * 1000
/** Somebody may join the network at any time, but is not to be asked for at each attempt. */
const unknownFor = 10 * 60 * 1000

/** Who can be written to. Messaging numbers that are not on the network is what gets numbers restricted. */
export class Recipients {
  readonly #known = new LRUCache<string, { jid: string | undefined }>({ max: 5000 })

  get size(): number {
    return this.#known.size
  }

  /** The JID to send to. A LID or a group was learned from the network. @throws ApiError `recipient_not_found` */
  async reach(chat: string, connection: Pick<Connection, "registered">): Promise<string> {
    if (!isPhoneJid(chat)) return chat
    const { jid } = this.#known.get(chat) ?? (await this.#ask(chat, connection))
    if (jid) return jid
    throw new ApiError("recipient_not_found", "this number is not on the network: check `chat`")
  }

  async #ask(chat: string, connection: Pick<Connection, "registered">) {
    const phone = userOf(chat)
    const entry = { jid: (await connection.registered([phone])).get(phone)?.jid }
    this.#known.set(chat, entry, { ttl: entry.jid ? day : unknownFor })
    return entry
  }
}
