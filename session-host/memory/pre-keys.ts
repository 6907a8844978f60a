import { z } from "zod"
import type { SessionStore, SessionWrite } from "./rows.ts"

/**
 * How many prekeys share a row, which then stays under a kilobyte. A device makes 812 prekeys at its first
 * login.
 */
const together = 10

const Group = z.record(z.string(), z.string())
type Group = z.infer<typeof Group>

/** The prekeys of one login, by number. Each new conversation that a contact starts with us uses one up. */
export class PreKeys {
  readonly #store: SessionStore
  readonly #prefix: string

  /** @param prefix of the login's Signal keys. */
  constructor(store: SessionStore, prefix: string) {
    this.#store = store
    this.#prefix = prefix
  }

  /** The prekeys of these numbers, as far as they exist. @throws SessionEnded */
  async get(ids: string[]): Promise<Map<string, string>> {
    const groups = await this.#read(ids)
    return new Map(
      ids.flatMap((id) => {
        const value = groups.get(this.#groupOf(id))?.[id]
        return value === undefined ? [] : [[id, value] as const]
      }),
    )
  }

  /**
   * The writes that change these prekeys; `null` removes one. The stored prekeys must not change before these
   * writes are made.
   * @throws SessionEnded
   */
  async changes(changed: { id: string; value: string | null }[]): Promise<SessionWrite[]> {
    const groups = await this.#read(changed.map(({ id }) => id))
    for (const { id, value } of changed) {
      const group = { ...groups.get(this.#groupOf(id)) }
      if (value === null) Reflect.deleteProperty(group, id)
      else group[id] = value
      groups.set(this.#groupOf(id), group)
    }
    return [...groups].map(([sk, group]) =>
      Object.keys(group).length === 0 ? this.#store.remove(sk) : this.#store.put(sk, JSON.stringify(group)),
    )
  }

  async #read(ids: string[]): Promise<Map<string, Group>> {
    const rows = await this.#store.getAll([...new Set(ids.map((id) => this.#groupOf(id)))])
    return new Map(rows.map(({ sk, secret }) => [sk, Group.parse(JSON.parse(secret.toString()))]))
  }

  #groupOf(id: string): string {
    return `${this.#prefix}pre-keys#${Math.floor(Number(id) / together)}`
  }
}
