import { randomInt } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Host } from "#core/lease/host.ts"
import { GONE, Lease, type Network } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import type { Logger } from "#core/platform/log.ts"
import { Slots } from "#core/platform/slots.ts"
import type { KeysAnew } from "../network/connection.ts"
import type { Plan } from "../send/plans.ts"
import { Session } from "../session/session.ts"
import type { Timing } from "../timing.ts"
import type { Connect } from "../uplink/dialler.ts"
import { Heartbeat } from "./heartbeat.ts"
import { OpenCalls } from "./open-calls.ts"
import { removeBridge } from "./remove-bridge.ts"

export interface HostInput {
  id: string
  /** Where the host listens, `host:port`. */
  addr: string
  capacity: number
  network: Network
  connect: Connect
  keysAnew: KeysAnew
  /** As a session takes it. */
  sendPlanned: (session: Session, plan: Plan) => Promise<number>
  timing: Timing
  log: Logger
}

/**
 * How often a host compares what it runs with what the leases say, in beats: a session that was not notified
 * of its customer's choice takes it up within half a minute (`updateBridge`), the comparison included.
 */
const agreeEach = 5

/**
 * How many sessions read their memory at once. A start mostly waits for the store. With more starts at once
 * each takes longer, and all are late instead of only the last ones.
 */
const startsAtOnce = 16

/**
 * How many free leases a look reads: more than a host has room for, since other hosts take some of them
 * meanwhile.
 */
const freeSeenAtOnce = 100

/** A process that holds sessions. */
export class SessionHost {
  readonly id: string
  readonly sessions = new Map<string, Session>()
  /** The open calls to its sessions. */
  readonly calls = new OpenCalls<Session>()
  readonly #input: HostInput
  readonly #log: Logger
  readonly #heartbeat: Heartbeat
  readonly #stopping = new AbortController()
  readonly #ended = Promise.withResolvers<"stopped" | "dead">()
  /** Bridges whose lease is being taken or given back. */
  readonly #moving = new Set<string>()
  /** Leases that this host is about to take, or is taking. */
  readonly #wanted = new Map<string, Lease.Info>()
  readonly #starts = new Slots({ most: startsAtOnce })
  /**
   * The part of the free leases to look at next. It starts at random, so that hosts that start together
   * differ.
   */
  #turn = randomInt(Lease.looksForAllFree)
  /** Whether this host has not looked at all parts yet. */
  #isNew = true
  #loops: Promise<void>[] = []

  constructor(input: HostInput) {
    this.id = input.id
    this.#input = input
    this.#log = input.log.child({ hostId: input.id })
    this.#heartbeat = new Heartbeat({
      beatMs: input.timing.beatMs,
      log: this.#log,
      // The beat says whether the host has room: without room it must not be counted on.
      beat: async () => {
        const { id, addr, network } = input
        const sessions = this.sessions.size
        const up = [...this.sessions.values()].filter((session) => session.isUp).length
        return await Host.beat({ id, addr, network, sessions, up, capacity: sessions + this.#room() })
      },
      onState: (state) => this.#onState(state),
      onSilent: () => this.#onSilent(),
      onHeard: () => this.#onHeard(),
      onStoodStill: () => this.#agree(),
    })
  }

  /** Resolves when the host has ended: because it was asked to, or because others declared it dead. */
  get ended(): Promise<"stopped" | "dead"> {
    return this.#ended.promise
  }

  /** Whether it may take commands and leases: only while others cannot have declared it dead. */
  get isTrusted(): boolean {
    return this.#heartbeat.isTrusted && !this.#stopping.signal.aborted
  }

  /** Beats for the first time, then takes free leases. @throws if the store cannot be reached */
  async start(): Promise<void> {
    await this.#heartbeat.start()
    const { beatMs } = this.#input.timing
    this.#loops = [
      this.#each(Math.min(500, beatMs / 5), () => this.#acquireFree()),
      this.#each(agreeEach * beatMs, async () => {
        await this.#agree()
        await this.#pauseIdle()
      }),
      // This runs in a loop of its own, since removing a large bridge takes long.
      this.#each(agreeEach * beatMs, () => this.#removeGone()),
    ]
    this.#log.info({ addr: this.#input.addr, capacity: this.#input.capacity }, "host up")
  }

  /** Takes no more calls, answers the open ones, gives all leases back and ends. */
  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return
    this.#stopping.abort()
    this.#log.info({ sessions: this.sessions.size }, "host stopping")
    await Promise.all(this.#loops)
    // A lease that is being taken becomes a session first.
    while (this.#moving.size > 0) await sleep(20)
    await Promise.all([...this.sessions.values()].map((session) => this.#handOver(session)))
    while (this.#moving.size > 0) await sleep(20)
    await this.#heartbeat.stop()
    await this.#repeat(() => Host.remove(this.id))
    this.#log.info("host stopped")
    this.#ended.resolve("stopped")
  }

  /**
   * Hands over one session. Sessions are handed over separately, so a slow call holds up no other session.
   */
  async #handOver(session: Session): Promise<void> {
    await this.calls.settled(session, this.#input.timing.finishMs)
    await session.stop()
  }

  #onState(state: Host.State): void {
    switch (state) {
      case "starting":
      case "up":
        return
      case "draining":
        this.stop().catch((error: unknown) => this.#log.error({ error }, "stopping failed"))
        return
      case "dead":
        this.#die()
    }
  }

  /**
   * Ends all work of this host: other processes have declared it dead and freed its leases. The host's row
   * stays for them.
   */
  #die(): void {
    this.#log.error("this host was declared dead and ends")
    this.#stopping.abort()
    void this.#heartbeat.stop()
    for (const session of this.sessions.values()) session.abandon()
    this.#ended.resolve("dead")
  }

  /**
   * Closes the sockets: the store has not answered for three beats, so this host will soon be declared dead,
   * and other hosts will connect.
   */
  #onSilent(): void {
    this.#log.error({ sessions: this.sessions.size }, "no beat was answered: sockets are closed")
    for (const session of this.sessions.values()) session.disconnect()
  }

  #onHeard(): void {
    for (const session of this.sessions.values()) session.connectAgain()
  }

  /**
   * Takes free leases from one part of the index, and goes on with the next part while it finds some. A new
   * host looks at all parts: most hosts are started because there are free leases.
   */
  async #acquireFree(): Promise<void> {
    const isNew = this.#isNew
    let shared = 0
    let isAny = true
    for (let looks = 0; (isAny || isNew) && looks < Lease.looksForAllFree; looks++) {
      if (!this.isTrusted || this.#room() === 0) return
      isAny = false
      for (const free of shuffled(await Lease.listSomeFree(this.#turn++, freeSeenAtOnce))) {
        // The rest of a dead host's leases are left to other hosts, which look just as often.
        if (free.share !== undefined && shared >= free.share) continue
        if (!this.#mayWant(free)) continue
        this.#want(free)
        isAny = true
        if (free.share !== undefined) shared++
      }
    }
    this.#isNew = false
  }

  #mayWant(free: Lease.Info): boolean {
    const { bridgeId, network } = free
    if (!this.isTrusted || this.#room() <= this.#wanted.size) return false
    if (network !== this.#input.network || this.#wanted.has(bridgeId) || this.#moving.has(bridgeId))
      return false
    // This host still runs a session whose lease was freed: the fence or the next comparison ends it first.
    if (this.sessions.has(bridgeId)) return false
    if ([...this.#wanted.values()].some(Lease.isSuspect)) return false
    return !Lease.isSuspect(free) || this.#mayTakeSuspect(free)
  }

  /** Takes a lease when its turn comes, and starts its session. */
  #want(free: Lease.Info): void {
    this.#wanted.set(free.bridgeId, free)
    const started = this.#starts.use(async () => {
      const session = await this.#acquire(free)
      this.#wanted.delete(free.bridgeId)
      await session?.start()
    })
    started.catch((error: unknown) => this.#log.error({ error }, "a session was not started"))
  }

  async #acquire(free: Lease.Info): Promise<Session | undefined> {
    if (!this.isTrusted) return undefined
    this.#moving.add(free.bridgeId)
    // Repeats until the outcome is known: a lease that names a host without its session could stay so for
    // ever.
    const lease = await this.#repeat(() => Lease.acquire(free, this.#input))
    this.#moving.delete(free.bridgeId)
    if (!lease) return undefined
    this.#log.info({ bridgeId: lease.bridgeId, epoch: lease.epoch }, "lease taken")
    const session: Session = new Session({
      lease,
      connect: this.#input.connect,
      keysAnew: this.#input.keysAnew,
      sendPlanned: this.#input.sendPlanned,
      timing: this.#input.timing,
      log: this.#log,
      mayConnect: () => this.#heartbeat.mayConnect,
      onEnd: ({ failed }) => void this.#letGo(session, failed),
    })
    this.sessions.set(lease.bridgeId, session)
    return session
  }

  /** Gives back the lease of a session that ended, however it ended. Repeats until the store has answered. */
  async #letGo(session: Session, failed: boolean): Promise<void> {
    const { bridgeId } = session.lease
    this.#moving.add(bridgeId)
    if (this.sessions.get(bridgeId) === session) this.sessions.delete(bridgeId)
    const end = { failed, proven: session.notes.isProven, logins: session.plannedLogins }
    const letGo = await this.#repeat(() => Lease.release(session.lease, end))
    this.#moving.delete(bridgeId)
    if (letGo) this.#log.info({ bridgeId, epoch: session.lease.epoch, failed }, "lease let go")
  }

  /**
   * Compares the running sessions with the leases. An idle session never commits, so nothing else would show
   * that it is fenced. And no host can take a lease that names another host, even if that host does not run
   * its session.
   */
  async #agree(): Promise<void> {
    const named = await Lease.listByHost(this.id)
    for (const { bridgeId } of named) {
      if (this.sessions.has(bridgeId) || this.#moving.has(bridgeId)) continue
      const lease = await Lease.get(bridgeId)
      if (lease?.host !== this.id || this.sessions.has(bridgeId) || this.#moving.has(bridgeId)) continue
      this.#log.warn({ bridgeId, epoch: lease.epoch }, "a lease names this host, which does not run it")
      await Lease.release(lease)
    }
    for (const session of this.sessions.values()) {
      const { bridgeId, epoch } = session.lease
      const seen = named.find((lease) => lease.bridgeId === bridgeId && lease.epoch === epoch)
      // The index lags behind, so the session reads the row itself.
      if (seen && session.isAskedForOthers(seen)) await session.lookAtLease()
      if (seen) continue
      const lease = await Lease.get(bridgeId)
      if (lease?.host !== this.id || lease.epoch !== epoch) session.abandon()
    }
  }

  /** Removes the rows of deleted bridges. One host removes each. */
  async #removeGone(): Promise<void> {
    for (const { bridgeId, network, removedUntil } of await Lease.listByHost(GONE)) {
      // On AWS a sandbox's host may not touch the rows of other bridges; a live host may, also where the
      // sandbox is gone.
      if (network === "live" && this.#input.network !== "live") continue
      if (Lease.removalClaimLeft(removedUntil) > 0) continue
      const isRemoved = await removeBridge(bridgeId, this.id, this.#stopping.signal)
      if (this.#stopping.signal.aborted) return
      if (isRemoved) this.#log.info({ bridgeId }, "the rows of a deleted bridge were removed")
    }
  }

  /** Pauses bridges that are not linked and that no customer calls. The next call wakes them. */
  async #pauseIdle(): Promise<void> {
    for (const session of this.sessions.values()) {
      const { bridgeId, epoch } = session.lease
      if (!session.isIdleFor(this.#input.timing.idleMs)) continue
      const paused = await Lease.pauseIdle(session.lease)
      if (paused) this.#log.info({ bridgeId, epoch }, "a bridge was paused: nobody uses it")
      // If the bridge was not paused, another host holds it. Either way its lease is no longer ours.
      session.abandon()
    }
  }

  /**
   * How many more sessions fit. A host that runs a suspect runs nothing else until the suspect has proved
   * itself.
   */
  #room(): number {
    for (const session of this.sessions.values())
      if (Lease.isSuspect(session.lease) && !session.notes.isProven) return 0
    return Math.max(0, this.#input.capacity - this.sessions.size)
  }

  #mayTakeSuspect(lease: Lease.Info): boolean {
    return this.sessions.size + this.#wanted.size === 0 && now() >= Lease.triedAgainAt(lease)
  }

  /** Repeats the work until it succeeds; a host that was declared dead gives up. */
  async #repeat<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    for (let tries = 0; !this.#heartbeat.isDead; tries++) {
      try {
        return await work()
      } catch (error) {
        this.#log.warn({ error, tries }, "a change of a lease failed and is repeated")
        await sleep(Math.min(5000, 50 * 2 ** tries))
      }
    }
    return undefined
  }

  async #each(waitMs: number, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        await work()
      } catch (error) {
        this.#log.warn({ error }, "a look at the leases failed")
      }
      await sleep(waitMs, undefined, { signal }).catch(() => "stopped while asleep")
    }
  }
}

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
