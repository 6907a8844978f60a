import type { z } from "@hono/zod-openapi"
import { LRUCache } from "lru-cache"
import { BridgeLog } from "#core/bridge-log.ts"
import type { SessionStatus, Status } from "#core/contract/session.ts"
import { ApiError, sessionUnavailable } from "#core/error.ts"
import { userOf } from "#core/jid.ts"
import { Lease } from "#core/lease.ts"
import { Metrics } from "#core/metrics.ts"
import { isPassing } from "#core/store.ts"
import { StoredMedia } from "#core/media.ts"
import { Changes } from "./changes.ts"
import type { Contacts } from "./contacts.ts"
import { type Connect, Dialler } from "./dialler.ts"
import { authorsOf } from "./events/author.ts"
import type { At } from "./events/connection.ts"
import type { Remembered } from "./events/mapped.ts"
import { append, learn } from "./hearing.ts"
import { LeaseNotes } from "./lease-notes.ts"
import type { Live } from "./live.ts"
import type { Logger } from "./log.ts"
import { mapReceived } from "./map-received.ts"
import { Memory } from "./memory.ts"
import { messagesOf } from "./messages.ts"
import type { ClosedReason, Connection, Happening } from "./network.ts"
import { type Code, Pairing } from "./pairing.ts"
import { Recipients } from "./recipients.ts"
import { alreadyPaired, notPaired, refusalOf, takenOver } from "./refusals.ts"
import { showCode } from "./sandbox.ts"
import { scope } from "./scope.ts"
import { type Answer, Sends } from "./sends.ts"
import { Fenced, SessionEnded } from "./session-ended.ts"
import { Slots } from "./slots.ts"
import type { Timing } from "./timing.ts"

interface Input {
  lease: Lease.Info
  connect: Connect
  timing: Timing
  log: Logger
  /** Whether the host may have sockets now: it has beaten lately. */
  mayConnect: () => boolean
  /** The socket is closed, nothing more will be written. `failed`: by its own error. Called once. */
  onEnd: (end: { failed: boolean }) => void
}

/** The one live connection of a bridge to the network, for as long as this host holds its lease. */
export class Session {
  readonly lease: Lease.Info
  readonly notes: LeaseNotes
  readonly #input: Input
  readonly #log: Logger
  readonly #ended = new AbortController()
  readonly #changes = new Changes()
  readonly #recipients = new Recipients()
  /** decisions and reliability, "Downloads": two at once per bridge. */
  readonly #media = new Slots(2, 10_000)
  /** Keys of the media that this session has put into the bucket, for as long as they count as cached. */
  readonly storedMedia = new LRUCache<string, true>({ max: 10_000, ttl: StoredMedia.cachedForMs })
  readonly #pairing: Pairing
  readonly #dialler: Dialler
  #memory: Memory | undefined
  #sends: Sends | undefined
  #stopping = false
  /** How many stanzas became events, perhaps. */
  #stanzas = 0
  #open = false
  #lost = false
  #passkeyRequired = false

  constructor(input: Input) {
    this.#input = input
    this.lease = input.lease
    this.#log = input.log.child({ bridgeId: input.lease.bridgeId, epoch: input.lease.epoch })
    this.notes = new LeaseNotes(input.lease, input.timing, this.#log)
    this.#pairing = new Pairing(input.timing.pairingMs, () => this.#pairingOver())
    this.#dialler = new Dialler({
      connect: input.connect,
      log: this.#log,
      mayDial: () => this.#mayDial(),
      prepare: async () => {
        await this.#memory!.commits.write([])
        return this.#memory!.vault
      },
      onHappening: (happening) => this.#take(happening, this.#memory!),
      onError: (error) => this.fail(error),
    })
  }

  /** Takes up where the last owner left off, then connects if a phone is linked. Its failure ends the session. */
  async start(): Promise<void> {
    const { timing } = this.#input
    try {
      await scope.run({ fail: (error) => this.fail(error) }, async () => {
        const memory = await Memory.open({
          lease: this.lease,
          timing,
          log: this.#log,
          ended: this.#ended.signal,
          map: async (received, own, memory) => {
            learn(authorsOf(received, own), this.#heard(memory)).catch(this.#dropped)
            return await mapReceived(received, own, {
              connection: this.#dialler.connection,
              originals: (id) => messagesOf(memory.store, id),
              log: this.#log,
            })
          },
          onDrained: () => this.notes.prove(),
          onStoreAway: () => this.#storeAway(),
          onEnd: (error) => this.#end(error),
        })
        this.#memory = memory
        this.#sends = new Sends(memory, this.#log)
        this.#changes.notify()
        this.notes.start()
        this.#log.info({ paired: this.isPaired }, "session started")
        this.#tell("info", this.isPaired ? "session started" : "session started, no phone is linked")
        BridgeLog.trim(this.lease.bridgeId).catch((error: unknown) =>
          this.#log.warn({ error }, "old lines of the bridge's log were not removed"),
        )
        if (this.isPaired) memory.telling.gone(this.#at)
        this.#dialler.dial()
      })
    } catch (error) {
      this.fail(error)
    }
  }

  get isPaired(): boolean {
    return this.#memory?.vault.login !== undefined
  }

  /** Whether nobody is linked to it, and nobody has wanted anything of it for so long. */
  isIdleFor(ms: number): boolean {
    const isUnlinked = this.#memory !== undefined && !this.isPaired && !this.#pairing.isAsked
    return isUnlinked && this.notes.isUnusedFor(ms)
  }

  /** Whether it is as it should be: connected, or nobody is linked to it. */
  get isUp(): boolean {
    return this.#memory !== undefined && (this.#open || !this.isPaired)
  }

  /** For how long the oldest journalled message has been waiting to become an event. */
  get journalOldestMs(): number {
    return this.#memory?.journalOldestMs ?? 0
  }

  /** Entries kept in memory, for `debug/stats`. */
  get cached(): number {
    return this.#recipients.size + (this.#memory?.vault.cached ?? 0)
  }

  /** @throws ApiError `session_unavailable` */
  async status(): Promise<z.infer<typeof SessionStatus>> {
    await this.#started()
    const { jid, lid, name } = this.#memory?.vault.login ?? { jid: "", lid: "", name: "" }
    return { status: this.#status(), jid, lid, name, phone: userOf(jid) }
  }

  /**
   * The code that links a phone, as it is now; dials for it if need be.
   * @throws ApiError `already_paired`, `session_unavailable`
   */
  async code(): Promise<Code> {
    await this.#started()
    if (this.isPaired) throw alreadyPaired()
    this.#pairing.ask()
    // That phone was not linked: perhaps another one is, on a connection of its own.
    if (this.#passkeyRequired) this.#hangUp()
    this.#passkeyRequired = false
    this.#dialler.dial()
    const code = await this.#pairing.code(this.#input.timing.codeMs)
    if (this.isPaired) throw alreadyPaired()
    if (!code) throw sessionUnavailable("the network gave no code yet: try again")
    return code
  }

  /**
   * A code that links the phone of this number (digits) once it is typed there; dials for it if need be.
   * @throws ApiError `already_paired`, `network_rejected`, `session_unavailable`
   */
  async linkCode(phone: string): Promise<string> {
    // The network takes a wish for a link code where it would show a QR code.
    await this.code()
    const connection = this.#dialler.connection
    if (!connection) throw sessionUnavailable()
    return await this.#during(connection, () => connection.linkCode(phone))
  }

  /**
   * Unlinks the session, if a phone is linked: its credentials are gone when this resolves.
   * @throws ApiError `session_unavailable`: the network cannot be told now
   */
  async logout(): Promise<void> {
    await this.#started()
    if (!this.isPaired) return
    // Another place is logged in with these credentials: from here nobody can be told.
    if (this.#memory!.standing.isReplaced) await this.#wasLoggedOut(this.#memory!)
    else await (await this.#ready()).logout()
    const { finishMs } = this.#input.timing
    const isOut = await this.#changes.until(() => (this.isPaired ? undefined : true), finishMs)
    if (!isOut) throw sessionUnavailable("the session is being logged out: try again")
  }

  /**
   * Connects anew with the same credentials; also after another place took over, which only a customer may undo.
   * Resolves when it is connected, or is trying to.
   * @throws ApiError `session_unavailable`
   */
  async restart(): Promise<void> {
    const sends = await this.#started()
    const { connectingMs, restartMs } = this.#input.timing
    await sends.settled(restartMs)
    this.#log.info("session restarts")
    this.#tell("info", "session restarts")
    const memory = this.#memory!
    await memory.standing.setReplaced(false)
    this.#hangUp()
    if (this.isPaired) memory.telling.gone(this.#at)
    this.#dialler.dial()
    const isUp = () => this.#open || !this.isPaired || this.#ended.signal.aborted || undefined
    await this.#changes.until(isUp, connectingMs)
    if (this.#ended.signal.aborted) throw sessionUnavailable()
  }

  /** The people whom the session knows. @throws ApiError `not_paired`, `session_unavailable` */
  async contacts(): Promise<Contacts> {
    await this.#started()
    const isKnown = () => (this.isPaired || !this.#linksItself ? true : undefined)
    await this.#changes.until(isKnown, this.#input.timing.connectingMs)
    if (!this.isPaired) throw this.#notPaired()
    return this.#memory!.contacts
  }

  /** Somebody says that the lease may have changed. */
  async lookAtLease(): Promise<void> {
    const { bridgeId, host, epoch } = this.lease
    const lease = await Lease.get(bridgeId)
    if (lease?.host !== host || lease.epoch !== epoch) this.abandon()
  }

  /** Every message of this id that is remembered, ours first. @throws ApiError `session_unavailable` */
  async messages(id: string): Promise<Remembered[]> {
    await this.#started()
    return await messagesOf(this.#memory!.store, id)
  }

  /**
   * Asks something of the network. A question that the end of the connection leaves open may be asked again.
   * @throws ApiError `not_paired`, `network_rejected`, `session_unavailable`, and what `work` throws
   */
  async use<Result>(work: (live: Live) => Promise<Result>): Promise<Result> {
    await this.#started()
    const connection = await this.#ready()
    return await this.#during(connection, () => work(this.#live(connection)))
  }

  /**
   * Sends a message under an id that is chosen already.
   * @throws ApiError `not_paired`, `session_unavailable`, and what `Sends.send` throws
   */
  async send(
    messageId: string,
    build: (live: Live) => Promise<{ chat: string; message: Uint8Array }>,
  ): Promise<Answer> {
    const sends = await this.#started()
    return await sends.send({
      messageId,
      build: () => this.use(build),
      connection: () => this.#ready(),
    })
  }

  /** Closes the socket until `connectAgain`: the host has not beaten for too long. */
  disconnect(): void {
    if (!this.#dialler.connection) return
    this.#hangUp()
    this.#goneFor("lost")
  }

  connectAgain(): void {
    this.#dialler.dial()
  }

  /** Ends in order: takes no more calls, finishes sends, closes without logout, writes what was begun. */
  async stop(): Promise<void> {
    if (this.#stopping || this.#ended.signal.aborted) return
    this.#stopping = true
    const { finishMs } = this.#input.timing
    await this.#sends?.settled(finishMs)
    this.#hangUp()
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, finishMs)
    await Promise.race([this.#memory?.settled(), late])
    clearTimeout(timer)
    this.#end(new SessionEnded("the session was stopped"), false)
  }

  /** Something of this session threw and nobody caught it, or its start failed. */
  fail(error: unknown): void {
    const ended = error instanceof SessionEnded
    this.#end(ended ? error : new SessionEnded("an error of the session itself", { cause: error }))
  }

  /** Ends at once: the lease is not ours. */
  abandon(): void {
    this.#end(new Fenced())
  }

  #status(): z.infer<typeof Status> {
    if (!this.isPaired && this.#linksItself) return "connecting"
    if (!this.isPaired) return this.#passkeyRequired ? "passkey_required" : "unpaired"
    if (this.#memory?.standing.isReplaced) return "replaced"
    if (this.#open) return "connected"
    return this.#lost ? "disconnected" : "connecting"
  }

  get #at(): At {
    return { epoch: this.lease.epoch, connection: this.#dialler.dialled }
  }

  /** The sends of the session, once it has read its memory. @throws ApiError `session_unavailable` */
  async #started(): Promise<Sends> {
    const sends = await this.#changes.until(() => this.#sends, this.#input.timing.connectingMs)
    if (!sends || this.#stopping || this.#ended.signal.aborted) throw sessionUnavailable()
    return sends
  }

  /** @throws ApiError `not_paired`, `session_unavailable` */
  async #ready(): Promise<Connection> {
    const connection = await this.#changes.until(() => {
      if (this.#stopping || this.#ended.signal.aborted) throw sessionUnavailable()
      if (!this.isPaired && this.#linksItself) return undefined
      if (!this.isPaired) throw notPaired()
      if (this.#memory?.standing.isReplaced) throw takenOver()
      return this.#open ? this.#dialler.connection : undefined
    }, this.#input.timing.connectingMs)
    if (!connection) throw sessionUnavailable("the session is connecting: try again")
    return connection
  }

  /** @throws ApiError for what the network said, or did not say; and what `work` throws */
  async #during<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal) throw refusal
      if (error instanceof ApiError || this.#dialler.connection === connection) throw error
      this.#log.info({ error }, "the connection ended during a call")
      throw sessionUnavailable()
    }
  }

  #live(connection: Connection): Live {
    const { store, vault, contacts, standing } = this.#memory! // there is a connection
    return {
      connection,
      own: vault.login ?? { jid: "", lid: "" },
      contacts,
      standing,
      reach: (chat) => this.#recipients.reach(chat, connection),
      messages: (id) => messagesOf(store, id),
      media: this.#media,
    }
  }

  /** A linked session always connects, another while a customer wants to link it. */
  #mayDial(): boolean {
    const isOver = this.#stopping || this.#ended.signal.aborted
    if (isOver || !this.#memory || !this.#input.mayConnect()) return false
    if (this.isPaired) return !this.#memory.standing.isReplaced
    return this.#pairing.isAsked || this.#linksItself
  }

  /** A sandbox bridge: nobody else could scan its code. */
  get #linksItself(): boolean {
    return this.#memory?.isSandbox ?? false
  }

  /** Of a session that is not linked. */
  #notPaired(): ApiError {
    return this.#linksItself ? sessionUnavailable("the session is connecting: try again") : notPaired()
  }

  #take(happening: Happening, memory: Memory): void {
    switch (happening.kind) {
      case "qr":
        this.#pairing.show(happening)
        if (memory.isSandbox) this.#showToHousehold(happening.text)
        break
      case "passkey_required":
        this.#passkeyRequired = true
        this.#pairing.hide()
        this.#log.warn("the phone asks for a passkey step, which this release cannot do")
        this.#tell("warn", "the phone asks for a passkey step, which this release cannot do")
        break
      case "paired":
        this.#pairing.end()
        this.#passkeyRequired = false
        this.#log.info("session paired")
        this.#tell("info", "session paired")
        break
      case "open":
        this.#open = true
        this.#lost = false
        this.#dialler.opened()
        memory.telling.opened(this.#at, happening.me.phone)
        this.#beAvailable(memory)
        this.#log.info("session connected")
        this.#tell("info", "session connected")
        break
      case "journalled":
        // The commit that journalled it has handed it on.
        break
      case "stanza":
        append(happening.stanza, { ...this.#at, stanza: ++this.#stanzas }, this.#heard(memory)).catch(
          this.#dropped,
        )
        break
      case "people":
        learn(happening.people, this.#heard(memory)).catch(this.#dropped)
        break
      case "acknowledged":
        this.#sends!.acknowledged(happening.messageId, happening.timestamp).catch(this.#dropped)
        break
      case "closed":
        this.#closed(happening.reason, memory).catch((error: unknown) => this.fail(error))
        break
    }
    this.#changes.notify()
  }

  #showToHousehold(text: string): void {
    const { bridgeId } = this.lease
    const shown = this.#dialler.connection && showCode(this.#dialler.connection, { bridgeId, text })
    shown?.catch((error: unknown) => this.#log.warn({ error }, "the code was shown to nobody"))
  }

  /** Whoever connects is not shown as available, unless the customer wants that. */
  #beAvailable(memory: Memory): void {
    if (!memory.standing.isAvailable) return
    const shown = this.#dialler.connection?.setAvailable(true)
    shown?.catch((error: unknown) => this.#log.warn({ error }, "not shown as available"))
  }

  #heard(memory: Memory) {
    return { memory, connection: this.#dialler.connection, log: this.#log }
  }

  async #closed(reason: ClosedReason, memory: Memory): Promise<void> {
    this.#log.info({ reason }, "session disconnected")
    this.#tell(reason === "lost" ? "warn" : "info", `session disconnected: ${reason}`)
    this.#hangUp()
    this.#goneFor(reason)
    switch (reason) {
      case "restart":
      case "refs_ended":
      case "lost":
        return this.#dialler.dialAgain(reason)
      case "replaced":
        return await this.#wasReplaced(memory)
      case "logged_out":
        return await this.#wasLoggedOut(memory)
    }
  }

  /** Another login of the same device: perhaps the rightful owner of the bridge, whom we must not throw out again. */
  async #wasReplaced(memory: Memory): Promise<void> {
    Metrics.add("Replaced")
    // The check of the lease throws when it is not ours.
    await memory.commits.write([])
    await memory.standing.setReplaced(true, (writes) =>
      memory.telling.over(this.#at, "stream_replaced", writes),
    )
    this.#changes.notify()
  }

  async #wasLoggedOut(memory: Memory): Promise<void> {
    const wasPaired = this.isPaired
    await memory.forget(async (writes) => {
      if (wasPaired) await memory.telling.over(this.#at, "logged_out", writes)
      else await memory.commits.write(writes)
    })
    this.#lost = false
    this.#changes.notify()
    this.#dialler.dialAgain("logged_out")
  }

  #goneFor(reason: ClosedReason): void {
    if (!this.isPaired) return
    if (reason === "lost") this.#lost = true
    this.#memory?.telling.gone(this.#at)
  }

  /** The socket is closed when this returns. */
  #hangUp(): void {
    this.#open = false
    this.#pairing.hide()
    this.#dialler.hangUp()
  }

  /** No answer for long: nothing that comes in could be kept. What is to be written goes on waiting. */
  #storeAway(): void {
    if (!this.#dialler.connection) return
    this.#log.error("the store does not answer: the socket is closed")
    this.disconnect()
    this.#dialler.dial()
  }

  #pairingOver(): void {
    if (this.isPaired || this.#stopping || this.#linksItself) return
    this.#hangUp()
  }

  /** To its customer, in his words: no error of ours, and of nobody's messages. */
  #tell(level: BridgeLog.Level, text: string): void {
    BridgeLog.append(this.lease.bridgeId, level, text)
  }

  readonly #dropped = (error: unknown): void => {
    if (!(error instanceof SessionEnded)) this.#log.error({ error }, "something that arrived was not written")
  }

  /** `failed`: an end of its own that counts; not when the lease is lost or the store away. */
  #end(error: SessionEnded, failed = isOwnFault(error)): void {
    if (this.#ended.signal.aborted) return
    this.#hangUp()
    this.#ended.abort()
    this.#pairing.end()
    this.notes.end()
    this.#memory?.end(error)
    this.#changes.notify()
    if (failed) this.#log.error({ error }, "session ended by an error")
    else this.#log.info({ why: error.message }, "session ended")
    this.#tell(failed ? "error" : "info", failed ? "session ended by an error of ours" : "session ended")
    this.#input.onEnd({ failed })
  }
}

function isOwnFault(error: SessionEnded): boolean {
  return !(error instanceof Fenced) && error.cause !== undefined && !isPassing(error.cause)
}
