import { Choice } from "#core/bridge/choice.ts"
import { Proxy } from "#core/bridge/proxy.ts"
import type { Proxy as Proxied } from "#core/fetch/proxied.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import { Delivery } from "#core/event/delivery.ts"
import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { userOf } from "#core/jid.ts"
import { Lease } from "#core/lease/lease.ts"
import { LinkedPhone } from "#core/lease/linked-phone.ts"
import { beginning } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import type { Logger } from "#core/platform/log.ts"
import { Awaited, awaitedPrefix } from "../receive/awaited.ts"
import { Bell } from "../receive/bell.ts"
import { Commits } from "./commits.ts"
import { Chats } from "../chats/chats.ts"
import { History } from "../chats/history.ts"
import { Keeping } from "../chats/keeping.ts"
import { Transcript } from "../chats/transcript.ts"
import { CreatedGroups } from "./created-groups.ts"
import type { UnitWrite } from "./packing.ts"
import { SessionIntake } from "../receive/take.ts"
import { mapLost } from "../receive/map-received.ts"
import { nobody } from "../receive/map/chat-and-sender.ts"
import { Messages } from "./messages/messages.ts"
import { SentList } from "./messages/sent-list.ts"
import { EventOutbox } from "../receive/outbox.ts"
import { Parking } from "../receive/parked.ts"
import { readParkedAgain } from "../receive/read-parked-again.ts"
import { Pacing, pacingRow } from "../send/pacing.ts"
import { Statuses } from "../send/statuses.ts"
import { Patience } from "./patience.ts"
import { OperatorSkip } from "../receive/operator-skip.ts"
import { SessionStore, type Stored } from "./rows.ts"
import { makeAnew } from "./make-anew.ts"
import { Tally } from "./tally.ts"
import { credsOf, credsSk, forgetCreds, oldKeys, SessionVault } from "./keys.ts"
import type { Connection } from "../network/connection.ts"
import { Contacts, removeContacts } from "../people/contacts.ts"
import { SessionEnded } from "../session/session-ended.ts"
import type { Timing } from "../timing.ts"
import { LoginStanding, standingRows } from "./login-standing.ts"
import { ConnectionEvents, reportedIn, reportedRow } from "../uplink/connection-events.ts"

interface Input {
  lease: Lease.Info
  timing: Timing
  log: Logger
  /** Aborted when the session has ended. */
  ended: AbortSignal
  /** The session's connection, while it has one. */
  connection: () => Pick<Connection, "phonesOf"> | undefined
  /** The version of the running code. Each version tries again to read messages that earlier ones could not. */
  version: () => Promise<string>
  /** The customer's present choice of events. */
  choice: () => Choice.Info
  /** The store has been away for long: the socket must be closed. */
  onStoreAway: () => void
  /** The session must end. Called before any promise is rejected. */
  onEnd: (error: SessionEnded) => void
}

/** What a session reads before anything else: what earlier sessions of the bridge have left. */
interface Found {
  store: SessionStore
  patience: Patience
  keys: DataKeys.Info
  /** Rows of the session, by `sk`: credentials, standing, and what was last said of its connection. */
  rows: Map<string, Stored>
  /** Those of messages that are awaited of the phone. */
  awaited: Stored[]
  /** The number of the bridge's last event row; 0 if it has none. */
  lastEvent: number
  deliveries: Delivery.Info[]
}

/** The durable side of a session. */
export class Memory {
  readonly store: SessionStore
  readonly patience: Patience
  readonly commits: Commits
  readonly bell: Bell
  readonly messages: Messages
  readonly sentList: SentList
  readonly tally: Tally
  readonly outbox: EventOutbox
  readonly connectionEvents: ConnectionEvents
  readonly standing: LoginStanding
  readonly awaited: Awaited
  readonly pacing: Pacing
  readonly statuses: Statuses
  readonly createdGroups: CreatedGroups
  readonly transcript: Transcript
  readonly chats: Chats
  readonly keeping: Keeping
  readonly history: History
  readonly intake: SessionIntake
  /**
   * The account, if this is its sandbox: the phone is simulated and scans each code by itself. Undefined for other
   * bridges.
   */
  readonly sandboxOf: string | undefined
  readonly #input: Input
  readonly #deliveryKey: Uint8Array
  #isReadingAgain = false
  #vault: SessionVault
  #contacts: Contacts

  private constructor(input: Input, { store, patience, keys, rows, awaited, lastEvent, deliveries }: Found) {
    const { lease, timing, log, onEnd } = input
    const { bridgeId } = lease
    this.#input = input
    this.store = store
    this.patience = patience
    this.sandboxOf = keys.sandboxOf
    this.#deliveryKey = keys.delivery
    this.commits = new Commits(lease, { store, patience, withinMs: timing.commitMs, onEnd })
    this.bell = new Bell(bridgeId)
    this.messages = new Messages(store)
    this.sentList = new SentList(this)
    this.tally = new Tally({ bridgeId, everyMs: timing.tallyMs, log })
    const floor = Math.max(0, ...deliveries.map((delivery) => Delivery.floorOf(delivery)))
    const { commits, bell, messages, tally } = this
    const ofChats = { store, commits, vault: () => this.#vault, choice: input.choice, log }
    this.transcript = new Transcript(ofChats)
    this.chats = new Chats(ofChats)
    this.keeping = new Keeping(this)
    const { transcript, chats } = this
    this.history = new History({ ...ofChats, messages, transcript, chats })
    this.outbox = new EventOutbox({
      store,
      commits,
      bell,
      messages,
      tally,
      bridgeId,
      deliveryKey: keys.delivery,
      // Rows of delivered events expire.
      next: Math.max(lastEvent, floor) + 1,
      wants: (event) => Choice.wants(input.choice(), event),
      keeping: this.keeping,
    })
    const onOpened = (phone: string) => noteLinked(bridgeId, phone, log)
    const { outbox } = this
    this.connectionEvents = new ConnectionEvents(
      { store, commits, outbox, goneMs: timing.goneMs, log, onOpened },
      reportedIn(rows.get(reportedRow)),
    )
    this.standing = new LoginStanding(this, [...rows.values()])
    const creds = credsOf(rows.get(credsSk))
    this.statuses = new Statuses({
      store,
      commits,
      outbox,
      tally,
      vault: () => this.#vault,
      choice: input.choice,
      log,
    })
    this.#vault = new SessionVault(this, creds)
    this.#contacts = new Contacts({ store, commits, log }, creds.generation)
    const provenAtMs = performance.now() + timing.provenMs
    this.awaited = new Awaited(
      {
        store,
        commits,
        outbox,
        mapLost: (attrs) =>
          mapLost(attrs, this.#vault.login ?? nobody, { connection: input.connection(), log }),
      },
      awaited,
    )
    this.pacing = new Pacing(
      { store, commits, contacts: () => this.#contacts, limits: () => input.choice().pacing },
      rows.get(pacingRow),
    )
    this.createdGroups = new CreatedGroups({ store, commits })
    this.intake = new SessionIntake({
      awaited: this.awaited,
      chats,
      history: this.history,
      statuses: this.statuses,
      commits,
      messages,
      outbox,
      log,
      parking: new Parking(store),
      skip: new OperatorSkip({ lease, log, patience }),
      vault: () => this.#vault,
      contacts: () => this.#contacts,
      connection: input.connection,
      ignores: (chat) => Choice.ignores(input.choice(), chat),
      followsGroup: (group) => Choice.followsGroup(input.choice(), group),
      forgetsSome: () => input.choice().events !== undefined,
      // At first a suspect takes one message at a time. The message that brings it down is then the first one next time,
      // and can be skipped.
      isCareful: () => Lease.isSuspect(lease) && performance.now() < provenAtMs,
    })
    // The session that promised to ring may have died first.
    if (deliveries.some((delivery) => lastEvent > delivery.head || delivery.due > 0)) this.bell.ringAnew()
  }

  /** Whether the customer wants to know what becomes of messages to this chat. */
  follows(chat: string): boolean {
    return this.statuses.follows(chat)
  }

  /** Reads what earlier sessions of the bridge left. @throws SessionEnded */
  static async open(input: Input): Promise<Memory> {
    const { bridgeId } = input.lease
    const late = { afterMs: input.timing.storeAwayMs, call: input.onStoreAway }
    const patience = new Patience(late, input.ended)
    const keys = await patience.read(() => DataKeys.get(bridgeId))
    if (!keys) throw new SessionEnded("the bridge is deleted")
    const store = new SessionStore({ bridgeId, sessionKey: keys.session, patience })
    const [found, awaited, lastEvent, deliveries] = await Promise.all([
      store.getAll([credsSk, reportedRow, pacingRow, ...standingRows]),
      store.list(awaitedPrefix),
      patience.read(() => lastEventOf(bridgeId)),
      patience.read(() => Delivery.all(bridgeId)),
    ])
    const rows = new Map(found.map((row) => [row.sk, row]))
    const memory = new Memory(input, { store, patience, keys, rows, awaited, lastEvent, deliveries })
    if (input.lease.anew) await memory.#makeAnew()
    return memory
  }

  async #makeAnew(): Promise<void> {
    const { store, commits, patience, vault } = this
    const { lease, log } = this.#input
    try {
      await makeAnew({ lease, store, commits, patience, vault })
      log.warn("the session's keys came from a backup: what encrypts was made anew")
    } catch (error) {
      // Nobody gets this memory to end it.
      this.end(new SessionEnded("the session's keys could not be made anew", { cause: error }))
      throw error
    }
  }

  /** The bridge's way to the network; undefined: the direct one. */
  get proxy(): Proxied | undefined {
    const { proxy } = this.#input.choice()
    const { bridgeId } = this.#input.lease
    return proxy ? { url: Proxy.opened(proxy, bridgeId, this.#deliveryKey), share: bridgeId } : undefined
  }

  /** The number of the phone that is linked, as its lease keeps it. */
  get linkedPhone(): Pick<Lease.Reported, "phone" | "phone_hash"> {
    const phone = userOf(this.vault.login?.jid ?? "")
    if (phone === "") return {}
    const sealed = LinkedPhone.sealed(phone, this.#input.lease.bridgeId, this.#deliveryKey)
    return { phone: sealed, phone_hash: BridgesOfPhone.hashOf(phone) }
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
    const { store, commits, intake } = this
    await readParkedAgain({ store, commits, intake, version: await this.#input.version() })
  }

  /** The login has ended. `report` commits the writes it is given together with the customer's event. */
  async forget(report: (writes: UnitWrite[]) => Promise<void>): Promise<void> {
    const { store, commits } = this
    const generation = this.#vault.generation + 1
    await this.awaited.giveUpAll()
    await report([forgetCreds(store, generation), ...this.standing.forget()])
    this.#vault = new SessionVault(this, { generation, creds: undefined })
    this.#contacts = new Contacts({ store, commits, log: this.#input.log }, generation)
    await commits.write([...(await removeContacts(store)), ...(await oldKeys(store, generation))])
  }

  /** Resolves when everything that was begun is durable, and somebody is due to deliver it. */
  async settled(): Promise<void> {
    await this.statuses.settled()
    await this.outbox.settled()
    await this.#contacts.settled()
    await this.commits.settled()
    await this.bell.quiet()
    await this.tally.written()
  }

  /** The session has ended; its socket is closed. */
  end(error: SessionEnded): void {
    this.connectionEvents.end()
    this.statuses.end(error)
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

/** The number of a bridge's last event row; 0 if it has none. */
async function lastEventOf(bridgeId: string): Promise<number> {
  const newestFirst = beginning(tables.events, `BRIDGE#${bridgeId}`, "EVENT#", {
    ScanIndexForward: false,
    Limit: 1,
  })
  for await (const row of newestFirst) return Number(row.n)
  return 0
}
