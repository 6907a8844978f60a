import { z } from "zod"
import { longestHandover } from "#contract/chat.ts"
import { now, timeLeft } from "#core/platform/clock.ts"
import type { Commits } from "../memory/commits.ts"
import type { SessionStore, SessionWrite } from "../memory/rows.ts"
import type { SessionVault } from "../memory/vault.ts"
import { hashed } from "./transcript.ts"

interface HandoversParts {
  store: SessionStore
  commits: Pick<Commits, "write">
  login: { vault: Pick<SessionVault, "login" | "namesOf" | "phoneOf"> }
}

/** A chat that is handed over, as its row stores it. `until`: Unix seconds. */
const Row = z.object({ jid: z.string(), until: z.number().int() })

/**
 * The chats in which a person answers in place of the customer's program (Contract, "Handover"): a row each,
 * which expires when the program answers again. A session reads them once, before its first message. From
 * then on a message costs no read and no write for this: only the session changes the rows.
 */
export class Handovers {
  readonly #parts: HandoversParts
  #read: { prefix: string; until: Promise<Map<string, number>> } | undefined

  constructor(parts: HandoversParts) {
    this.#parts = parts
  }

  /**
   * Until when a person answers in this chat (a JID), Unix seconds; 0: the customer's program answers.
   * @throws SessionEnded
   */
  async until(jid: string): Promise<number> {
    const all = await this.#all()
    if (all.size === 0) return 0
    // It may have been handed over when only the person's LID was known.
    const names = await this.#parts.login.vault.namesOf(jid)
    const until = Math.max(0, ...[...names].map((name) => all.get(name) ?? 0))
    return isOver(until) ? 0 : until
  }

  /** The chats that are handed over, by JID, and until when. @throws SessionEnded */
  async list(): Promise<Map<string, number>> {
    const all = await this.#all()
    for (const [jid, until] of all) if (isOver(until)) all.delete(jid)
    return all
  }

  /**
   * Hands a chat over until then, or takes it back with 0. Resolves when that is durable.
   * @throws SessionEnded
   */
  async set(jid: string, until: number): Promise<void> {
    const { store, commits, login } = this.#parts
    const all = await this.#all()
    const phone = await login.vault.phoneOf(jid)
    const others = [...(await login.vault.namesOf(jid))].filter((name) => all.has(name) && name !== phone)
    const own: SessionWrite =
      until > now()
        ? store.put(this.#skOf(phone), JSON.stringify({ jid: phone, until }), { expires_at: until })
        : store.remove(this.#skOf(phone))
    await commits.write([own, ...others.map((name) => store.remove(this.#skOf(name)))])
    for (const name of others) all.delete(name)
    if (until > now()) all.set(phone, until)
    else all.delete(phone)
  }

  /** Those of the present login. */
  async #all(): Promise<Map<string, number>> {
    const prefix = this.#prefix
    if (this.#read?.prefix !== prefix) {
      const until = this.#parts.store
        .list(prefix)
        .then((rows) => new Map(rows.map(({ secret }) => entryOf(secret))))
      this.#read = { prefix, until }
      until.catch(() => (this.#read = undefined))
    }
    return await this.#read.until
  }

  get #prefix(): string {
    return `HANDOVER#${hashed(this.#parts.login.vault.login?.jid ?? "").slice(0, 11)}#`
  }

  #skOf(jid: string): string {
    return this.#prefix + hashed(jid)
  }
}

/** Also once the clock was set back by more than any handover takes. */
function isOver(until: number): boolean {
  return timeLeft(until, longestHandover) === 0
}

function entryOf(secret: Buffer): [string, number] {
  const { jid, until } = Row.parse(JSON.parse(secret.toString()))
  return [jid, until]
}
