import type { z } from "@hono/zod-openapi"
import type { Objection, Status } from "#contract/status-and-objection.ts"
import { ApiError, sessionUnavailable } from "#core/error.ts"
import type { Proxy } from "#core/fetch/proxy-tunnel.ts"
import type { Lease } from "#core/lease/lease.ts"
import { iso, nowMs } from "#core/platform/clock.ts"
import type { Logger } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import type { KeptPast } from "../chats/keep-past.ts"
import { mayWaitMs } from "../concurrency/call-deadline.ts"
import type { Condition } from "../concurrency/condition.ts"
import { type OccurrenceNumbers, isOfProxy, objectionSentences } from "../content/connection.ts"
import type { Commits } from "../memory/commits.ts"
import type { UnitWrite } from "../memory/next-batch.ts"
import type { Patience } from "../memory/patience.ts"
import type { Connection, Intake } from "../network/connection.ts"
import type { End, Happening } from "../network/happening.ts"
import { notPaired, refusalOf, takenOver } from "../network/refusals.ts"
import { type NewsParts, newTakingNews, logNotWritten } from "../receive/take-news.ts"
import type { Say } from "../say-in-log.ts"
import type { Timing } from "../timing.ts"
import type { ConnectionEvents } from "./connection-events.ts"
import { type Connect, Dialler } from "./dialler.ts"
import { Linking } from "./linking.ts"
import { RecentLogins } from "./recent-logins.ts"

/** The parts of a session's memory (`session/memory.ts`) that the uplink needs. */
interface Memory extends NewsParts {
  patience: Patience
  commits: Commits
  connectionEvents: ConnectionEvents
  intake: Intake & NewsParts["intake"]
  readonly proxy: Proxy | undefined
  sandboxOf: string | undefined
  forget: (report: (writes: UnitWrite[]) => Promise<void>) => Promise<void>
  readParkedAgain: () => Promise<void>
  past: Pick<KeptPast, "copyIfWanted">
}

interface Input {
  held: Lease.Info
  memory: Memory
  connect: Connect
  timing: Timing
  log: Logger
  say: Say
  /** Notified of every change here. */
  changes: Condition
  /** Whether the host may have sockets now: it has beaten recently. */
  mayConnect: () => boolean
  isOver: () => boolean
  onError: (error: unknown) => void
}

/** A session's place on the network, across all the connections that it dials. */
export class Uplink {
  readonly linking: Linking
  readonly #input: Input
  readonly #memory: Memory
  readonly #dialler: Dialler
  readonly #logins: RecentLogins
  readonly #takeNews: ReturnType<typeof newTakingNews>
  #open = false
  #lost = false
  #refusal: Lease.Refusal = {}

  constructor(input: Input) {
    this.#input = input
    this.#memory = input.memory
    this.linking = new Linking({ ...input, uplink: this, onGivenUp: () => this.#givenUp() })
    this.#logins = new RecentLogins({
      lease: input.held,
      isPaired: () => this.linking.isPaired,
      say: input.say,
      stayedMs: input.timing.stayedMs,
      write: (work) => input.memory.patience.read(work),
      onError: (error) => input.log.warn({ error, what: "stayed" }, "a note in the lease was not written"),
    })
    this.#takeNews = newTakingNews({ ...input, connection: () => this.connection })
    this.#dialler = new Dialler({
      connect: input.connect,
      ackMs: input.timing.ackMs,
      deadMs: input.timing.deadMs,
      log: input.log,
      mayDial: () => this.#mayDial(),
      prepare: async () => {
        await input.memory.vault.settled()
        await input.memory.commits.prove()
        if (this.linking.isPaired) await this.#logins.begin()
        return input.memory
      },
      waitMs: () => this.#logins.waitMs,
      onHappening: (happening) => this.#follow(happening),
      onError: input.onError,
    })
  }

  get connection(): Connection | undefined {
    return this.#dialler.connection
  }

  /** Whether the session is as it should be: connected, or not linked to a phone. */
  get isUp(): boolean {
    return this.#open || !this.linking.isPaired
  }

  get status(): z.infer<typeof Status> {
    if (!this.linking.isPaired) return this.linking.status
    if (this.#memory.standing.isReplaced) return "replaced"
    if (this.#open) return "connected"
    return this.#lost ? "disconnected" : "connecting"
  }

  /** Whether the last connection was lost, and no later one has come as far as a code or a login. */
  get isLost(): boolean {
    return this.#lost
  }

  /**
   * Why the network refused the last login, until it shows a code or takes a login; or that a former gateway
   * has taken over.
   */
  get refusal(): Lease.Refusal {
    return this.#memory.standing.isReplacedByFormer ? { objection: "former_gateway" } : this.#refusal
  }

  /** How many logins in a row did not stay, if the session ends now in a planned way. */
  get logins(): number {
    return this.#logins.unlessPlanned
  }

  /** Connects, if a phone is linked or a caller wants to link one. */
  dial(): void {
    this.#dialler.dial()
  }

  /** Dials for the first time. If no connection comes for some time, the customer gets an event. */
  start(): void {
    if (this.linking.isPaired) this.#memory.connectionEvents.gone(this.#at)
    this.dial()
    this.#logins.noteWait(this.#dialler.waitsMs)
  }

  /**
   * Reconnects with the same credentials, even after another device took the login over: only a customer may
   * undo that. Resolves when the session is connected or trying to connect.
   * @throws ApiError `session_unavailable`
   */
  async restart(): Promise<void> {
    const { changes, timing, isOver, say } = this.#input
    say("info", "session restarts")
    await this.#memory.standing.setReplaced(false)
    this.#dialler.forgetBan()
    this.dialAnew()
    await changes.until(() => this.isUp || isOver() || undefined, mayWaitMs(timing.connectingMs))
    if (isOver()) throw sessionUnavailable()
  }

  /** Dials anew, since the bridge has another proxy, or none any more. */
  dialAnew(): void {
    this.#logins.closedAsPlanned()
    this.hangUp()
    this.start()
    this.#input.changes.notify()
  }

  /** The connection, once it is open. @throws ApiError `not_paired`, `session_unavailable` */
  async ready(): Promise<Connection> {
    const { changes, timing, isOver } = this.#input
    const connection = await changes.until(() => {
      if (isOver()) throw sessionUnavailable()
      if (!this.linking.isPaired && this.linking.linksItself) return undefined
      if (!this.linking.isPaired) throw notPaired()
      if (this.#memory.standing.isReplaced) throw takenOver(sentenceOf(this.refusal))
      return this.#open ? this.connection : undefined
    }, mayWaitMs(timing.connectingMs))
    if (connection) return connection
    const { objection } = this.#refusal
    if (isOfProxy(objection)) throw sessionUnavailable(objectionSentences[objection], 60)
    throw (
      this.#logins.refusal(this.#dialler.waitsMs) ??
      sessionUnavailable("the session is connecting: try again")
    )
  }

  /** @throws ApiError for the network's refusal or silence, and what `work` throws */
  async during<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal) throw refusal
      if (error instanceof ApiError || this.connection === connection) throw error
      this.#input.log.info({ error }, "the connection ended during a call")
      throw sessionUnavailable()
    }
  }

  /** Closes the socket until `dial` is called: the host has not beaten for too long, or the store is away. */
  disconnect(): void {
    if (!this.connection) return
    this.hangUp()
    this.#goneFor({ reason: "lost" })
    this.#input.changes.notify()
  }

  /** Closes the socket before this returns. */
  hangUp(): void {
    this.#open = false
    this.linking.onHungUp()
    this.#logins.closed()
    this.#dialler.hangUp()
  }

  end(): void {
    this.hangUp()
    this.linking.end()
  }

  /** The login is worthless: forgets it. */
  async loggedOut(objection?: Objection): Promise<void> {
    const { commits, connectionEvents } = this.#memory
    const wasPaired = this.linking.isPaired
    const by = this.linking.onLoggedOut()
    this.#dialler.forgetBan()
    await this.#memory.forget(async (writes) => {
      if (wasPaired) await connectionEvents.over(this.#at, { reason: "logged_out", objection, by }, writes)
      else await commits.write(writes)
    })
    this.#lost = false
    this.#input.changes.notify()
    this.#dialler.dialAgain({ reason: "logged_out" })
  }

  get #at(): OccurrenceNumbers {
    return { epoch: this.#input.held.epoch, connection: this.#dialler.dialled }
  }

  /** A linked session always connects; an unlinked one only while a customer wants to link a phone. */
  #mayDial(): boolean {
    if (this.#input.isOver() || !this.#input.mayConnect()) return false
    return this.linking.isPaired ? !this.#memory.standing.isReplaced : this.linking.isWanted
  }

  #follow(happening: Happening): void {
    switch (happening.kind) {
      case "qr":
        this.#lost = false
        this.#refusal = {}
        this.linking.onCode(happening)
        break
      case "passkey_required":
        this.linking.onPasskeyRequired(happening)
        break
      case "paired":
        this.linking.onPaired()
        this.#logins.forget()
        break
      case "open":
        this.#opened(happening.me.phone)
        break
      case "closed":
        this.#closed(happening).catch(this.#input.onError)
        break
      case "stanza":
      case "people":
      case "chats":
      case "history":
      case "revealed":
      case "notice":
      case "acknowledged":
        this.#takeNews(happening, this.#at)
    }
    this.#input.changes.notify()
  }

  #opened(phone: string): void {
    this.#open = true
    this.#lost = false
    this.#refusal = {}
    this.#dialler.opened()
    this.#logins.opened()
    this.#memory.connectionEvents.opened(this.#at, phone)
    this.#memory.standing.noteOpen().catch(this.#input.onError)
    // A new connection is not shown as available, unless the customer wants it to be.
    const shown = this.#memory.standing.isAvailable ? this.connection?.setAvailable(true) : undefined
    shown?.catch((error: unknown) =>
      this.#input.log.warn({ error }, "the session could not be shown as available"),
    )
    this.#memory.readParkedAgain().catch(logNotWritten(this.#input.log))
    this.#memory.past.copyIfWanted()
    this.#input.say("info", "session connected")
  }

  async #closed(end: End): Promise<void> {
    const { reason, detail, objection } = end
    const level = reason === "lost" || objection ? "warn" : "info"
    this.#input.say(level, "session disconnected", {
      detail: `: ${[reason, objection, detail].filter(Boolean).join(", ")}`,
      fields: { reason, detail, objection },
    })
    this.hangUp()
    // A dial that fails does not change this finding: the network did not answer.
    const isStillUnanswered = reason === "lost" && this.#refusal.objection === "unanswered"
    if (objection) this.#refusal = { objection }
    else if (!isStillUnanswered) this.#refusal = {}
    if (isOfProxy(objection)) this.#logins.neverBegan()
    this.#goneFor(end)
    switch (reason) {
      case "restart":
      case "refs_ended":
      case "lost":
        return this.#dialAgain(end)
      case "replaced":
        return await this.#wasReplaced()
      case "logged_out":
        return await this.loggedOut(objection)
    }
  }

  #dialAgain(end: End): void {
    const waitMs = this.#dialler.dialAgain(end)
    this.#logins.noteWait(this.#dialler.waitsMs)
    if (end.refusedForMs === undefined) return
    const atMs = nowMs() + waitMs
    if (end.objection) this.#refusal = { ...this.#refusal, objection_until: Math.ceil(atMs / 1000) }
    const at = iso(atMs)
    this.#input.say("warn", `the network rejects the session for some time: connecting again at ${at}`)
  }

  /**
   * Another login of the same device took over. It may be the rightful owner, whom we must not throw out
   * again.
   */
  async #wasReplaced(): Promise<void> {
    const { commits, standing, connectionEvents } = this.#memory
    Metrics.add("Replaced")
    // `prove` throws if the lease is not ours.
    await commits.prove()
    const objection = standing.isWatched ? "former_gateway" : undefined
    await standing.setReplaced(true, (writes) =>
      connectionEvents.over(this.#at, { reason: "stream_replaced", objection }, writes),
    )
    this.#input.changes.notify()
  }

  #goneFor({ reason, objection }: Pick<End, "reason" | "objection">): void {
    if (reason === "lost") this.#lost = true
    if (!this.linking.isPaired) return
    this.#memory.connectionEvents.gone(this.#at, objection)
  }

  /** No caller wants to link a phone any more. */
  #givenUp(): void {
    if (this.#input.isOver()) return
    this.#lost = false
    this.hangUp()
  }
}

/** The sentence about an objection, if there is one. */
function sentenceOf({ objection }: Lease.Refusal): string | undefined {
  return objection && objectionSentences[objection]
}
