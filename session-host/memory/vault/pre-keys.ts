import { z } from "zod"
import type { SessionStore, SessionWrite } from "../store.ts"

/** How many prekeys share a row, which then stays under a kilobyte: a device makes 812 of them at its first login. */
const together = 10

const Group = z.record(z.string(), z.string())
type Group = z.infer<typeof Group>

/** The prekeys of one login, by number. Each new conversation that somebody starts with us uses one up. */
export class PreKeys {
  readonly #store: SessionStore
  readonly #prefix: string

  /** @param prefix of the login's Signal keys. */
  constructor(store: SessionStore, prefix: string) {
    this.#store = store
    this.#prefix = prefix
  }

  /** Those of these prekeys that exist. @throws SessionEnded */
  async get(ids: string[]): Promise<Map<string, string>> {
    const { groups, alone } = await this.#read(ids)
    return new Map(
      ids.flatMap((id) => {
        const value = groups.get(this.#groupOf(id))?.[id] ?? alone.get(id)
        return value === undefined ? [] : [[id, value] as const]
      }),
    )
  }

  /**
   * The writes that change these; `null` removes one. The stored prekeys must not change before they are made.
   * @throws SessionEnded
   */
  async changes(changed: { id: string; value: string | null }[]): Promise<SessionWrite[]> {
    const { groups, alone } = await this.#read(changed.map(({ id }) => id))
    for (const { id, value } of changed) {
      const group = { ...groups.get(this.#groupOf(id)) }
      if (value === null) Reflect.deleteProperty(group, id)
      else group[id] = value
      groups.set(this.#groupOf(id), group)
    }
    const rows = [...groups].map(([sk, group]) =>
      Object.keys(group).length === 0 ? this.#store.remove(sk) : this.#store.put(sk, JSON.stringify(group)),
    )
    return [...rows, ...[...alone.keys()].map((id) => this.#store.remove(this.#aloneSk(id)))]
  }

  /** `alone`: prekeys that a release before 0.2 wrote into rows of their own. */
  async #read(ids: string[]): Promise<{ groups: Map<string, Group>; alone: Map<string, string> }> {
    const alone = new Map(ids.map((id) => [this.#aloneSk(id), id]))
    const sks = new Set(ids.map((id) => this.#groupOf(id)))
    const rows = await this.#store.getAll([...sks, ...alone.keys()])
    const read = { groups: new Map<string, Group>(), alone: new Map<string, string>() }
    for (const { sk, secret } of rows) {
      const id = alone.get(sk)
      if (id === undefined) read.groups.set(sk, Group.parse(JSON.parse(secret.toString())))
      else read.alone.set(id, secret.toString())
    }
    return read
  }

  #groupOf(id: string): string {
    return `${this.#prefix}pre-keys#${Math.floor(Number(id) / together)}`
  }

  #aloneSk(id: string): string {
    return `${this.#prefix}pre-key#${id}`
  }
}
