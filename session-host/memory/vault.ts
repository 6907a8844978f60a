import { LRUCache } from "lru-cache"
import { z } from "zod"
import { withoutDevice } from "#core/jid.ts"
import type { Write } from "#core/store.ts"
import type { Commits } from "../commit.ts"
import type { Journal } from "../journal.ts"
import type { Change, Vault } from "../network.ts"
import { sentMessage, sentRow } from "./sent.ts"
import type { SessionStore } from "../store.ts"

/** What of a session's Signal keys is kept in memory, in bytes. */
const cached = 2 * 1024 * 1024

/** So much of Baileys' credentials as says who they are: `account` is there once a phone has linked the device. */
const Credentials = z.object({
  account: z.unknown().optional(),
  me: z.object({ id: z.string(), lid: z.string().optional(), name: z.string().optional() }).optional(),
})

/** Who a session logs in as: JIDs without a device. */
export interface Login {
  jid: string
  lid: string
  name: string
}

interface Parts {
  store: SessionStore
  commits: Pick<Commits, "write">
  journal: Journal
}

/**
 * Credentials and Signal keys of one login, by generation: a logout begins the next, and no key of the old one is ever
 * read again. One session writes them, so what it has read or written it may believe.
 */
export class DurableVault implements Vault {
  readonly generation: number
  readonly #parts: Parts
  #creds: string | undefined
  #login: Login | undefined
  /** By row. Written, and perhaps not yet durable: whoever builds on it commits after it. */
  readonly #unkept = new Map<string, { value: string | null }>()
  readonly #known = new LRUCache<string, { value: string | null }>({
    maxSize: cached,
    sizeCalculation: (entry, sk) => sk.length + (entry.value?.length ?? 0) + 50,
  })

  constructor(parts: Parts, creds: { generation: number; creds: string | undefined }) {
    this.#parts = parts
    this.generation = creds.generation
    this.#setCreds(creds.creds)
  }

  get creds(): string | undefined {
    return this.#creds
  }

  /** Who these credentials log in as; undefined before a phone has linked them. */
  get login(): Login | undefined {
    return this.#login
  }

  /** Entries kept in memory. */
  get cached(): number {
    return this.#known.size
  }

  async keys(type: string, ids: string[]): Promise<Map<string, string>> {
    const values = await Promise.all(ids.map((id) => this.#key(this.#rowOf(type, id))))
    const found = new Map<string, string>()
    for (const [i, id] of ids.entries()) {
      const value = values[i]
      if (value) found.set(id, value)
    }
    return found
  }

  async keep(change: Change): Promise<void> {
    const { store, commits, journal } = this.#parts
    const journalled = change.received && journal.add(change.received)
    const keys = (change.keys ?? []).map(({ type, id, value }) => ({ sk: this.#rowOf(type, id), value }))
    // Where it takes several commits: what was received first, the credentials last.
    const writes: Write[] = [
      ...(journalled?.writes ?? []),
      ...(change.sending
        ? [sentRow(store, { ...change.sending, generation: this.generation, state: "sent" })]
        : []),
      ...keys.map(({ sk, value }) => (value === null ? store.remove(sk) : store.put(sk, value))),
      ...(change.creds === undefined ? [] : [credsRow(store, this.generation, change.creds)]),
    ]
    for (const { sk, value } of keys) this.#unkept.set(sk, { value })
    const ours = keys.map(({ sk }) => ({ sk, entry: this.#unkept.get(sk)! }))
    await commits.write(writes)
    for (const { sk, entry } of ours) {
      this.#known.set(sk, entry)
      if (this.#unkept.get(sk) === entry) this.#unkept.delete(sk)
    }
    if (change.creds !== undefined) this.#setCreds(change.creds)
    if (journalled) journal.kept(journalled.entry)
  }

  async lookUp(hash: string): ReturnType<Vault["lookUp"]> {
    return await this.#parts.journal.lookUp(hash)
  }

  async sent(messageId: string): Promise<Uint8Array | undefined> {
    return (await sentMessage(this.#parts.store, messageId))?.message
  }

  #setCreds(creds: string | undefined): void {
    this.#creds = creds
    this.#login = creds === undefined ? undefined : loginOf(creds)
  }

  async #key(sk: string): Promise<string | null> {
    const known = this.#unkept.get(sk) ?? this.#known.get(sk)
    if (known) return known.value
    const stored = await this.#parts.store.get(sk)
    // Meanwhile it may have been written.
    const newer = this.#unkept.get(sk) ?? this.#known.get(sk)
    if (newer) return newer.value
    const value = stored?.secret.toString() ?? null
    this.#known.set(sk, { value })
    return value
  }

  #rowOf(type: string, id: string): string {
    return `${generationPrefix(this.generation)}${type}#${id}`
  }
}

function loginOf(creds: string): Login | undefined {
  const { account, me } = Credentials.parse(JSON.parse(creds))
  if (!account || !me) return undefined
  return { jid: withoutDevice(me.id), lid: withoutDevice(me.lid ?? ""), name: me.name ?? "" }
}

/** The credentials as they were last kept. */
export async function readCreds(
  store: SessionStore,
): Promise<{ generation: number; creds: string | undefined }> {
  const stored = await store.get("CREDS")
  if (!stored) return { generation: 1, creds: undefined }
  return { generation: z.number().parse(stored.row.g), creds: stored.secret.toString() || undefined }
}

/** Begins a generation without credentials: those of the last one are worthless, and so is every key of it. */
export function forgetCreds(store: SessionStore, generation: number): Write {
  return credsRow(store, generation, "")
}

/** The rows of logins that have ended. */
export async function oldKeys(store: SessionStore, generation: number): Promise<Write[]> {
  const current = generationPrefix(generation)
  const names = await store.names("SIGNAL#")
  return names.filter((sk) => !sk.startsWith(current)).map((sk) => store.remove(sk))
}

function credsRow(store: SessionStore, generation: number, creds: string): Write {
  return store.put("CREDS", creds, { g: generation })
}

function generationPrefix(generation: number): string {
  return `SIGNAL#${String(generation).padStart(6, "0")}#`
}
