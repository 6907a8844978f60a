import { LRUCache } from "lru-cache"
import { z } from "zod"
import { Choice } from "#core/bridge/choice.ts"
import { isLid, isPhoneJid, statusChat, userOf, withoutDevice } from "#core/message/jid.ts"
import { spellingsOf } from "#core/message/spellings.ts"
import { newLocks } from "#core/platform/locks.ts"
import type { VaultChange, Gate, Outgoing, Vault } from "../network/connection.ts"
import type { Commits } from "./commits.ts"
import { type Sent, sentMessage, sentRow, withoutReceipts } from "./messages/sent.ts"
import type { UnitWrite } from "./next-batch.ts"
import { removalBytes, Pieces } from "./pieces.ts"
import { PreKeys } from "./pre-keys.ts"
import type { Put, SessionStore, SessionWrite, Stored } from "./rows.ts"

/** Baileys' word for this kind of key. */
const preKey = "pre-key"
const inPieces = "in pieces"

/** How many bytes of a session's Signal keys are cached. */
const cached = 2 * 1024 * 1024

/**
 * The parts of Baileys' credentials that identify the login. `account` is there once a phone has linked the
 * device.
 */
const Credentials = z.object({
  account: z.unknown().optional(),
  me: z.object({ id: z.string(), lid: z.string().optional(), name: z.string().optional() }).optional(),
})

/** The identity that a session logs in as: JIDs without a device. */
export interface LoginIdentity {
  jid: string
  lid: string
  name: string
}

interface VaultParts {
  store: SessionStore
  commits: Gate & Pick<Commits, "make">
  choice: () => Choice.Info
}

/** Makes the unit of a change. @returns false if it did not, since the change is out of date */
type MakeUnit = (writes: UnitWrite[]) => boolean | Promise<boolean>

/**
 * The credentials and Signal keys of one login, by generation. A logout begins the next generation, and the
 * keys of an old generation are never read again. Only one session writes the keys, so it may trust what it
 * has read or written.
 */
export class SessionVault implements Vault {
  readonly generation: number
  readonly gate: Gate
  readonly #parts: VaultParts
  readonly #preKeys: PreKeys
  readonly #pieces: Pieces
  readonly #changing = new Set<Promise<void>>()
  /** Serialises changes of values that are not one row each. */
  readonly #turn = newLocks()
  #creds: string | undefined
  #login: LoginIdentity | undefined
  readonly #known = new LRUCache<string, { value: string | null }>({
    maxSize: cached,
    sizeCalculation: (entry, sk) => sk.length + (entry.value?.length ?? 0) + 50,
  })

  constructor(parts: VaultParts, login: Creds) {
    this.#parts = parts
    this.gate = parts.commits
    this.generation = login.generation
    this.#preKeys = new PreKeys(parts.store, generationPrefix(login.generation))
    this.#pieces = new Pieces(parts.store, generationPrefix(login.generation))
    this.#setCreds(login.creds)
  }

  get creds(): string | undefined {
    return this.#creds
  }

  /** The prefix of the rows that hold this type of Signal keys. */
  prefixOf(type: string): string {
    return this.#rowOf(type, "")
  }

  /** The identity of these credentials; undefined before a phone has linked them. */
  get login(): LoginIdentity | undefined {
    return this.#login
  }

  /** The number of cached entries. */
  get cached(): number {
    return this.#known.size
  }

  async keys(type: string, ids: string[]): Promise<Map<string, string>> {
    if (type === preKey) return await this.#preKeys.get(ids)
    if (!ids.some((id) => mayGrow({ id }))) return await this.#read(type, ids)
    return await this.#turn([inPieces], () => this.#read(type, ids))
  }

  async #read(type: string, ids: string[]): Promise<Map<string, string>> {
    const rows = new Map(ids.map((id) => [this.#rowOf(type, id), id]))
    const unknown = [...rows.keys()].filter((sk) => !this.#known.has(sk))
    const stored = unknown.length === 0 ? [] : await this.#parts.store.getAll(unknown)
    const read = new Map<string, string | undefined>()
    for (const row of stored) read.set(row.sk, await this.#pieces.whole(row))
    const found = new Map<string, string>()
    for (const [sk, id] of rows) {
      // The key may have been written meanwhile.
      const entry = this.#known.get(sk) ?? { value: read.get(sk) ?? null }
      this.#known.set(sk, entry)
      if (entry.value !== null) found.set(id, entry.value)
    }
    return found
  }

  /** @param makeUnit makes the unit from the rows of the change, and may add other rows */
  async change(
    change: VaultChange,
    makeUnit: MakeUnit = (writes) => this.#parts.commits.make(writes) > 0,
  ): Promise<void> {
    const made = this.#changeInTurn(change, makeUnit)
    this.#changing.add(made)
    try {
      await made
    } finally {
      this.#changing.delete(made)
    }
  }

  /** Resolves when every change handed to `change` is made, so that another connection may read. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#changing)
  }

  async #changeInTurn(change: VaultChange, makeUnit: MakeUnit): Promise<void> {
    const preKeys = (change.keys ?? []).filter(({ type }) => type === preKey)
    const growing = (change.keys ?? []).filter(mayGrow)
    const turns = [...(preKeys.length > 0 ? [preKey] : []), ...(growing.length > 0 ? [inPieces] : [])]
    if (turns.length === 0) return await this.#makeRows(change, [], makeUnit)
    await this.#turn(turns, async () => {
      const writes: UnitWrite[] = preKeys.length > 0 ? await this.#preKeys.changes(preKeys) : []
      for (const { type, id, value } of growing)
        writes.push(...(await this.#pieces.changes(this.#rowOf(type, id), value)))
      await this.#makeRows(change, writes, makeUnit)
    })
  }

  /**
   * Awaits nothing before it calls `makeUnit`, so that no other change comes in between.
   * @param shared the writes of keys that are not one row each.
   */
  async #makeRows(change: VaultChange, shared: UnitWrite[], makeUnit: MakeUnit): Promise<void> {
    const { store } = this.#parts
    const keys = (change.keys ?? []).flatMap(({ type, id, value }) =>
      type === preKey ? [] : [{ sk: this.#rowOf(type, id), value, isShared: mayGrow({ id }) }],
    )
    // The credentials go last, in case the unit takes several transactions.
    const writes: UnitWrite[] = [
      ...(change.outgoing
        ? [sentRow(store, this.#sent(change.outgoing)), ...(change.outgoing.beside?.() ?? [])]
        : []),
      ...shared,
      ...keys.flatMap(({ sk, value, isShared }) => {
        if (isShared) return []
        return value === null ? store.remove(sk) : store.put(sk, value)
      }),
      ...(change.creds === undefined ? [] : [credsRow(store, this.generation, change.creds)]),
    ]
    const made = makeUnit(writes)
    // No `await` where there is nothing to wait for: no read may come between the unit and the cache.
    if (made !== true && !(await made)) return
    for (const { sk, value } of keys) this.#known.set(sk, { value })
    if (change.creds !== undefined) this.#setCreds(change.creds)
  }

  /**
   * The row's content for a message that is about to leave. It lists the people from whom receipts may come
   * if the customer follows receipts, and the viewers of a status in any case.
   */
  #sent({ members, beside: _beside, ...outgoing }: Outgoing): Sent {
    const sent = { ...outgoing, generation: this.generation, state: "sent" as const }
    const isKept = outgoing.chat === statusChat || Choice.followsStatuses(this.#parts.choice(), outgoing.chat)
    if (!members || !isKept) return sent
    const own = [this.#login?.jid, this.#login?.lid]
    const others = members.map(withoutDevice).filter((member) => !own.includes(member))
    return { ...sent, members: withoutReceipts(others) }
  }

  async sent(messageId: string): Promise<Pick<Outgoing, "chat" | "message" | "members"> | undefined> {
    const sent = await sentMessage(this.#parts.store, messageId)
    return sent && { ...sent, members: Object.keys(sent.members ?? {}) }
  }

  /** The other address of a person (phone number or LID), if the network has said which belong together. */
  async otherAddress(jid: string): Promise<string | undefined> {
    const user = userOf(jid)
    if (isLid(jid)) return await this.#mapped(`${user}_reverse`, "s.whatsapp.net")
    return isPhoneJid(jid) ? await this.#mapped(user, "lid") : undefined
  }

  /**
   * The address with the phone number, if that is known, also for our own account; otherwise the given
   * address.
   */
  async phoneOf(jid: string): Promise<string> {
    if (!isLid(jid)) return jid
    return jid === this.#login?.lid ? this.#login.jid : ((await this.otherAddress(jid)) ?? jid)
  }

  /**
   * Every known address (JID) of a person: the number first, in both spellings if it has two, then the
   * private id. A group has one.
   */
  async namesOf(jid: string): Promise<Set<string>> {
    const spellings = spellingsOf(await this.phoneOf(jid))
    const others = await Promise.all(spellings.map((each) => this.otherAddress(each)))
    return new Set([...spellings, jid, ...others.flatMap((other) => other ?? [])])
  }

  /** Reads Baileys' pairs of phone number and LID, which are kept by user. */
  async #mapped(id: string, server: string): Promise<string | undefined> {
    const value = (await this.keys("lid-mapping", [id])).get(id)
    return value && `${z.string().parse(JSON.parse(value))}@${server}`
  }

  #setCreds(creds: string | undefined): void {
    this.#creds = creds
    this.#login = creds === undefined ? undefined : loginOf(creds)
  }

  #rowOf(type: string, id: string): string {
    return `${generationPrefix(this.generation)}${type}#${id}`
  }
}

/** Whether a value grows with the account: the list of all chats that have a token. */
function mayGrow({ id }: { id: string }): boolean {
  return id === "__index"
}

function loginOf(creds: string): LoginIdentity | undefined {
  const { account, me } = Credentials.parse(JSON.parse(creds))
  if (!account || !me) return undefined
  return { jid: withoutDevice(me.id), lid: withoutDevice(me.lid ?? ""), name: me.name ?? "" }
}

/** The credentials of one login, as they are stored. */
export interface Creds {
  generation: number
  creds: string | undefined
}

export const credsSk = "CREDS"

const Row = z.object({ g: z.number() })

/** @param stored the row; undefined before the first login. */
export function credsOf(stored: Stored | undefined): Creds {
  if (!stored) return { generation: 1, creds: undefined }
  const { g } = Row.parse(stored.row)
  return { generation: g, creds: stored.secret.toString() || undefined }
}

/**
 * The row that begins a generation without credentials: the credentials and keys of the last generation are
 * worthless.
 */
export function nextGenerationRow(store: SessionStore, next: number): Put {
  return credsRow(store, next, "")
}

/** Removals of the rows of logins that have ended. */
export async function removalsOfOldKeys(store: SessionStore, generation: number): Promise<SessionWrite[]> {
  const current = generationPrefix(generation)
  const names = await store.names("SIGNAL#")
  return names.filter((sk) => !sk.startsWith(current)).map((sk) => store.remove(sk, removalBytes(sk)))
}

function credsRow(store: SessionStore, generation: number, creds: string): Put {
  return store.put(credsSk, creds, { g: generation })
}

function generationPrefix(generation: number): string {
  return `SIGNAL#${String(generation).padStart(6, "0")}#`
}
