import { DataKeys } from "#core/data-keys.ts"
import { Delivery } from "#core/delivery.ts"
import { LinkedPhone } from "#core/linked-phone.ts"
import type { Lease } from "#core/lease.ts"
import { query, type Write } from "#core/store.ts"
import { events } from "#core/tables.ts"
import { Appender } from "./memory/appender.ts"
import { Bell } from "./memory/bell.ts"
import { Commits } from "./commit.ts"
import { Contacts, removeContacts } from "./people/contacts.ts"
import type { Own } from "./events/about.ts"
import type { Mapped, Remembered } from "./events/mapped.ts"
import { type Entry, Journal } from "./journal.ts"
import type { Logger } from "./log.ts"
import { messageRow, messagesOf } from "./memory/message-rows.ts"
import type { Received } from "./network.ts"
import { Patience } from "./memory/patience.ts"
import { SessionEnded } from "./session-ended.ts"
import { Standing } from "./uplink/standing.ts"
import { SessionStore } from "./store.ts"
import { readTold, Telling } from "./uplink/telling.ts"
import type { Timing } from "./timing.ts"
import { DurableVault, forgetCreds, oldKeys, readCreds } from "./memory/vault.ts"

interface Input {
  lease: Lease.Info
  timing: Timing
  log: Logger
  /** Aborted when the session has ended. */
  ended: AbortSignal
  map: (received: Received, at: Context) => Promise<Mapped[]>
  /** A message became events, or proved to be none. */
  onDrained: () => void
  /** The store has been away for long: the socket must be closed. */
  onStoreAway: () => void
  /** The session must end: called before any promise fails. */
  onEnd: (error: SessionEnded) => void
}

/** What a received message is read with. */
interface Context {
  own: Own
  memory: Memory
  /** Every message of this id that is remembered, or will be by the same commit. */
  originals: (id: string) => Promise<Remembered[]>
}

/** The durable side of a session. */
export class Memory {
  readonly store: SessionStore
  readonly commits: Commits
  readonly appender: Appender
  readonly bell: Bell
  readonly telling: Telling
  readonly standing: Standing
  /** The account whose sandbox it is: its phone is simulated, and scans each code by itself. Undefined: no sandbox. */
  readonly sandboxOf: string | undefined
  readonly #input: Input
  readonly #journal: Journal
  #vault: DurableVault
  #contacts: Contacts

  private constructor(
    input: Input,
    parts: Pick<Memory, "store" | "commits" | "appender" | "bell" | "telling" | "standing" | "sandboxOf">,
    creds: Awaited<ReturnType<typeof readCreds>>,
  ) {
    this.#input = input
    this.store = parts.store
    this.commits = parts.commits
    this.appender = parts.appender
    this.bell = parts.bell
    this.telling = parts.telling
    this.standing = parts.standing
    this.sandboxOf = parts.sandboxOf
    this.#journal = new Journal(parts.store, input.lease.epoch, (entry) => void this.#drain(entry))
    this.#vault = new DurableVault({ ...parts, journal: this.#journal }, creds)
    this.#contacts = new Contacts(parts, creds.generation)
  }

  /**
   * Reads what earlier sessions of the bridge left, and turns journalled messages into events: all of it before the
   * first connection, or older messages would come after newer ones.
   * @throws SessionEnded
   */
  static async open(input: Input): Promise<Memory> {
    const { lease, timing, log } = input
    const { bridgeId } = lease
    const patience = new Patience({ afterMs: timing.storeAwayMs, call: input.onStoreAway }, input.ended)
    const commits = new Commits(lease, { patience, withinMs: timing.commitMs, onEnd: input.onEnd })
    const keys = await patience.read(() => DataKeys.get(bridgeId))
    if (!keys) throw new SessionEnded("the bridge is deleted")
    const store = new SessionStore({ bridgeId, sessionKey: keys.session, patience })
    const creds = await readCreds(store)

    const last = await patience.read(() => lastEvent(bridgeId))
    const head = (await patience.read(() => Delivery.get(bridgeId)))?.head ?? 0
    const bell = new Bell(bridgeId)
    if (last > head) bell.want()
    // Delivered rows expire.
    const next = Math.max(last, head) + 1
    const appender = new Appender({
      bridgeId,
      deliveryKey: keys.delivery,
      commits,
      patience,
      bell,
      log,
      next,
      remember: (message) => messageRow(store, message),
    })
    const telling = new Telling(
      { store, appender, goneMs: timing.goneMs, log, onOpened: (phone) => noteLinked(bridgeId, phone, log) },
      await readTold(store),
    )
    const standing = await Standing.read({ store, commits })

    const { sandboxOf } = keys
    const parts = { store, commits, appender, bell, telling, standing, sandboxOf }
    const memory = new Memory(input, parts, creds)
    await memory.#journal.readOld()
    await appender.settled()
    return memory
  }

  get vault(): DurableVault {
    return this.#vault
  }

  /** For how long the oldest journalled message has been waiting to become an event. */
  get journalOldestMs(): number {
    return this.#journal.oldestMs
  }

  /** The people whom the login knows. */
  get contacts(): Contacts {
    return this.#contacts
  }

  /** The login has ended. `tell` commits what it is given, together with what the customer hears of it. */
  async forget(tell: (writes: Write[]) => Promise<void>): Promise<void> {
    const { store, commits } = this
    const generation = this.#vault.generation + 1
    await tell([forgetCreds(store, generation), ...this.standing.forget()])
    const parts = { store, commits, journal: this.#journal }
    this.#vault = new DurableVault(parts, { generation, creds: undefined })
    this.#contacts = new Contacts(parts, generation)
    await commits.write([...(await removeContacts(store)), ...(await oldKeys(store, generation))])
  }

  /** Resolves when everything that was begun is durable, and somebody will deliver it. */
  async settled(): Promise<void> {
    await this.appender.settled()
    await this.#contacts.settled()
    await this.commits.settled()
    await this.bell.quiet()
  }

  /** The session has ended; its socket is closed. */
  end(error: SessionEnded): void {
    this.telling.end()
    this.bell.end()
    this.commits.end(error)
  }

  async #drain(entry: Entry): Promise<void> {
    const { map, onDrained, log } = this.#input
    try {
      await this.appender.append({
        map: (unwritten) =>
          map(entry.received, {
            own: this.#vault.login ?? nobody,
            memory: this,
            originals: (id) => messagesOf(this.store, id, unwritten),
          }),
        writes: this.#journal.removal(entry),
        aside: () => this.#journal.parking(entry),
      })
      this.#journal.drained(entry)
      onDrained()
    } catch (error) {
      // The row is still there, for the next owner.
      if (!(error instanceof SessionEnded)) log.error({ error }, "a journalled message was not drained")
    }
  }
}

/** For whoever looks for the bridge of a number. Unwritten, it is written at the next connection. */
function noteLinked(bridgeId: string, phone: string, log: Logger): void {
  LinkedPhone.note(bridgeId, phone).catch((error: unknown) =>
    log.warn({ error }, "the linked phone was not noted"),
  )
}

/** Who has not logged in. */
export const nobody: Own = { jid: "", lid: "" }

/** The number of a bridge's last event row; 0 without any. */
async function lastEvent(bridgeId: string): Promise<number> {
  const newestFirst = query({
    TableName: events,
    ConsistentRead: true,
    ScanIndexForward: false,
    Limit: 1,
    KeyConditionExpression: "pk = :bridge AND begins_with(sk, :event)",
    ExpressionAttributeValues: { ":bridge": `BRIDGE#${bridgeId}`, ":event": "EVENT#" },
  })
  for await (const row of newestFirst) return Number(row.n)
  return 0
}
