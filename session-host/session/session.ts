import { isDeepStrictEqual } from "node:util"
import type { Choice } from "#core/bridge/choice.ts"
import { sessionUnavailable } from "#core/error.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { Lease } from "#core/lease/lease.ts"
import { toJid } from "#core/message/jid.ts"
import type { Logger } from "#core/platform/log.ts"
import { Slots } from "#core/platform/slots.ts"
import { isStoreFault } from "#core/store/store.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import { codeVersion } from "../code-version.ts"
import { mayWaitMs, within } from "../concurrency/call-deadline.ts"
import { Condition } from "../concurrency/condition.ts"
import { sessionScope } from "../concurrency/session-scope.ts"
import type { UploadedFile } from "../content/compose.ts"
import { Fenced, RuleBroken, SessionEnded } from "../memory/session-ended.ts"
import type { Connection, KeysAnew } from "../network/connection.ts"
import { startStoring } from "../own-store/own-store.ts"
import { askForBlockedPeople } from "../people/blocked.ts"
import type { Contacts } from "../people/contacts.ts"
import { startAskingAgain } from "../receive/awaited.ts"
import { newSay, type Say } from "../say-in-log.ts"
import type { Plan } from "../send/plans.ts"
import { startSendingPlans } from "../send/send-plans.ts"
import { type SendAnswer, Sending, type Wish } from "../send/sending.ts"
import type { Timing } from "../timing.ts"
import type { Connect } from "../uplink/dialler.ts"
import { waitForHousehold } from "../uplink/link-sandbox.ts"
import type { Linking } from "../uplink/linking.ts"
import { Uplink } from "../uplink/uplink.ts"
import { type ComposeFor, connectedSession, type ConnectedSession } from "./connected-session.ts"
import { startDailyPresence } from "./daily-presence.ts"
import { LeaseNotes } from "./lease-notes.ts"
import { linkedPhoneOf, type Memory, openMemory } from "./memory.ts"
import { statusOf } from "./status.ts"

interface Input {
  lease: Lease.Info
  connect: Connect
  keysAnew: KeysAnew
  timing: Timing
  log: Logger
  /** Sends a plan of this session as a call would. @returns when the network had it. @throws ApiError */
  sendPlanned: (session: Session, plan: Plan) => Promise<number>
  /** Whether the host may have sockets now: it has beaten recently. */
  mayConnect: () => boolean
  /**
   * Called once, when the socket is closed and nothing more will be written. `failed`: the session ended by
   * an error of its own.
   */
  onEnd: (end: { failed: boolean }) => void
}

/** The parts that exist once the session has read its memory. */
interface SessionParts {
  memory: Memory
  sending: Sending
  uplink: Uplink
}

/** One bridge on this host, for as long as the host holds its lease: its memory, its sends, its uplink. */
export class Session {
  readonly lease: Lease.Info
  readonly notes: LeaseNotes
  /** How many logins in a row had not stayed when the session was stopped. */
  plannedLogins: number | undefined
  readonly #input: Input
  readonly #log: Logger
  readonly #say: Say
  readonly #ended = new AbortController()
  readonly #changes = new Condition()
  /** Keys of the media that this session has put into the bucket, for as long as they count as cached. */
  readonly storedMedia = boundedCache<true>(10_000, { ttl: StoredMedia.cachedForMs })
  /** The parts that outlive the session's connections. */
  readonly #lasting = {
    /** Contract, "Sent files": two at once per bridge. */
    media: new Slots(
      { most: 2 },
      {
        ms: 10_000,
        refusal: () => sessionUnavailable("too many files are being transferred at once: try again"),
      },
    ),
    /** The network keeps files much longer. */
    sentFiles: boundedCache<UploadedFile>(100, { ttl: 24 * 3600 * 1000 }),
  }
  #parts: SessionParts | undefined
  #stopping = false
  #choice: Choice.Info
  /** Functions that end the session's periodic work. */
  #ends: (() => void)[] = []

  constructor(input: Input) {
    this.#input = input
    this.lease = input.lease
    this.#choice = input.lease.choice
    this.#log = input.log.child({ bridgeId: input.lease.bridgeId, epoch: input.lease.epoch })
    this.#say = newSay(input.lease.bridgeId, this.#log)
    this.notes = new LeaseNotes(input.lease, input.timing, this.#log)
    this.#changes.watch(() => {
      if (!this.#parts || this.#isOver) return
      const { memory, uplink } = this.#parts
      const [restriction] = memory.standing.restrictions
      const { unlinked } = uplink.linking
      const about = { ...uplink.refusal, ...(restriction && { restriction }), ...(unlinked && { unlinked }) }
      this.notes.report(uplink.status, about, () => linkedPhoneOf(memory))
    })
  }

  /**
   * Takes up where the last owner left off, then connects if a phone is linked. If that fails, the session
   * ends.
   */
  async start(): Promise<void> {
    try {
      await sessionScope.run({ fail: (error) => this.fail(error) }, async () => {
        const memory = await this.#remember()
        const { connect, timing, mayConnect } = this.#input
        const uplink = new Uplink({
          held: this.lease,
          memory,
          connect,
          timing,
          log: this.#log,
          say: this.#say,
          changes: this.#changes,
          mayConnect,
          isOver: () => this.#isOver,
          onError: (error) => this.fail(error),
        })
        const sending = new Sending({ memory, uplink, log: this.#log })
        this.#parts = { memory, sending, uplink }
        this.#changes.notify()
        this.notes.start()
        this.#say("info", uplink.linking.isPaired ? "session started" : "session started, no phone is linked")
        uplink.start()
        this.#ends = this.#chores(this.#parts)
      })
    } catch (error) {
      this.fail(error)
    }
  }

  /** Whether no phone is linked and no customer has called for this long. */
  isIdleFor(ms: number): boolean {
    return this.#parts !== undefined && this.#parts.uplink.linking.isIdle && this.notes.isUnusedFor(ms)
  }

  /** Whether the session is as it should be: connected, or not linked to a phone. */
  get isUp(): boolean {
    return this.#parts?.uplink.isUp ?? false
  }

  /** How long the oldest change has been waiting to become durable, in ms. */
  get unkeptMs(): number {
    return this.#parts?.memory.commits.oldestMs ?? 0
  }

  /** The number of cached entries, for `debug/stats`. */
  get cached(): number {
    return (this.#parts?.memory.recipients.size ?? 0) + (this.#parts?.memory.vault.cached ?? 0)
  }

  /** @throws ApiError `session_unavailable` */
  async status(): Promise<ReturnType<typeof statusOf>> {
    return statusOf(await this.#started())
  }

  /** The link to its phone. @throws ApiError `session_unavailable` */
  async linking(): Promise<Linking> {
    return (await this.#started()).uplink.linking
  }

  /** Reconnects, once the sends under way have ended. @throws as `Uplink.restart` */
  async restart(): Promise<void> {
    const { sending, uplink } = await this.#started()
    await sending.settled(this.#input.timing.restartMs)
    await this.notes.noteRestart()
    await uplink.restart()
  }

  /** The people whom the session knows. @throws ApiError `not_paired`, `session_unavailable` */
  async contacts(): Promise<Contacts> {
    const { memory, uplink } = await this.#started()
    await uplink.linking.paired()
    if (memory.sandboxOf) await waitForHousehold(memory.contacts, mayWaitMs(this.#input.timing.connectingMs))
    return memory.contacts
  }

  /** Reads the lease again, since the caller says that it may have changed. */
  async lookAtLease(): Promise<void> {
    const { bridgeId, host, epoch } = this.lease
    const lease = await Lease.get(bridgeId)
    if (lease?.host !== host || lease.epoch !== epoch) return this.abandon()
    const isOtherWay = lease.choice.proxy !== this.#choice.proxy
    this.#choice = lease.choice
    this.#parts?.memory.past.copyIfWanted()
    if (!isOtherWay || !this.#parts) return
    this.#say(
      "info",
      lease.choice.proxy ? "session goes through another proxy" : "session goes through no proxy",
    )
    await this.#parts.sending.settled(this.#input.timing.restartMs)
    if (!this.#isOver) this.#parts.uplink.dialAnew()
  }

  /** Whether a copy of the lease, which may be old, holds another choice than this session's. */
  isAskedForOthers(seen: Lease.Info): boolean {
    return !isDeepStrictEqual(seen.choice, this.#choice)
  }

  /**
   * The parts of the memory that commands read, whether or not the session is connected.
   * @throws ApiError `session_unavailable`
   */
  async memory(): Promise<
    Pick<
      Memory,
      | "messages"
      | "sentList"
      | "sentNews"
      | "statuses"
      | "vault"
      | "transcript"
      | "store"
      | "chats"
      | "handovers"
      | "contacts"
      | "createdGroups"
      | "history"
      | "plans"
      | "jobs"
      | "deliveryKey"
    >
  > {
    return (await this.#started()).memory
  }

  /**
   * Asks something of the network. A question that the end of the connection left open may be asked again.
   * @throws ApiError `not_paired`, `network_rejected`, `session_unavailable`, and what `work` throws
   */
  async use<Result>(work: (connected: ConnectedSession) => Promise<Result>): Promise<Result> {
    const { memory, uplink } = await this.#started()
    const connection = await uplink.ready()
    return await uplink.during(connection, () => work(this.#connected(connection, memory)))
  }

  /** Sends a message under an id that the caller chose. @throws as `Sending.send` */
  async send(wish: Omit<Wish, "prepare"> & { composeFor: ComposeFor }): Promise<SendAnswer> {
    const { memory, sending } = await this.#started()
    const prepare = (connection: Connection) => wish.composeFor(this.#connected(connection, memory))
    return await sending.send({ ...wish, prepare })
  }

  /** Closes the socket until `connectAgain`: the host has not beaten for too long. */
  disconnect(): void {
    this.#parts?.uplink.disconnect()
  }

  connectAgain(): void {
    this.#parts?.uplink.dial()
  }

  /**
   * Ends in good order: takes no more calls, finishes sends, closes without logging out, and writes what was
   * begun.
   */
  async stop(): Promise<void> {
    if (this.#isOver) return
    this.#stopping = true
    const { finishMs } = this.#input.timing
    await this.#parts?.sending.settled(finishMs)
    this.plannedLogins = this.#parts?.uplink.logins
    this.#parts?.uplink.hangUp()
    await within(finishMs, this.#parts?.memory.settled() ?? Promise.resolve(), () => {})
    this.#end(new SessionEnded("the session was stopped"), false)
  }

  /** Ends the session by an error that was not caught, or that its start failed with. */
  fail(error: unknown): void {
    const ended = error instanceof SessionEnded
    this.#end(ended ? error : new SessionEnded("an error of the session itself", { cause: error }))
  }

  /** Ends at once, since the lease is not ours. */
  abandon(): void {
    this.#end(new Fenced())
  }

  get #isOver(): boolean {
    return this.#stopping || this.#ended.signal.aborted
  }

  #chores({ memory, sending, uplink }: SessionParts): (() => void)[] {
    const connection = () => (uplink.status === "connected" ? uplink.connection : undefined)
    const onError = (error: unknown) => {
      if (!(error instanceof SessionEnded)) this.#log.warn({ error }, "a chore of the session failed")
    }
    const { timing } = this.#input
    const about = { connection, onError, say: this.#say }
    return [
      startDailyPresence({
        ...about,
        bridgeId: this.lease.bridgeId,
        timing,
        standing: memory.standing,
        isWanted: () => this.#choice.dailyPresence,
      }),
      startAskingAgain({ ...about, awaited: memory.awaited, firstMs: timing.awaitedMs }),
      startStoring({ ...about, ownStore: memory.ownStore, eachMs: timing.storeAgainMs }),
      startSendingPlans({
        ...about,
        plans: memory.plans,
        jobs: memory.jobs,
        store: memory.store,
        login: memory.login,
        isBusy: () => sending.isBusy,
        send: (plan) => this.#input.sendPlanned(this, plan),
        blocked: async () => {
          const people = await this.use(({ connection: open }) => askForBlockedPeople(open))
          return new Set(people.flatMap(({ jid, phone }) => (phone ? [jid, toJid(phone)] : [jid])))
        },
        isRestricted: () => memory.standing.restrictions.length > 0,
        gapMs: () => this.#choice.pacing?.gap_ms ?? 0,
      }),
    ]
  }

  async #remember(): Promise<Memory> {
    return await openMemory({
      lease: this.lease,
      timing: this.#input.timing,
      log: this.#log,
      ended: this.#ended.signal,
      version: codeVersion,
      keysAnew: this.#input.keysAnew,
      connection: () => this.#parts?.uplink.connection,
      choice: () => this.#choice,
      onStoreAway: () => this.#storeAway(),
      onEnd: (error) => this.#end(error),
    })
  }

  /** The session's parts, once it has read its memory. @throws ApiError `session_unavailable` */
  async #started(): Promise<SessionParts> {
    const parts = await this.#changes.until(() => this.#parts, mayWaitMs(this.#input.timing.connectingMs))
    if (!parts || this.#isOver) throw sessionUnavailable()
    return parts
  }

  #connected(connection: Connection, memory: Memory): ConnectedSession {
    const { bridgeId } = this.lease
    return connectedSession(connection, memory, { bridgeId, ...this.#lasting })
  }

  /**
   * Closes the socket, since the store has not answered for long: incoming messages could not be kept.
   * Pending writes go on waiting.
   */
  #storeAway(): void {
    const uplink = this.#parts?.uplink
    if (!uplink?.connection) return
    this.#log.error("the store does not answer: the socket is closed")
    uplink.disconnect()
    uplink.dial()
  }

  /**
   * @param failed whether the session ended by an error of its own, which counts against it, and not because
   * the lease is lost or the store is away
   */
  #end(error: SessionEnded, failed = isOwnFault(error)): void {
    if (this.#ended.signal.aborted) return
    this.#parts?.uplink.end()
    for (const end of this.#ends) end()
    this.#ended.abort()
    this.notes.end()
    this.#parts?.memory.end(error)
    this.#changes.notify()
    if (failed) this.#say("error", "session ended because of an internal error", { fields: { error } })
    else this.#say("info", "session ended", { fields: { why: error.message } })
    this.#input.onEnd({ failed })
  }
}

function isOwnFault(error: SessionEnded): boolean {
  if (error instanceof RuleBroken) return true
  return !(error instanceof Fenced) && error.cause !== undefined && !isStoreFault(error.cause)
}
