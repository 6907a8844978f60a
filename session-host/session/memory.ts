import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { Proxy } from "#core/bridge/proxy.ts"
import { Bell } from "#core/event/bell.ts"
import { Delivery } from "#core/event/delivery.ts"
import type { Proxy as Proxied } from "#core/fetch/proxy-tunnel.ts"
import type { Lease } from "#core/lease/lease.ts"
import { LinkedPhone } from "#core/lease/linked-phone.ts"
import { userOf } from "#core/message/jid.ts"
import { Chats } from "../chats/chats.ts"
import { History } from "../chats/keep-history.ts"
import { MessageKeeping } from "../chats/keep-messages.ts"
import { Transcript } from "../chats/transcript.ts"
import { CreatedGroups } from "../memory/created-groups.ts"
import { LoginStanding } from "../memory/login-standing.ts"
import { MessageCount } from "../memory/message-count.ts"
import { Messages } from "../memory/messages/messages.ts"
import { SentList } from "../memory/messages/sent-list.ts"
import type { UnitWrite } from "../memory/next-batch.ts"
import { credsOf, credsSk, emptyCredsRow, removalsOfOldKeys, SessionVault } from "../memory/vault.ts"
import { Contacts, removalsOfContacts } from "../people/contacts.ts"
import { Recipients } from "../people/recipients.ts"
import { Awaited } from "../receive/awaited.ts"
import { SessionIntake } from "../receive/intake.ts"
import { EventOutbox } from "../receive/outbox.ts"
import { readParkedAgain } from "../receive/read-parked-again.ts"
import { Pacing, pacingRow } from "../send/pacing.ts"
import { Statuses } from "../send/statuses.ts"
import { ConnectionEvents, reportedRow } from "../uplink/connection-events.ts"
import { findLeftBehind, type LeftBehind, type MemoryInput, Ground } from "./ground.ts"
import { makeAnew } from "./make-anew.ts"
import { SessionEnded } from "./session-ended.ts"

/**
 * The durable side of a session. Each part takes what it needs from here, and its first row where it is read
 * at once.
 */
export class Memory extends Ground {
  readonly bell = new Bell(this.bridgeId)
  readonly messages = new Messages(this.store, () => this.vault.login?.jid)
  readonly sentList = new SentList(this)
  readonly messageCount = new MessageCount(this)
  readonly transcript = new Transcript(this)
  readonly chats = new Chats(this)
  readonly keeping = new MessageKeeping(this)
  readonly history = new History(this)
  readonly outbox = new EventOutbox(this, this.#lastEvent + 1)
  readonly connectionEvents = new ConnectionEvents(this, this.found.rows.get(reportedRow))
  readonly standing = new LoginStanding(this, [...this.found.rows.values()])
  readonly statuses = new Statuses(this)
  readonly awaited = new Awaited(this, this.found.awaited)
  readonly pacing = new Pacing(this, this.found.rows.get(pacingRow))
  readonly recipients = new Recipients()
  readonly createdGroups = new CreatedGroups(this)
  readonly intake = new SessionIntake(this)
  #vault = new SessionVault(this, credsOf(this.found.rows.get(credsSk)))
  #contacts = new Contacts(this, this.#vault.generation)
  #isReadingAgain = false

  /** Reads what earlier sessions of the bridge left. @throws SessionEnded */
  static async open(given: MemoryInput): Promise<Memory> {
    const memory = new Memory(given, await findLeftBehind(given))
    if (given.lease.anew) await memory.#makeAnew()
    return memory
  }

  private constructor(given: MemoryInput, found: LeftBehind) {
    super(given, found)
    const { deliveries, lastEvent } = found
    // The session that promised to ring may have died first.
    if (deliveries.some((delivery) => lastEvent > delivery.head || delivery.due > 0)) this.bell.ringAnew()
    // The parts have read these rows. Credentials must not outlive their login here.
    found.rows.clear()
    found.awaited.length = 0
  }

  /** The number of the bridge's last event. Rows of delivered events expire. */
  get #lastEvent(): number {
    const { lastEvent, deliveries } = this.found
    return Math.max(lastEvent, ...deliveries.map((delivery) => Delivery.highestUsed(delivery)))
  }

  async #makeAnew(): Promise<void> {
    try {
      const { lease, store, commits, patience, vault } = this
      await makeAnew({ lease, store, commits, patience, vault, keysAnew: this.given.keysAnew })
      this.log.warn("the session's keys came from a backup: what encrypts was made anew")
    } catch (error) {
      // No caller gets this memory, so nobody else can end it.
      this.end(new SessionEnded("the session's keys could not be made anew", { cause: error }))
      throw error
    }
  }

  /** The bridge's way to the network; undefined: the direct one. */
  get proxy(): Proxied | undefined {
    const { choice, bridgeId, deliveryKey } = this
    if (!choice.proxy) return undefined
    return { url: Proxy.opened(choice.proxy, bridgeId, deliveryKey), share: bridgeId }
  }

  /** The number of the phone that is linked, as its lease keeps it. */
  get linkedPhone(): Pick<Lease.Reported, "phone" | "phone_hash"> {
    const phone = userOf(this.vault.login?.jid ?? "")
    if (phone === "") return {}
    const sealed = LinkedPhone.sealed(phone, this.bridgeId, this.deliveryKey)
    return { phone: sealed, phone_hash: BridgesOfPhone.hashOf(phone) }
  }

  /** The keys of the present login. */
  get vault(): SessionVault {
    return this.#vault
  }

  /** The people whom the login knows. */
  get contacts(): Contacts {
    return this.#contacts
  }

  /**
   * Tries once more, one time per session, to read messages that no mapper could read. Call it when
   * everything else is under way.
   * @throws SessionEnded
   */
  async readParkedAgain(): Promise<void> {
    if (this.#isReadingAgain) return
    this.#isReadingAgain = true
    const { store, commits, intake } = this
    await readParkedAgain({ store, commits, intake, version: await this.given.version() })
  }

  /** The login has ended. `report` commits the writes it is given together with the customer's event. */
  async forget(report: (writes: UnitWrite[]) => Promise<void>): Promise<void> {
    const { store, commits } = this
    const generation = this.#vault.generation + 1
    await this.awaited.giveUpAll()
    await report([emptyCredsRow(store, generation), ...this.standing.forget()])
    this.#vault = new SessionVault(this, { generation, creds: undefined })
    this.#contacts = new Contacts(this, generation)
    await commits.write([
      ...(await removalsOfContacts(store)),
      ...(await removalsOfOldKeys(store, generation)),
    ])
  }

  /** Resolves when everything that was begun is durable, and somebody is due to deliver it. */
  async settled(): Promise<void> {
    await this.statuses.settled()
    await this.outbox.settled()
    await this.#contacts.settled()
    await this.commits.settled()
    await this.bell.quiet()
    await this.messageCount.written()
  }

  /** The session has ended; its socket is closed. */
  end(error: SessionEnded): void {
    this.connectionEvents.end()
    this.statuses.end(error)
    this.bell.end()
    this.messageCount.end()
    this.commits.end(error)
  }
}
