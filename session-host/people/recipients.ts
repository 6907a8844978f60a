import { sentences } from "#contract/error-codes.ts"
import { ApiError } from "#core/error.ts"
import { isGroup, isPhoneJid, isUsername, userOf } from "#core/message/jid.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import { findByUsername, askUsync } from "../network/ask-about-people.ts"
import type { Connection } from "../network/connection.ts"
import { el } from "../network/stanza.ts"

type Asked = Pick<Connection, "ask" | "registered" | "isInGroup">

const day = 24 * 3600 * 1000
/**
 * How long a number that is not on the network is remembered as such, in ms: its owner may join at any time,
 * but is not looked up at each attempt.
 */
const unknownFor = 10 * 60 * 1000
/**
 * How long the owner of a username is remembered, in ms: they may give it up, and another person may take it.
 */
const usernameFor = 10 * 60 * 1000

interface Known {
  jid: string | undefined
  /** A username whose owner asks for four digits with it, which were missing or wrong. */
  isLocked?: boolean
}

/**
 * The people and groups that can be written to. The network restricts accounts that message numbers which are
 * not registered on it.
 */
export class Recipients {
  readonly #known = boundedCache<Known>(5000)

  get size(): number {
    return this.#known.size
  }

  /**
   * The JID to send to.
   * @throws ApiError `recipient_not_found`. NetworkRejected, NoAnswer: it is not known whether the recipient
   * exists
   */
  async reach(chat: string, connection: Asked): Promise<string> {
    return await this.#reach(chat, connection, "recipient_not_found")
  }

  /**
   * The JID that a caller means. The network is asked only for a username.
   * @throws ApiError `not_found` for a username that no account has. NetworkRejected, NoAnswer
   */
  async named(chat: string, connection: Asked): Promise<string> {
    return isUsername(chat) ? await this.#reach(chat, connection, "not_found") : chat
  }

  /** Notes that the person with these addresses is on the network. */
  heardOf(addresses: string[]): void {
    for (const address of addresses)
      if (this.#known.peek(address)?.jid === undefined) this.#known.delete(address)
  }

  async #reach(chat: string, connection: Asked, code: "recipient_not_found" | "not_found"): Promise<string> {
    if (isGroup(chat)) {
      // The connection remembers its groups, and hears of each change.
      if (await connection.isInGroup(chat)) return chat
      throw notInGroup()
    }
    const { jid, isLocked } = this.#known.get(chat) ?? (await this.#ask(chat, connection))
    if (jid) return jid
    throw new ApiError(code, isLocked ? locked : sentences.recipient_not_found)
  }

  async #ask(chat: string, connection: Asked): Promise<Known> {
    const entry = await find(chat, connection)
    const ttl = isUsername(chat) ? usernameFor : day
    this.#known.set(chat, entry, { ttl: entry.jid ? ttl : unknownFor })
    return entry
  }
}

/** The refusal of a message to a group that does not exist, or that the session is not in. */
export function notInGroup(): ApiError {
  const sentence = "there is no such group, or the session is not in it: check `chat`, or join it first"
  return new ApiError("recipient_not_found", sentence)
}

/** The refusal of a message to a group in which the session's account may not write. */
export function onlyAdminsWrite(): ApiError {
  const sentence =
    "only admins write in this group, and nobody in a community itself: an admin has to promote the session's account"
  return new ApiError("not_admin", sentence)
}

const locked =
  "the owner of this username asks for four digits with it: write `@name:1234`, with the digits that they gave you"

async function find(chat: string, connection: Asked): Promise<Known> {
  if (isUsername(chat)) return await findByUsername(connection, chat)
  if (!isPhoneJid(chat)) return { jid: (await isSomebody(connection, chat)) ? chat : undefined }
  const phone = userOf(chat)
  return { jid: (await connection.registered([phone])).get(phone)?.jid }
}

async function isSomebody(connection: Pick<Connection, "ask">, lid: string): Promise<boolean> {
  const about = [el("devices", { version: "2" })]
  return (await askUsync(connection, { about, users: [el("user", { jid: lid })] })).length > 0
}
