import * as contract from "#contract/planned.ts"
import { ApiError } from "#core/error.ts"
import { toJid } from "#core/message/jid.ts"
import { isOpen, jobWire } from "../send/jobs.ts"
import { asOver, type Plan, wireOf } from "../send/plans.ts"
import type { Session } from "../session/session.ts"
import { type Called, command, pageResponse, suffixOf } from "./command.ts"
import { messages } from "./messages.ts"
import { keptResponse } from "./plan-send.ts"

/** Sends what was planned as a call would. @returns when the network had it. @throws as its command */
export async function sendPlanned(session: Session, plan: Plan): Promise<number> {
  const { path, body, messageId, requestId } = plan
  const send = Object.values(messages).find(({ route }) => suffixOf(route.path) === path)
  if (!send) throw new ApiError("invalid_request", "this release cannot send this any more: send it anew")
  const { bridgeId, epoch } = session.lease
  const call = { method: "POST", path, bridgeId, epoch, messageId, requestId }
  const answer = await send.repeat({ session, call, body })
  const { timestamp } = (await answer.json()) as { timestamp: number } // of every send
  return timestamp
}

/** A job answers for its messages: what is left of one that is over never goes. */
async function shown(session: Session, plan: Plan) {
  const wire = wireOf(asOver(plan))
  if (plan.job === undefined) return wire
  const { jobs } = await session.memory()
  const job = await jobs.get(plan.job)
  if (isOpen(job)) return wire
  const state = job.state === "expired" ? ("expired" as const) : ("cancelled" as const)
  return { ...wire, state, ...(job.reason !== undefined && { reason: job.reason }) }
}

/**
 * A planned message, over or not.
 * @param chat if it is given, one to another chat is not there
 * @throws ApiError `not_found`
 */
async function found(session: Session, id: string, chat: string | undefined) {
  const { plans, vault } = await session.memory()
  const plan = await plans.get(id)
  const one = plan ? await shown(session, plan) : await plans.find(id)
  if (one && (chat === undefined || (await vault.namesOf(toJid(chat))).has(toJid(one.chat)))) return one
  const where = chat === undefined ? "" : " in this chat"
  throw new ApiError("not_found", `no such message is planned${where}, or was within the last 7 days`)
}

/** A page of what is to go. A job's messages are in the order of its list, others in that of their times. */
async function pageOfPlanned(session: Session, { job, after, limit }: Asked): Promise<Plan[]> {
  const { plans } = await session.memory()
  if (job !== undefined) return await plans.page(`${job}-`, { after, limit })
  const due = [...(await plans.due()).values()]
  const ids = due.toSorted((a, b) => a.sendAt - b.sendAt || a.plannedMs - b.plannedMs).map(({ id }) => id)
  const from = after === undefined ? 0 : ids.indexOf(after) + 1
  const found = await Promise.all(ids.slice(from, from + limit).map((id) => plans.get(id)))
  return found.flatMap((plan) => plan ?? [])
}

type Asked = Called<typeof contract.listPlanned>["query"]

export const planned = {
  listPlanned: command(contract.listPlanned, async ({ session, query }) => {
    const { plans, jobs, vault } = await session.memory()
    const { state, job, chat, limit } = query
    const isLeft = job !== undefined && !isOpen(await jobs.get(job))
    // What is left of a job that is over is no longer planned: it comes behind what has ended.
    const over = state === "over" ? await plans.pageOver(job === undefined ? "3EB0" : `${job}-`, query) : []
    const isPlanned = isLeft ? state === "over" && over.length < limit : state === "planned"
    const rest = isPlanned ? await pageOfPlanned(session, { ...query, limit: limit - over.length }) : []
    const page = [...over, ...(await Promise.all(rest.map((plan) => shown(session, plan))))]
    const names = chat === undefined ? undefined : await vault.namesOf(toJid(chat))
    const chosen = page.filter((one) => !names || names.has(toJid(one.chat)))
    return pageResponse(chosen, page.length === limit ? page.at(-1)?.id : undefined)
  }),

  getPlanned: command(contract.getPlanned, ({ session, params, query }) =>
    found(session, params.id, query.chat),
  ),

  changePlanned: command(contract.changePlanned, async ({ session, params, query, body }) => {
    await found(session, params.id, query.chat)
    const { plans } = await session.memory()
    return await plans.move(params.id, body.send_at, body.valid_for)
  }),

  cancelPlanned: command(contract.cancelPlanned, async ({ session, params, query }) => {
    await found(session, params.id, query.chat)
    const { plans, jobs } = await session.memory()
    const of = /^(job_.*)-/.exec(params.id)?.[1]
    const job = of === undefined ? undefined : await jobs.get(of)
    if (job && !isOpen(job)) throw new ApiError("not_planned", `the job is over: it is \`${job.state}\``)
    await plans.cancel(params.id, (plan, end) => (job ? jobs.countedEnd(job, plan, end) : []))
    return { ok: true as const }
  }),

  createJob: command(contract.createJob, async ({ session, call, body }) => {
    await (await session.linking()).paired()
    const { jobs, createdGroups } = await session.memory()
    if (!call.messageId) throw new ApiError("invalid_request", "the call names no message id")
    const id = `job_${call.messageId}`
    const { job, isRepeat } = await createdGroups.alone(id, () => jobs.add(id, body, call.requestId))
    return keptResponse(jobWire(job), isRepeat)
  }),

  listJobs: command(contract.listJobs, async ({ session }) => {
    const { jobs } = await session.memory()
    return [...(await jobs.all()).values()].map(jobWire).toSorted((a, b) => b.created_at - a.created_at)
  }),

  getJob: command(contract.getJob, async ({ session, params }) => {
    const { jobs } = await session.memory()
    return jobWire(await jobs.get(params.id))
  }),

  changeJob: command(contract.changeJob, async ({ session, params, body }) => {
    const { jobs } = await session.memory()
    const job = await jobs.get(params.id)
    await jobs.become(job, body.state)
    return jobWire(job)
  }),
}
