import { Choice } from "#core/bridge/choice.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import { Delivery } from "#core/event/delivery.ts"
import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import type { Event } from "#core/contract/event.ts"
import { Lease } from "#core/lease/lease.ts"
import { query } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import type { Own } from "../receive/map/chat-and-sender.ts"
import type { Logger } from "#core/platform/log.ts"
import { Bell } from "../receive/bell.ts"
import { Commits, type UnitWrite } from "./commits.ts"
import { Inbound } from "../receive/take.ts"
import { Messages } from "./messages/messages.ts"
import { EventOutbox } from "../receive/outbox.ts"
import { Parking } from "../receive/parked.ts"
import { readParkedAgain } from "../receive/read-parked-again.ts"
import { Patience } from "./patience.ts"
import { OperatorSkip } from "../receive/operator-skip.ts"
import { SessionStore } from "./rows.ts"
import { Tally } from "./tally.ts"
import { credsOf, credsSk, forgetCreds, oldKeys, SessionVault } from "./keys.ts"
import { mapReceived } from "../receive/map-received.ts"
import type { Connection } from "../network/connection.ts"
import { Contacts, removeContacts } from "../people/contacts.ts"
import { SessionEnded } from "../session/session-ended.ts"
import type { Timing } from "../timing.ts"
import { LoginStanding, standingRows } from "./login-standing.ts"
import { ConnectionEvents, toldIn, toldRow } from "../uplink/connection-events.ts"

interface Input {
  lease: Lease.Info
  timing: Timing
  log: Logger
  /** Aborted when the session has ended. */
  ended: AbortSignal
  /** The session's connection, while it has one. */
  connection: () => Pick<Connection, "phonesOf"> | undefined
  /** Turns a message into events; `mapReceived` where it is not given. */
  map?: typeof mapReceived | undefined
  /** The version of the running code. Each version tries again to read messages that earlier ones could not. */
  version: () => Promise<string>
  /** The customer's present choice of events. */
  choice: () => Choice.Info
  /** The store has been away for long: the socket must be closed. */
  onStoreAway: () => void
  /** The session must end. Called before any promise is rejected. */
  onEnd: (error: SessionEnded) => void
}

/** The parts that do not change while the session lives. */
type Parts = Pick<
  Memory,
  | "store"
  | "patience"
  | "commits"
  | "outbox"
  | "messages"
  | "bell"
  | "tally"
  | "connectionEvents"
  | "standing"
  | "sandboxOf"
>

/** The durable side of a session. */
export class Memory {
  readonly store: SessionStore
  readonly patience: Patience
  readonly commits: Commits
  readonly outbox: EventOutbox
  readonly messages: Messages
  readonly bell: Bell
  readonly tally: Tally
  readonly connectionEvents: ConnectionEvents
  readonly standing: LoginStanding
  /**
   * The account, if this is its sandbox: the phone is simulated and scans each code by itself. Undefined for other
   * bridges.
   */
  readonly sandboxOf: string | undefined
  readonly #inbound: Inbound
  readonly #ofVault: ConstructorParameters<typeof SessionVault>[0]
  readonly #version: Input["version"]
  readonly #log: Logger
  #isReadingAgain = false
  #vault: SessionVault
  #contacts: Contacts

  private constructor(input: Input, parts: Parts, creds: ConstructorParameters<typeof SessionVault>[1]) {
    this.store = parts.store
    this.patience = parts.patience
    this.commits = parts.commits
    this.outbox = parts.outbox
    this.messages = parts.messages
    this.bell = parts.bell
    this.tally = parts.tally
    this.connectionEvents = parts.connectionEvents
    this.standing = parts.standing
    this.sandboxOf = parts.sandboxOf
    this.#version = input.version
    this.#inbound = new Inbound({
      ...parts,
      parking: new Parking(parts.store),
      log: input.log,
      own: () => this.#vault.login ?? nobody,
      ignores: (chat) => Choice.ignores(input.choice(), chat),
      otherAddress: (jid) => this.#vault.otherAddress(jid),
      map: input.map ?? mapReceived,
      connection: input.connection,
      contacts: () => this.#contacts,
    })
    const { lease, log, timing } = input
    const provenAtMs = performance.now() + timing.provenMs
    this.#ofVault = {
      ...parts,
      inbound: () => this.#inbound,
      skip: new OperatorSkip({ lease, log, patience: parts.patience }),
      forgetsSome: () => input.choice().events !== undefined,
      // At first a suspect takes one message at a time. The message that brings it down is then the first one next time,
      // and can be skipped.
      isCareful: () => Lease.isSuspect(lease) && performance.now() < provenAtMs,
    }
    this.#vault = new SessionVault(this.#ofVault, creds)
    this.#log = input.log
    this.#contacts = new Contacts({ ...parts, log: input.log }, creds.generation)
  }

  /** Reads what earlier sessions of the bridge left. @throws SessionEnded */
  static async open(input: Input): Promise<Memory> {
    const { lease, timing, log } = input
    const { bridgeId } = lease
    const patience = new Patience({ afterMs: timing.storeAwayMs, call: input.onStoreAway }, input.ended)
    const keys = await patience.read(() => DataKeys.get(bridgeId))
    if (!keys) throw new SessionEnded("the bridge is deleted")
    const store = new SessionStore({ bridgeId, sessionKey: keys.session, patience })
    const commits = new Commits(lease, { store, patience, withinMs: timing.commitMs, onEnd: input.onEnd })

    const [rows, last, delivery] = await Promise.all([
      store.getAll([credsSk, toldRow, ...standingRows]),
      patience.read(() => lastEvent(bridgeId)),
      patience.read(() => Delivery.get(bridgeId)),
    ])
    const row = (sk: string) => rows.find((each) => each.sk === sk)
    const head = delivery?.head ?? 0
    const bell = new Bell(bridgeId)
    // The session that promised to ring may have died first.
    if (last > head || (delivery?.due ?? 0) > 0) bell.ringAnew()
    const messages = new Messages(store)
    // Rows of delivered events expire.
    const next = Math.max(last, head) + 1
    const wants = (event: Event) => Choice.wants(input.choice(), event)
    const { delivery: deliveryKey } = keys
    const tally = new Tally({ bridgeId, everyMs: timing.tallyMs, log })
    const told = (event: Event) => {
      if (event.event === "message") tally.add(event.from_me ? "out" : "in")
    }
    const outbox = new EventOutbox({
      bridgeId,
      deliveryKey,
      store,
      commits,
      messages,
      bell,
      next,
      wants,
      told,
    })
    const connectionEvents = new ConnectionEvents(
      {
        store,
        outbox,
        commits,
        goneMs: timing.goneMs,
        log,
        onOpened: (phone) => noteLinked(bridgeId, phone, log),
      },
      toldIn(row(toldRow)),
    )
    const standing = new LoginStanding({ store, commits }, rows)

    const sandboxOf = keys.sandboxOf
    const parts = {
      store,
      patience,
      commits,
      outbox,
      messages,
      bell,
      tally,
      connectionEvents,
      standing,
      sandboxOf,
    }
    return new Memory(input, parts, credsOf(row(credsSk)))
  }

  get vault(): SessionVault {
    return this.#vault
  }

  /** The people whom the login knows. */
  get contacts(): Contacts {
    return this.#contacts
  }

  /**
   * Tries once more, one time per session, to read messages that no mapper could read. Call it when everything else is
   * under way.
   * @throws SessionEnded
   */
  async readParkedAgain(): Promise<void> {
    if (this.#isReadingAgain) return
    this.#isReadingAgain = true
    const { store, commits } = this
    await readParkedAgain({ store, commits, inbound: this.#inbound, version: await this.#version() })
  }

  /** The login has ended. `tell` commits the writes it is given together with the customer's event. */
  async forget(tell: (writes: UnitWrite[]) => Promise<void>): Promise<void> {
    const { store, commits } = this
    const generation = this.#vault.generation + 1
    await tell([forgetCreds(store, generation), ...this.standing.forget()])
    this.#vault = new SessionVault(this.#ofVault, { generation, creds: undefined })
    this.#contacts = new Contacts({ store, commits, log: this.#log }, generation)
    await commits.write([...(await removeContacts(store)), ...(await oldKeys(store, generation))])
  }

  /** Resolves when everything that was begun is durable, and somebody is due to deliver it. */
  async settled(): Promise<void> {
    await this.outbox.settled()
    await this.#contacts.settled()
    await this.commits.settled()
    await this.bell.quiet()
    await this.tally.written()
  }

  /** The session has ended; its socket is closed. */
  end(error: SessionEnded): void {
    this.connectionEvents.end()
    this.bell.end()
    this.tally.end()
    this.commits.end(error)
  }
}

/** Notes the number for operators who look for its bridge. A failed write is made up for at the next connection. */
function noteLinked(bridgeId: string, phone: string, log: Logger): void {
  BridgesOfPhone.note(bridgeId, phone).catch((error: unknown) =>
    log.warn({ error }, "the linked phone was not noted"),
  )
}

/** The identity of a session that has not logged in. */
export const nobody: Own = { jid: "", lid: "" }

/** The number of a bridge's last event row; 0 if it has none. */
async function lastEvent(bridgeId: string): Promise<number> {
  const newestFirst = query({
    TableName: tables.events,
    ConsistentRead: true,
    ScanIndexForward: false,
    Limit: 1,
    KeyConditionExpression: "pk = :bridge AND begins_with(sk, :event)",
    ExpressionAttributeValues: { ":bridge": `BRIDGE#${bridgeId}`, ":event": "EVENT#" },
  })
  for await (const row of newestFirst) return Number(row.n)
  return 0
}
