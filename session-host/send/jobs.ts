import { z } from "zod"
import * as contract from "#contract/planned.ts"
import { ApiError, invalid, type Issue } from "#core/error.ts"
import { toJid } from "#core/message/jid.ts"
import { messageIdFor } from "#core/message/message-id.ts"
import { now, nowMs, timeLeft } from "#core/platform/clock.ts"
import type { SessionWrite, Stored } from "../memory/rows.ts"
import { type End, mustBeAhead, type Plan, Plans, type PlansParts } from "./plans.ts"

const prefix = "JOB#"
/** In seconds. */
const keptFor = 30 * 86_400
/** The rows of a job that one transaction writes: a message of somebody else waits for no more. */
const writtenAtOnce = 90
const readAtOnce = 20

const Info = z.object({
  id: z.string(),
  name: z.string(),
  text: z.string(),
  createdAt: z.number(),
  sendAt: z.number(),
  validUntil: z.number(),
  gapMs: z.number(),
  generation: z.number(),
  state: z.enum(["running", "paused", "stopped", "expired", "done"]),
  reason: z.string().optional(),
  total: z.number(),
  sent: z.number(),
  failed: z.number(),
  cancelled: z.number(),
  /** When the last message went, Unix ms. */
  lastMs: z.number(),
})

/** A job, and what the session keeps in mind of it. */
export type Job = z.infer<typeof Info> & {
  /** How long the next message waits after the last one, ms. */
  waitMs: number
  /** The next messages, as far as they were read. */
  next: Plan[]
}

type Asked = z.output<(typeof contract.createJob.request.body.content)["application/json"]["schema"]>

/**
 * Jobs of many messages (Contract, "Jobs"): each message is a plan, and the job's own row counts what became
 * of them. The end of a message and its count are one unit, so each is counted once.
 */
export class Jobs {
  readonly #parts: PlansParts & { plans: Plans }
  #all: Promise<Map<string, Job>> | undefined

  constructor(parts: PlansParts & { plans: Plans }) {
    this.#parts = parts
  }

  /** All that are known, by id. @throws SessionEnded */
  async all(): Promise<Map<string, Job>> {
    if (!this.#parts.plans.isAny) return new Map()
    this.#all ??= this.#parts.store.list(prefix).then(
      (rows) =>
        new Map(
          rows.map(({ secret }) => {
            const info = Info.parse(JSON.parse(secret.toString()))
            return [info.id, { ...info, waitMs: info.gapMs, next: [] }]
          }),
        ),
    )
    this.#all.catch(() => (this.#all = undefined))
    return await this.#all
  }

  /** @throws ApiError `not_found`, SessionEnded */
  async get(id: string): Promise<Job> {
    const job = (await this.all()).get(id)
    if (!job) throw new ApiError("not_found", "there is no such job, or it is older than 30 days")
    return job
  }

  /** Takes a job with all its messages. One that has this id already stays as it is. @throws ApiError */
  async add(id: string, asked: Asked, requestId: string): Promise<{ job: Job; isRepeat: boolean }> {
    const earlier = (await this.all()).get(id)
    if (earlier) return { job: earlier, isRepeat: true }
    const open = [...(await this.all()).values()].filter(isOpen)
    if (open.length >= contract.mostJobs)
      throw new ApiError("plan_limit_reached", `${contract.mostJobs} jobs are under way: stop one, or wait`)
    if (asked.send_at !== undefined) mustBeAhead(asked.send_at)
    const { plans, commits } = this.#parts
    const texts = await this.#textsOf(asked)
    const sendAt = asked.send_at ?? now()
    const about = { sendAt, validUntil: sendAt + asked.valid_for, generation: plans.born().generation }
    const made = texts.map(({ chat, body }, at) => {
      const more = asked.new_chat && { new_chat: asked.new_chat }
      const own = { id: itemId(id, at + 1), messageId: messageIdFor(id, String(at)) }
      const what = { path: "/send/text", body: { chat, body, ...more }, requestId, job: id }
      return { ...about, ...what, ...own, plannedMs: nowMs() }
    })
    await commits.write(plans.mark())
    for (let at = 0; at < made.length; at += writtenAtOnce) {
      const some = made.slice(at, at + writtenAtOnce).map((plan) => plans.row(plan))
      await commits.write(await Promise.all(some))
    }
    const job: Job = {
      ...about,
      id,
      name: asked.name ?? "",
      text: texts[0]!.body.slice(0, 200).toWellFormed(), // of one at least
      createdAt: now(),
      gapMs: asked.gap_ms,
      state: "running",
      total: texts.length,
      sent: 0,
      failed: 0,
      cancelled: 0,
      lastMs: 0,
      waitMs: 0,
      next: [],
    }
    // Comes last: without it nothing of the job is ever sent.
    await commits.write([this.#row(job)])
    const all = await this.all()
    all.set(id, job)
    plans.onChange()
    return { job, isRepeat: false }
  }

  /** What each message says. @throws ApiError `invalid_request` */
  async #textsOf({
    messages,
    template,
    gap_ms,
    valid_for,
  }: Asked): Promise<{ chat: string; body: string }[]> {
    const issues: Issue[] = []
    // Up to half of a gap is added to it.
    const takesMs = (messages.length - 1) * gap_ms * 1.25
    const hours = Math.ceil(takesMs / 3_600_000)
    if (takesMs / 1000 > valid_for)
      issues.push({
        path: "gap_ms",
        message: `so many messages with this gap take ${hours} hours: shorten it, raise valid_for, or make several jobs`,
      })
    const places = new Map<string, number>()
    const texts: { chat: string; body: string }[] = []
    for (const [at, { chat, body, fields = {} }] of messages.entries()) {
      const fault = (field: string, message: string) =>
        issues.push({ path: `messages.${at}.${field}`, message })
      const jid = await this.#parts.login.vault.phoneOf(toJid(chat))
      const before = places.get(jid)
      if (before !== undefined) fault("chat", `the same chat as messages.${before}`)
      places.set(jid, at)
      if ((body === undefined) === (template === undefined))
        fault("body", "give either a `template` for all, or each message its `body`")
      const missing = new Set<string>()
      const filled = template?.replaceAll(/\{\{(\w{1,40})\}\}/g, (_, name: string) => {
        if (!Object.hasOwn(fields, name)) missing.add(name)
        return fields[name] ?? ""
      })
      if (missing.size > 0) fault("fields", `lacks ${[...missing].join(", ")}`)
      const text = body ?? filled ?? ""
      if (missing.size === 0 && (text === "" || text.length > 65_536))
        fault("fields", "the text becomes empty or too long")
      texts.push({ chat, body: text })
      if (issues.length > 100) break
    }
    if (issues.length > 0) throw invalid(issues)
    return texts
  }

  /** The next message that is to go; undefined if none is left. @throws SessionEnded */
  async next(job: Job): Promise<Plan | undefined> {
    if (job.next.length === 0) job.next = await this.#parts.plans.page(`${job.id}-`, { limit: readAtOnce })
    return job.next[0]
  }

  /** Ends a message of a job. @throws SessionEnded */
  async end(job: Job, plan: Plan, end: End): Promise<void> {
    await this.#parts.plans.end(plan, end, this.countedEnd(job, plan, end))
  }

  /** The writes that count the end of a message. */
  countedEnd(job: Job, plan: Plan, { state }: End): SessionWrite[] {
    job.next = job.next.filter(({ id }) => id !== plan.id)
    if (state === "sent" || state === "cancelled") job[state]++
    else job.failed++
    if (job.sent + job.failed + job.cancelled === job.total) job.state = "done"
    return [this.#row(job)]
  }

  /** Whether the time of the job's next message has come. `at`: Unix seconds, by the network's clock. */
  isDue(job: Job, at: number): boolean {
    return job.sendAt <= at && timeLeft(job.lastMs + job.waitMs, job.waitMs, nowMs()) === 0
  }

  /** A message goes now: the next one waits for so long, and up to half as much more. */
  wait(job: Job, gapMs: number): void {
    job.lastMs = nowMs()
    job.waitMs = gapMs * (1 + Math.random() / 2)
  }

  /**
   * Pauses a job, lets it go on, or ends it. From now on nothing of a job that does not run begins to be
   * sent. Resolves when that is durable.
   * @throws ApiError `not_planned` for one that is over, SessionEnded
   */
  async become(job: Job, state: Job["state"], reason?: string): Promise<void> {
    if (job.state === state) return
    if (!isOpen(job)) throw new ApiError("not_planned", `this job is over: it is \`${job.state}\``)
    job.state = state
    delete job.reason
    if (reason !== undefined) job.reason = reason
    await this.#parts.commits.write([this.#row(job)])
    this.#parts.plans.onChange()
  }

  #row({ waitMs: _waits, next: _next, ...info }: Job): SessionWrite {
    return this.#parts.store.put(prefix + info.id, JSON.stringify(info), {
      expires_at: info.validUntil + keptFor,
    })
  }
}

/** @param row that of `plansRow`, if there is one */
export function plansAndJobs(parts: PlansParts, row: Stored | undefined): { plans: Plans; jobs: Jobs } {
  const plans = new Plans(parts, row)
  return { plans, jobs: new Jobs({ ...parts, plans }) }
}

/** Whether it may still send. */
export function isOpen({ state }: Job): boolean {
  return state === "running" || state === "paused"
}

/** The id of a job's message: ids of one job sort in the order of its list. */
function itemId(job: string, place: number): string {
  return `${job}-${String(place).padStart(5, "0")}`
}

export function jobWire(job: Job): z.input<typeof contract.Job> {
  const { sent, failed, cancelled, total, name, text, state, reason, id } = job
  return {
    id,
    name,
    state,
    ...(reason !== undefined && { reason }),
    text,
    created_at: job.createdAt,
    send_at: job.sendAt,
    valid_until: job.validUntil,
    gap_ms: job.gapMs,
    total,
    sent,
    failed,
    cancelled,
    left: total - sent - failed - cancelled,
  }
}
