import type { ErrorCode } from "#contract/error.ts"
import { ApiError, internalError } from "#core/error.ts"
import { toJid } from "#core/message/jid.ts"
import { nowMs } from "#core/platform/clock.ts"
import { sentMessage } from "../memory/messages/sent.ts"
import type { SessionStore } from "../memory/rows.ts"
import { SessionEnded } from "../memory/session-ended.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { Connection } from "../network/connection.ts"
import { notPaired } from "../network/refusals.ts"
import { isOpen, type Job, type Jobs } from "./jobs.ts"
import { chatOf, type Due, type End, type Plan, type Plans } from "./plans.ts"

/** How many planned messages of a bridge go at once, each to another chat. */
const mostAtOnce = 4
/** How many plans of a login that has ended are ended at a time. */
const endedAtOnce = 40
/** How long the next look waits at most, ms: while something waits for the number, and otherwise. */
const looks = { soonMs: 500, laterMs: 5000 }
/** How long a message waits after a refusal that passes, ms. */
const waits = { leastMs: 2000, mostMs: 60_000, ofFileMs: 30_000 }
/** How long the list of blocked people is believed, ms. */
const blockedForMs = 600_000

interface Input {
  plans: Plans
  jobs: Jobs
  store: SessionStore
  login: { readonly vault: Pick<SessionVault, "generation" | "namesOf"> }
  /** The connection, if it is open. */
  connection: () => Pick<Connection, "networkTime"> | undefined
  /** Whether anything is being sent. */
  isBusy: () => boolean
  /** Sends a plan as a call would. @returns when the network had it. @throws ApiError, SessionEnded */
  send: (plan: Plan) => Promise<number>
  /** The addresses of the people whom the account has blocked. @throws ApiError */
  blocked: () => Promise<Set<string>>
  isRestricted: () => boolean
  /** The gap of the bridge's pacing. */
  gapMs: () => number
  onError: (error: unknown) => void
}

/** Sends what is planned when its time comes, from now on. @returns a function that ends this */
export function startSendingPlans(input: Input): () => void {
  const sender = new PlanSender(input)
  input.plans.onChange = () => sender.wake()
  sender.wake()
  return () => sender.end()
}

class PlanSender {
  readonly #input: Input
  readonly #over = new AbortController()
  /** The chats to which planned messages go now. */
  readonly #taken = new Set<string>()
  /** Why a message waits, and until when (Unix ms). */
  readonly #waiting = new Map<string, { untilMs: number; error: ApiError }>()
  #isJobSending = false
  #isLooking = false
  /** Whether something has changed during the look that runs. */
  #isChanged = false
  #timer: NodeJS.Timeout | undefined
  #blocked: { names: Set<string>; untilMs: number } | undefined

  constructor(input: Input) {
    this.#input = input
  }

  end(): void {
    this.#over.abort()
    clearTimeout(this.#timer)
  }

  /** Looks soon. */
  wake(afterMs = 0): void {
    if (this.#over.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#lookUnlessLooking(), afterMs)
  }

  #lookUnlessLooking(): void {
    this.#isChanged = this.#isLooking
    if (!this.#isLooking) void this.#lookAndWait()
  }

  async #lookAndWait(): Promise<void> {
    this.#isLooking = true
    let waitMs: number | undefined = looks.laterMs
    try {
      waitMs = await this.#look()
    } catch (error) {
      this.#input.onError(error)
    }
    this.#isLooking = false
    if (waitMs !== undefined || this.#isChanged) this.wake(this.#isChanged ? 0 : waitMs)
  }

  /** @returns when to look again, ms; undefined: when something is planned */
  async #look(): Promise<number | undefined> {
    const { plans, jobs, login, connection } = this.#input
    const due = [...(await plans.due()).values()]
    const open = [...(await jobs.all()).values()].filter(isOpen)
    if (due.length === 0 && open.length === 0) return undefined
    const { generation } = login.vault
    await this.#endOfOthers(due, open, generation)
    const at = connection()?.networkTime()
    // Nothing expires while the number is away: only the network's clock is trusted.
    if (at === undefined) return looks.soonMs
    const now = due.filter((one) => one.sendAt <= at && one.generation === generation)
    this.#sendAll(now, at)
    const isAnyOfJobs = await this.#sendNextOfJobs(open, at)
    if (now.length > 0 || isAnyOfJobs) return looks.soonMs
    const next = Math.min(...[...due, ...open].map(({ sendAt }) => sendAt).filter((time) => time > at))
    return Math.min(looks.laterMs, Math.max(50, (next - at) * 1000 - 500))
  }

  /** Ends what was planned for a login that has ended: another phone sends none of it. */
  async #endOfOthers(due: Due[], open: Job[], generation: number): Promise<void> {
    const { plans, jobs } = this.#input
    const { code, message: reason } = notPaired()
    const others = due.filter((one) => one.generation !== generation && !plans.isHeld(one.id))
    for (const { id } of others.slice(0, endedAtOnce))
      await plans.holding(id, async () => {
        const plan = await plans.get(id)
        if (plan) await plans.end(plan, { state: "failed", code, reason })
      })
    for (const job of open)
      if (job.generation !== generation) await jobs.become(job, "stopped", "the phone was unlinked")
  }

  /** Begins to send what is due: to one chat one after the other, in the order of their times. */
  #sendAll(due: Due[], at: number): void {
    const { plans, onError } = this.#input
    const first = new Set<string>()
    for (const { id, chat } of due.toSorted((a, b) => a.sendAt - b.sendAt || a.plannedMs - b.plannedMs)) {
      if (this.#taken.size >= mostAtOnce) return
      if (first.has(chat) || this.#taken.has(chat)) continue
      first.add(chat)
      if (plans.isHeld(id) || (this.#waiting.get(id)?.untilMs ?? 0) > nowMs()) continue
      this.#taken.add(chat)
      const work = async () => {
        const plan = await plans.get(id)
        const end = plan && (at > plan.validUntil ? await this.#late(plan) : await this.#send(plan))
        if (end) await plans.end(plan, end)
      }
      plans
        .holding(id, work)
        .catch(onError)
        .finally(() => {
          this.#taken.delete(chat)
          this.wake()
        })
    }
  }

  /** How a message ends that could not go in time. One whose outcome is unknown may have left. */
  async #late({ id, messageId }: Plan): Promise<End> {
    const sent = await sentMessage(this.#input.store, messageId)
    if (sent?.state === "acked") return { state: "sent", sentAt: sent.timestamp }
    const { code, message } = this.#waiting.get(id)?.error ?? new ApiError("session_unavailable")
    if (!sent) return { state: "expired", code, reason: `it could not go in time: ${message}` }
    const { code: unknown, message: reason } = new ApiError("send_outcome_unknown", mayArrive)
    return { state: "failed", code: unknown, reason }
  }

  /** Tries to send a message. @returns how it ended; undefined if it is tried again */
  async #send(plan: Plan): Promise<End | undefined> {
    try {
      const sentAt = await this.#input.send(plan)
      this.#waiting.delete(plan.id)
      return { state: "sent", sentAt }
    } catch (thrown) {
      if (thrown instanceof SessionEnded) throw thrown
      if (!(thrown instanceof ApiError)) this.#input.onError(thrown)
      const error = thrown instanceof ApiError ? thrown : internalError()
      const waitMs = waitAfter(error)
      if (waitMs === undefined) return { state: "failed", code: error.code, reason: error.message }
      this.#waiting.set(plan.id, { untilMs: nowMs() + waitMs, error })
      return undefined
    }
  }

  /** Begins to send a job's next message if nothing else is being sent. @returns whether one waits */
  async #sendNextOfJobs(open: Job[], at: number): Promise<boolean> {
    const { jobs, isBusy, isRestricted } = this.#input
    for (const job of open) if (at > job.validUntil && !this.#isJobSending) await this.#expire(job)
    const running = open.filter(({ state, sendAt }) => state === "running" && sendAt <= at)
    if (isRestricted()) for (const job of running) await jobs.become(job, "paused", restricted)
    // The job that has waited longest comes first.
    const [job] = running.filter((one) => jobs.isDue(one, at)).toSorted((a, b) => a.lastMs - b.lastMs)
    if (!job || this.#isJobSending || this.#taken.size > 0 || isBusy()) return running.length > 0
    this.#isJobSending = true
    void this.#sendNextOf(job)
      .catch(this.#input.onError)
      .finally(() => {
        this.#isJobSending = false
        this.wake()
      })
    return true
  }

  async #sendNextOf(job: Job): Promise<void> {
    const { plans, jobs, gapMs } = this.#input
    const plan = await jobs.next(job)
    if (!plan || plans.isHeld(plan.id)) return
    await plans.holding(plan.id, async () => {
      const isBlocked = await this.#isBlocked(chatOf(plan.body)).catch(() => undefined)
      // It may have been paused or cancelled meanwhile.
      if (job.state !== "running" || job.next[0]?.id !== plan.id) return
      jobs.wait(job, Math.max(job.gapMs, 2 * gapMs()))
      if (isBlocked) return await jobs.end(job, plan, blockedEnd)
      const end = await this.#send(plan)
      if (!end) job.waitMs = Math.max(job.waitMs, this.#waiting.get(plan.id)!.untilMs - nowMs()) // it waits
      else await jobs.end(job, plan, end)
      if (end?.code === "network_rejected" && isOpen(job)) await jobs.become(job, "paused", end.reason)
    })
  }

  /** The first message that is left may have been tried. */
  async #expire(job: Job): Promise<void> {
    const { jobs, store } = this.#input
    const plan = await jobs.next(job)
    if (plan && (await sentMessage(store, plan.messageId))) await jobs.end(job, plan, await this.#late(plan))
    if (isOpen(job)) await jobs.become(job, "expired")
  }

  async #isBlocked(chat: string): Promise<boolean> {
    if (!this.#blocked || this.#blocked.untilMs < performance.now())
      this.#blocked = { names: await this.#input.blocked(), untilMs: performance.now() + blockedForMs }
    const { names } = this.#blocked
    return [...(await this.#input.login.vault.namesOf(toJid(chat)))].some((name) => names.has(name))
  }
}

const mayArrive = "the network did not answer, so the message may have arrived"
const restricted = "the network has restricted this number: look at it on the phone before you go on"
const blockedEnd: End = { state: "failed", code: "blocked", reason: "this number has blocked the person" }

/** Refusals that pass. */
const passing = new Set<ErrorCode>([
  "session_unavailable",
  "send_outcome_unknown",
  "idempotency_conflict",
  "rate_limited",
  "storage_full",
  "file_limit_reached",
  "internal_error",
])

/** How long to wait after a refusal, ms; undefined: it is definite. */
function waitAfter({ code, headers }: ApiError): number | undefined {
  if (code === "media_fetch_failed") return waits.ofFileMs
  const saidMs = 1000 * Number(headers["retry-after"] ?? 0)
  // New chats that no day allows have no such time.
  if (!passing.has(code) && !(code === "pacing" && saidMs > 0)) return undefined
  return Math.min(waits.mostMs, Math.max(waits.leastMs, saidMs))
}
