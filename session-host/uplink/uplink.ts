import type { PasskeyAssertion } from "#core/contract/passkey.ts"
import type { SessionStatus, Status } from "#core/contract/session.ts"
import type { z } from "@hono/zod-openapi"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { iso, nowMs } from "#core/platform/clock.ts"
import { ApiError, networkUnreachable, sessionUnavailable } from "#core/error.ts"
import type { Lease } from "#core/lease/lease.ts"
import { Metrics } from "#core/platform/metrics.ts"
import type { Condition } from "../concurrency/condition.ts"
import { type Connect, Dialler } from "./dialler.ts"
import { RecentLogins } from "./recent-logins.ts"
import { type At, objections } from "../receive/map/connection.ts"
import { appendStanza, learnPeople } from "./people-and-stanzas.ts"
import type { Logger } from "#core/platform/log.ts"
import type { Memory } from "../memory/memory.ts"
import { ackedLate } from "../memory/messages/sent.ts"
import type { Connection, End, Happening, Objection } from "../network/connection.ts"
import { newNoticing } from "./notices.ts"
import { type Code, Pairing } from "./pairing.ts"
import { alreadyPaired, notPaired, passkeyNotAwaited, refusalOf, takenOver } from "../network/refusals.ts"
import { showCodeToHousehold } from "./link-sandbox.ts"
import { SessionEnded } from "../session/session-ended.ts"
import type { Timing } from "../timing.ts"
import { mayWaitMs } from "../concurrency/call-deadline.ts"

interface Input {
  held: Lease.Info
  memory: Memory
  connect: Connect
  timing: Timing
  log: Logger
  /** Notified of every change here. */
  changes: Condition
  /** Whether the host may have sockets now: it has beaten recently. */
  mayConnect: () => boolean
  /** Whether the session is ending. */
  isOver: () => boolean
  /** The session cannot go on. */
  onError: (error: unknown) => void
}

/** How long a session that was asked for a passkey stays connected, longer than any request lives, ms. */
const passkeyLastsMs = 6 * 60_000

const tooOften = "its last five logins or more did not last, and numbers that keep logging in may be banned"

/** A session's place on the network, across all the connections that it dials. */
export class Uplink {
  readonly #input: Input
  readonly #memory: Memory
  readonly #log: Logger
  readonly #pairing: Pairing
  readonly #dialler: Dialler
  readonly #logins: RecentLogins
  readonly #notice: ReturnType<typeof newNoticing>
  /** How many stanzas may have become events. */
  #stanzas = 0
  #open = false
  #lost = false
  #passkeyRequired = false
  #passkey: z.infer<typeof SessionStatus>["passkey"]
  #objection: Objection | undefined

  constructor(input: Input) {
    this.#input = input
    this.#memory = input.memory
    this.#log = input.log
    this.#pairing = new Pairing(input.timing.pairingMs, () => this.#pairingOver())
    this.#logins = new RecentLogins({
      lease: input.held,
      stayedMs: input.timing.stayedMs,
      write: (work) => input.memory.patience.read(work),
      onError: (error) => input.log.warn({ error, what: "stayed" }, "a note in the lease was not written"),
    })
    this.#notice = newNoticing({ ...input, bridgeId: input.held.bridgeId })
    this.#dialler = new Dialler({
      connect: input.connect,
      log: input.log,
      mayDial: () => this.#mayDial(),
      prepare: async () => {
        await input.memory.vault.settled()
        await input.memory.commits.prove()
        if (this.isPaired) await this.#logins.begin()
        return input.memory
      },
      waitMs: () => (this.isPaired ? this.#logins.waitMs : 0),
      onHappening: (happening) => this.#take(happening),
      onError: input.onError,
    })
  }

  get connection(): Connection | undefined {
    return this.#dialler.connection
  }

  get isPaired(): boolean {
    return this.#memory.vault.login !== undefined
  }

  /** Whether it is as it should be: connected, or not linked to a phone. */
  get isUp(): boolean {
    return this.#open || !this.isPaired
  }

  /** Whether no phone is linked and nobody is linking one. A sandbox always counts as idle: nobody misses anything. */
  get isIdle(): boolean {
    if (this.#linksItself) return true
    return !this.isPaired && !this.#pairing.isAsked
  }

  get status(): z.infer<typeof Status> {
    if (!this.isPaired && this.#linksItself) return "connecting"
    if (!this.isPaired) return this.#passkeyRequired ? "passkey_required" : "unpaired"
    if (this.#memory.standing.isReplaced) return "replaced"
    if (this.#open) return "connected"
    return this.#lost ? "disconnected" : "connecting"
  }

  /** The network's request for a passkey, while it waits for one. */
  get passkey(): z.infer<typeof SessionStatus>["passkey"] {
    return this.#passkey
  }

  /** Why the network refused the last login, until it shows a code or takes a login. */
  get objection(): Objection | undefined {
    return this.#objection
  }

  /** How many logins in a row did not stay, if the session ends now in a planned way. */
  get logins(): number {
    return this.#logins.unlessPlanned
  }

  /** Connects, if a phone is linked or somebody wants to link one. */
  dial(): void {
    this.#dialler.dial()
  }

  /** Dials for the first time. If no connection comes for some time, the customer is told so. */
  start(): void {
    if (this.isPaired) this.#memory.connectionEvents.gone(this.#at)
    this.dial()
    this.#noteLoginWait()
  }

  /** How long the session waits since it has logged in too often, in whole seconds; 0 if it waits for something else. */
  get #loginWaitS(): number {
    const dueMs = this.#dialler.waitsMs
    const isForLogins = this.isPaired && this.#logins.waitMs > 0 && dueMs < this.#logins.waitMs + 1000
    return isForLogins ? Math.ceil(dueMs / 1000) : 0
  }

  #noteLoginWait(): void {
    const waitS = this.#loginWaitS
    if (waitS > 0)
      BridgeLog.append(
        this.#input.held.bridgeId,
        "warn",
        `the session waits ${waitS} s before it logs in: ${tooOften}`,
      )
  }

  /**
   * The current code that links a phone; dials for it if necessary. @throws ApiError `already_paired`,
   * `session_unavailable`
   */
  async code(): Promise<Code> {
    if (this.isPaired) throw alreadyPaired()
    this.#pairing.ask()
    // That phone was not linked. Perhaps another one is, on a new connection.
    if (this.#passkeyRequired) this.hangUp()
    this.#passkeyRequired = false
    this.dial()
    const code = await this.#pairing.code(this.#input.timing.codeMs)
    if (this.isPaired) throw alreadyPaired()
    if (code) return code
    if (this.#lost && this.#objection) throw sessionUnavailable(objections[this.#objection], 60)
    throw this.#lost
      ? networkUnreachable()
      : sessionUnavailable("the network has not given a code yet: try again")
  }

  /**
   * A code that links the phone of this number (digits) once it is typed there; dials for it if necessary.
   * @throws ApiError `already_paired`, `network_rejected`, `session_unavailable`
   */
  async linkCode(phone: string): Promise<string> {
    // The network accepts a request for a link code at the point where it would show a QR code.
    await this.code()
    const { connection } = this
    if (!connection) throw sessionUnavailable()
    return await this.during(connection, () => connection.linkCode(phone))
  }

  /**
   * Answers the network's request for a passkey. @throws ApiError `already_paired`, `passkey_not_awaited`,
   * `passkey_refused`, `network_rejected`, `session_unavailable`
   */
  async takePasskey(assertion: PasskeyAssertion): Promise<void> {
    if (this.isPaired) throw alreadyPaired()
    const { connection } = this
    if (!connection || !this.#passkey) throw passkeyNotAwaited()
    await this.during(connection, () => connection.takePasskey(assertion))
  }

  /**
   * Unlinks the phone, if one is linked. The credentials are gone when this resolves.
   * @throws ApiError `session_unavailable` when the network cannot be told now
   */
  async logout(): Promise<void> {
    if (!this.isPaired) return
    // Another place is logged in with these credentials, so the network cannot be told from here.
    if (this.#memory.standing.isReplaced) await this.#wasLoggedOut()
    else await (await this.ready()).logout()
    const { changes, timing } = this.#input
    const isOut = await changes.until(() => (this.isPaired ? undefined : true), timing.finishMs)
    if (!isOut) throw sessionUnavailable("the session is being logged out: try again")
  }

  /**
   * Reconnects with the same credentials, even after another place took over, which only a customer may undo. Resolves
   * when it is connected, or trying to.
   * @throws ApiError `session_unavailable`
   */
  async restart(): Promise<void> {
    const { changes, timing, isOver } = this.#input
    this.#log.info("session restarts")
    BridgeLog.append(this.#input.held.bridgeId, "info", "session restarts")
    await this.#memory.standing.setReplaced(false)
    this.#dialler.forgetBan()
    this.hangUp()
    this.start()
    changes.notify()
    await changes.until(() => this.isUp || isOver() || undefined, mayWaitMs(timing.connectingMs))
    if (isOver()) throw sessionUnavailable()
  }

  /** Waits for a phone that links itself. @throws ApiError `not_paired`, `session_unavailable` */
  async paired(): Promise<void> {
    const { changes, timing } = this.#input
    await changes.until(
      () => this.isPaired || !this.#linksItself || undefined,
      mayWaitMs(timing.connectingMs),
    )
    if (this.isPaired) return
    throw this.#linksItself ? sessionUnavailable("the session is connecting: try again") : notPaired()
  }

  /** The connection, once it is open. @throws ApiError `not_paired`, `session_unavailable` */
  async ready(): Promise<Connection> {
    const { changes, timing, isOver } = this.#input
    const connection = await changes.until(() => {
      if (isOver()) throw sessionUnavailable()
      if (!this.isPaired && this.#linksItself) return undefined
      if (!this.isPaired) throw notPaired()
      if (this.#memory.standing.isReplaced) throw takenOver()
      return this.#open ? this.connection : undefined
    }, mayWaitMs(timing.connectingMs))
    if (connection) return connection
    const waitS = this.#loginWaitS
    throw waitS > 0
      ? sessionUnavailable(
          `the session logs in again in ${waitS} s, since ${tooOften}: try again then`,
          waitS,
        )
      : sessionUnavailable("the session is connecting: try again")
  }

  /** @throws ApiError for the network's answer or silence, and what `work` throws */
  async during<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal) throw refusal
      if (error instanceof ApiError || this.connection === connection) throw error
      this.#log.info({ error }, "the connection ended during a call")
      throw sessionUnavailable()
    }
  }

  /** Closes the socket until it is dialled again: the host has not beaten for too long, or the store is away. */
  disconnect(): void {
    if (!this.connection) return
    this.hangUp()
    this.#goneFor({ reason: "lost" })
    this.#input.changes.notify()
  }

  /** The socket is closed when this returns. */
  hangUp(): void {
    this.#open = false
    this.#passkey = undefined
    this.#pairing.hide()
    this.#logins.closed()
    this.#dialler.hangUp()
  }

  /** Ends it for good. */
  end(): void {
    this.hangUp()
    this.#pairing.end()
  }

  get #at(): At {
    return { epoch: this.#input.held.epoch, connection: this.#dialler.dialled }
  }

  /** A linked session always connects; an unlinked one only while a customer wants to link a phone. */
  #mayDial(): boolean {
    if (this.#input.isOver() || !this.#input.mayConnect()) return false
    if (this.isPaired) return !this.#memory.standing.isReplaced
    return this.#pairing.isAsked || this.#linksItself
  }

  /** Whether this is a sandbox bridge: nobody else could scan its code. */
  get #linksItself(): boolean {
    return this.#memory.sandboxOf !== undefined
  }

  #take(happening: Happening): void {
    switch (happening.kind) {
      case "qr":
        this.#lost = false
        this.#objection = undefined
        this.#pairing.show(happening)
        this.#showToHousehold(happening.text)
        break
      case "passkey_required":
        this.#passkeyRequired = true
        this.#passkey = happening.request && {
          options: happening.request.options,
          expires_at: happening.request.expiresAt,
        }
        this.#pairing.hide()
        this.#pairing.ask(passkeyLastsMs)
        this.#log.info("the account wants a passkey")
        BridgeLog.append(this.#input.held.bridgeId, "info", "the account wants a passkey before it is linked")
        break
      case "paired":
        this.#pairing.end()
        this.#passkeyRequired = false
        this.#passkey = undefined
        this.#logins.forget()
        this.#log.info("session paired")
        BridgeLog.append(this.#input.held.bridgeId, "info", "session paired")
        break
      case "open":
        this.#opened(happening.me.phone)
        break
      case "stanza":
        appendStanza(happening.stanza, { ...this.#at, stanza: ++this.#stanzas }, this.#heard)
          .catch(this.#dropped)
          .finally(happening.onTaken)
        break
      case "people":
        // Their messages go on in any case: the same people would fail again at each connection.
        learnPeople(happening.people, this.#heard).catch(this.#dropped).finally(happening.onLearned)
        break
      case "notice":
        this.#notice(happening.notice).catch(this.#dropped)
        break
      case "acknowledged":
        ackedLate(this.#memory, happening.messageId, happening.timestamp).catch(this.#dropped)
        break
      case "closed":
        this.#closed(happening).catch(this.#input.onError)
        break
    }
    this.#input.changes.notify()
  }

  #opened(phone: string): void {
    this.#open = true
    this.#lost = false
    this.#objection = undefined
    this.#dialler.opened()
    this.#logins.opened()
    this.#memory.connectionEvents.opened(this.#at, phone)
    this.#beAvailable()
    this.#memory.readParkedAgain().catch(this.#dropped)
    this.#log.info("session connected")
    BridgeLog.append(this.#input.held.bridgeId, "info", "session connected")
  }

  /** Only a sandbox bridge has a household. */
  #showToHousehold(text: string): void {
    const { sandboxOf } = this.#memory
    if (!this.connection || !sandboxOf) return
    showCodeToHousehold(this.connection, { accountId: sandboxOf, text }).catch((error: unknown) =>
      this.#log.warn({ error }, "the code could not be shown to the household"),
    )
  }

  /** A new connection is not shown as available, unless the customer wants that. */
  #beAvailable(): void {
    if (!this.#memory.standing.isAvailable) return
    const shown = this.connection?.setAvailable(true)
    shown?.catch((error: unknown) => this.#log.warn({ error }, "the session could not be shown as available"))
  }

  get #heard() {
    return { memory: this.#memory, connection: this.connection, log: this.#log }
  }

  async #closed(end: End): Promise<void> {
    const { reason, detail, objection } = end
    this.#log.info({ reason, detail, objection }, "session disconnected")
    const said = [reason, objection, detail].filter(Boolean).join(", ")
    BridgeLog.append(
      this.#input.held.bridgeId,
      reason === "lost" || objection ? "warn" : "info",
      `session disconnected: ${said}`,
    )
    this.hangUp()
    this.#objection = objection
    this.#goneFor(end)
    switch (reason) {
      case "restart":
      case "refs_ended":
      case "lost":
        return this.#dialAgain(end)
      case "replaced":
        return await this.#wasReplaced()
      case "logged_out":
        return await this.#wasLoggedOut(objection)
    }
  }

  #dialAgain(end: End): void {
    const waitMs = this.#dialler.dialAgain(end)
    this.#noteLoginWait()
    if (end.refusedForMs === undefined) return
    const at = iso(nowMs() + waitMs)
    this.#log.warn({ at }, "the network refuses the session for some time: not dialling before then")
    BridgeLog.append(
      this.#input.held.bridgeId,
      "warn",
      `the network refuses the session for some time: connecting again at ${at}`,
    )
  }

  /** Another login of the same device took over: perhaps the rightful owner, whom we must not throw out again. */
  async #wasReplaced(): Promise<void> {
    const { commits, standing, connectionEvents } = this.#memory
    Metrics.add("Replaced")
    // The lease check throws if the lease is not ours.
    await commits.prove()
    await standing.setReplaced(true, (writes) =>
      connectionEvents.over(this.#at, { reason: "stream_replaced" }, writes),
    )
    this.#input.changes.notify()
  }

  async #wasLoggedOut(objection?: End["objection"]): Promise<void> {
    const { commits, connectionEvents } = this.#memory
    const wasPaired = this.isPaired
    this.#dialler.forgetBan()
    await this.#memory.forget(async (writes) => {
      if (wasPaired) await connectionEvents.over(this.#at, { reason: "logged_out", objection }, writes)
      else await commits.write(writes)
    })
    this.#lost = false
    this.#input.changes.notify()
    this.#dialler.dialAgain({ reason: "logged_out" })
  }

  #goneFor({ reason, objection }: Pick<End, "reason" | "objection">): void {
    if (reason === "lost") this.#lost = true
    if (!this.isPaired) return
    this.#memory.connectionEvents.gone(this.#at, objection)
  }

  #pairingOver(): void {
    if (this.isPaired || this.#input.isOver() || this.#linksItself) return
    this.#lost = false
    this.hangUp()
  }

  readonly #dropped = (error: unknown): void => {
    if (!(error instanceof SessionEnded)) this.#log.error({ error }, "something that arrived was not written")
  }
}
