import { z } from "zod"
import type * as contract from "#contract/planned.ts"
import { farthest, mostPlanned } from "#contract/planned.ts"
import { ApiError, invalid } from "#core/error.ts"
import { statusChat, toJid } from "#core/message/jid.ts"
import { now, nowMs } from "#core/platform/clock.ts"
import { hashed } from "../chats/transcript.ts"
import type { Commits } from "../memory/commits.ts"
import { sentMessage } from "../memory/messages/sent.ts"
import type { Put, SessionStore, SessionWrite, Stored } from "../memory/rows.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { Statuses } from "./statuses.ts"

/** The row that is there once something was planned: a session without it looks for nothing. */
export const plansRow = "PLANS"
/** What is planned, and what became of it: each row is one of both. */
const prefixes = { planned: "PLAN#", over: "PLANNED#" } as const
/** Messages that are planned alone have the network's ids, which begin so. */
const alone = "3EB0"
/** Contract, "Planned sends", in seconds. */
const keptFor = 7 * 86_400

/** A message to be sent later: what its call asked for, and its life. */
const Plan = z.object({
  id: z.string(),
  messageId: z.string(),
  /** The path of the send at a host, and its body as it was checked. */
  path: z.string(),
  body: z.record(z.string(), z.unknown()),
  requestId: z.string(),
  /** By the network's clock, Unix seconds. */
  sendAt: z.number().int(),
  validUntil: z.number().int(),
  /** The login that it is planned for. */
  generation: z.number().int(),
  /** When it was planned, Unix ms: the order of those of one second. */
  plannedMs: z.number(),
  job: z.string().optional(),
})
export type Plan = z.infer<typeof Plan>

/** How a plan ended. */
export interface End {
  state: Exclude<z.infer<typeof contract.PlannedState>, "planned">
  sentAt?: number
  code?: string
  reason?: string
}

const Over = z.object({
  plan: Plan.omit({ body: true, path: true }).extend({
    chat: z.string(),
    kind: z.string(),
    text: z.string(),
  }),
  end: z.custom<End>((value) => typeof value === "object"),
})

/** What the session keeps in mind of a message that is planned alone. */
export interface Due extends Pick<Plan, "id" | "sendAt" | "plannedMs" | "generation"> {
  /** A hash: messages of one chat go one after the other. */
  chat: string
}

export interface PlansParts {
  store: SessionStore
  commits: Pick<Commits, "write">
  login: { readonly vault: Pick<SessionVault, "generation" | "phoneOf"> }
  statuses: Pick<Statuses, "neverWent">
}

/**
 * The messages that are to be sent later (Contract, "Planned sends"). A row each, of the session that sends
 * it: so a plan is fenced as all of a session's rows are, and whoever holds the bridge finds it. When it is
 * due it is sent as a call would be, under the message id that it has from the beginning.
 */
export class Plans {
  readonly #parts: PlansParts
  #isAny: boolean
  #due: Promise<Map<string, Due>> | undefined
  /** Those that are being sent, changed or cancelled. */
  readonly #held = new Set<string>()
  #lastMs = 0
  /** Called when something was planned, or changed. */
  onChange = (): void => {}

  /** @param row that of `plansRow`, if there is one */
  constructor(parts: PlansParts, row: Stored | undefined) {
    this.#parts = parts
    this.#isAny = row !== undefined
  }

  /** Whether anything was ever planned here. */
  get isAny(): boolean {
    return this.#isAny
  }

  /** Plans a message. One that has this id already stays as it is. @throws ApiError, SessionEnded */
  async add(
    wish: Omit<Plan, "id" | "validUntil" | "generation" | "plannedMs"> & { validFor: number },
  ): Promise<{ isRepeat: boolean; sendAt: number }> {
    const { messageId: id, sendAt, validFor, ...rest } = wish
    const earlier = await this.find(id)
    if (earlier) return { isRepeat: true, sendAt: earlier.send_at }
    const due = await this.due()
    mustBeAhead(sendAt)
    if (due.size >= mostPlanned) throw new ApiError("plan_limit_reached")
    const plan: Plan = { ...rest, id, messageId: id, ...this.born(), sendAt, validUntil: sendAt + validFor }
    await this.#parts.commits.write([...this.mark(), await this.row(plan)])
    due.set(id, await this.#dueOf(plan))
    this.onChange()
    return { isRepeat: false, sendAt }
  }

  /** The login and the moment of a new plan. */
  born(): Pick<Plan, "generation" | "plannedMs"> {
    this.#lastMs = Math.max(nowMs(), this.#lastMs + 1)
    return { generation: this.#parts.login.vault.generation, plannedMs: this.#lastMs }
  }

  /** The write that notes that something is planned here, if that is not noted yet. */
  mark(): SessionWrite[] {
    if (this.#isAny) return []
    this.#isAny = true
    return [this.#parts.store.put(plansRow, "")]
  }

  /** The row of a plan. It expires by itself: what is left of a stopped job is not removed one by one. */
  async row(plan: Plan): Promise<Put> {
    const { sendAt, plannedMs, validUntil, generation } = plan
    const { chat } = await this.#dueOf(plan)
    const head = { chat, send_at: sendAt, planned_ms: plannedMs, g: generation }
    // Longer than a number is away.
    const row = { ...head, expires_at: validUntil + 60 * 86_400 }
    return this.#parts.store.put(prefixes.planned + plan.id, JSON.stringify(plan), row)
  }

  /** Those that are planned alone, by id. @throws SessionEnded */
  async due(): Promise<Map<string, Due>> {
    if (!this.#isAny) return new Map()
    this.#due ??= this.#readDue()
    this.#due.catch(() => (this.#due = undefined))
    return await this.#due
  }

  async #readDue(): Promise<Map<string, Due>> {
    const prefix = prefixes.planned
    const rows = await this.#parts.store.heads(prefix + alone, ["chat", "send_at", "planned_ms", "g"])
    return new Map(rows.map(({ sk, row }) => [sk.slice(prefix.length), dueIn(sk.slice(prefix.length), row)]))
  }

  async #dueOf({ id, body, sendAt, plannedMs, generation }: Plan): Promise<Due> {
    const chat = hashed(await this.#parts.login.vault.phoneOf(toJid(chatOf(body))))
    return { id, chat, sendAt, plannedMs, generation }
  }

  /** A plan that is not over. @throws SessionEnded */
  async get(id: string): Promise<Plan | undefined> {
    const row = this.#isAny ? await this.#parts.store.get(prefixes.planned + id) : undefined
    return row && planIn(row)
  }

  /** A plan, over or not, as the contract shows it. @throws SessionEnded */
  async find(id: string): Promise<PlannedSend | undefined> {
    const plan = await this.get(id)
    if (plan) return wireOf(asOver(plan))
    const row = this.#isAny ? await this.#parts.store.get(prefixes.over + id) : undefined
    return row && overIn(row)
  }

  /** Some of the plans of a job, or of those planned alone: in the order of their ids, behind `after`. */
  async page(of: string, page: { after?: string | undefined; limit: number }): Promise<Plan[]> {
    return (await this.#page("planned", of, page)).map(planIn)
  }

  /** The same of those that are over. */
  async pageOver(of: string, page: { after?: string | undefined; limit: number }): Promise<PlannedSend[]> {
    return (await this.#page("over", of, page)).map(overIn)
  }

  async #page(kind: keyof typeof prefixes, of: string, page: { after?: string | undefined; limit: number }) {
    if (!this.#isAny) return []
    const after = page.after?.slice(of.length)
    return await this.#parts.store.page(prefixes[kind] + of, { ...page, after })
  }

  /** Plans a message for another time. @throws ApiError `not_planned`, SessionEnded */
  async move(id: string, sendAt: number, validFor: number | undefined): Promise<PlannedSend> {
    return await this.#whileStanding(id, async (plan) => {
      const due = await this.due()
      if (plan.job !== undefined)
        throw new ApiError("not_planned", "the time of a job holds for its messages")
      if (sendAt > now() + farthest) throw tooFar()
      const moved = { ...plan, sendAt, validUntil: sendAt + (validFor ?? plan.validUntil - plan.sendAt) }
      await this.#parts.commits.write([await this.row(moved)])
      due.set(id, await this.#dueOf(moved))
      this.onChange()
      return wireOf(asOver(moved))
    })
  }

  /**
   * Ends a plan that is not being sent.
   * @param beside makes further writes
   * @throws ApiError `not_planned`, SessionEnded
   */
  async cancel(id: string, beside: (plan: Plan, end: End) => SessionWrite[]): Promise<void> {
    const end = { state: "cancelled" } as const
    await this.#whileStanding(id, async (plan) => await this.end(plan, end, beside(plan, end)))
  }

  /** Works at a plan of which nothing can have left. @throws ApiError `not_planned` */
  async #whileStanding<Result>(id: string, work: (plan: Plan) => Promise<Result>): Promise<Result> {
    return await this.holding(id, async () => {
      const plan = await this.get(id)
      if (!plan || (await sentMessage(this.#parts.store, plan.messageId))) throw new ApiError("not_planned")
      return await work(plan)
    })
  }

  /** Whether somebody works at it. */
  isHeld(id: string): boolean {
    return this.#held.has(id)
  }

  /** Works at a plan alone. @throws ApiError `not_planned` while somebody else does */
  async holding<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#held.has(id)) throw new ApiError("not_planned")
    this.#held.add(id)
    try {
      return await work()
    } finally {
      this.#held.delete(id)
    }
  }

  /** Ends a plan, together with further writes. Resolves when that is durable. @throws SessionEnded */
  async end(plan: Plan, end: End, beside: SessionWrite[] = []): Promise<void> {
    const { store, commits, statuses, login } = this.#parts
    const over = JSON.stringify({ plan: asOver(plan).plan, end })
    const writes = [
      store.remove(prefixes.planned + plan.id),
      store.put(prefixes.over + plan.id, over, { expires_at: now() + keptFor }),
      ...beside,
    ]
    const due = await this.due()
    // What the network rejected has its event.
    const isTold = end.state === "sent" || end.state === "cancelled" || end.code === "network_rejected"
    const chat = await login.vault.phoneOf(toJid(chatOf(plan.body)))
    if (isTold) await commits.write(writes)
    else await statuses.neverWent({ messageId: plan.messageId, chat, reason: end.reason ?? "" }, writes)
    due.delete(plan.id)
    this.onChange()
  }
}

type PlannedSend = z.input<typeof contract.PlannedSend>
type OfOver = z.infer<typeof Over>

/** @throws ApiError `invalid_request` for a time that has passed, or is too far ahead */
export function mustBeAhead(sendAt: number): void {
  if (sendAt <= now())
    throw invalid([{ path: "send_at", message: "this time has passed: leave it out to send now" }])
  if (sendAt > now() + farthest) throw tooFar()
}

function tooFar(): ApiError {
  return invalid([{ path: "send_at", message: "more than 366 days ahead" }])
}

/** The chat that a send names; a status has the chat of all statuses. A reaction need not name one. */
export function chatOf(body: Plan["body"]): string {
  const { chat } = body
  if (typeof chat === "string") return chat
  return "message_id" in body ? "" : statusChat
}

/** The beginning of what a send says. */
function textOf({ body, caption, question, name, emoji }: Plan["body"]): string {
  const text = [body, caption, question, name, emoji].find((one) => typeof one === "string") ?? ""
  return text.slice(0, 1000).toWellFormed()
}

const Head = z.object({ chat: z.string(), send_at: z.number(), planned_ms: z.number(), g: z.number() })

function dueIn(id: string, row: Stored["row"]): Due {
  const { chat, send_at, planned_ms, g } = Head.parse(row)
  return { id, chat, sendAt: send_at, plannedMs: planned_ms, generation: g }
}

function planIn({ secret }: Stored): Plan {
  return Plan.parse(JSON.parse(secret.toString()))
}

function overIn({ secret }: Stored): PlannedSend {
  return wireOf(Over.parse(JSON.parse(secret.toString())))
}

/** A plan as it is shown and kept when it is over: without its whole body. */
export function asOver({ body, path, ...plan }: Plan): Pick<OfOver, "plan"> {
  const chat = typeof body.chat === "string" ? body.chat : ""
  return { plan: { ...plan, chat, kind: path.slice("/send/".length), text: textOf(body) } }
}

export function wireOf({ plan, end }: Pick<OfOver, "plan"> & { end?: End }): PlannedSend {
  return {
    id: plan.id,
    message_id: plan.messageId,
    chat: plan.chat,
    kind: plan.kind,
    text: plan.text,
    send_at: plan.sendAt,
    valid_until: plan.validUntil,
    state: end?.state ?? "planned",
    ...(plan.job !== undefined && { job: plan.job }),
    ...(end?.sentAt !== undefined && { sent_at: end.sentAt }),
    ...(end?.code !== undefined && { code: end.code }),
    ...(end?.reason !== undefined && { reason: end.reason }),
  }
}
