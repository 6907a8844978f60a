import { hash } from "node:crypto"
import getItem from "dynalite/actions/getItem.js"
import { validationError, type Item } from "dynalite/db/index.js"
import { act, type actions, draft, isBlind, targetOf, type Draft, type Write } from "./engine/draft.ts"
import type { Call, Faults, Rule } from "./faults.ts"
import type { Engine } from "./engine/engine.ts"
import { exceededMessage, type Throughput, writeUnits } from "./engine/throughput.ts"
import { Refusal } from "./refusal.ts"
import { inProgress } from "./engine/tokens.ts"

type Kind = keyof typeof actions
interface Reason {
  Code: string
  Message?: string
  Item?: unknown
}
export interface TransactWriteRequest {
  TransactItems: Partial<Record<Kind, Write>>[]
  ClientRequestToken?: string
}
export interface TransactGetRequest {
  TransactItems: { Get: Write }[]
}

/** "The aggregate size of the items in the transaction cannot exceed 4 MB." */
const maxBytes = 4 * 1024 * 1024

/** TransactWriteItems: applies all of its members, or none and gives a reason for each; once per token. */
export async function transactWrite(engine: Engine, request: TransactWriteRequest) {
  if (engine.faults.take("transaction-in-progress", { operation: "TransactWriteItems", request }))
    throw inProgress()
  const work = () => write(engine, request)
  const token = request.ClientRequestToken
  await (token ? engine.tokens.once(token, digestOf(request.TransactItems), work) : work())
  return {}
}

/** Short, since it is kept for ten minutes: two different requests look the same with a chance of 1 in 2^72. */
function digestOf(members: object): string {
  return hash("sha256", JSON.stringify(members), "base64").slice(0, 12)
}

async function write(engine: Engine, request: TransactWriteRequest) {
  const { store, rows, hold, commits } = engine
  const members = request.TransactItems.map(memberOf)
  const targets = await Promise.all(members.map((member) => targetOf(store, member.write)))
  const items = targets.map(({ name }) => name)
  if (new Set(items).size < items.length)
    throw validationError("Transaction request cannot include multiple operations on one item")

  const call = { operation: "TransactWriteItems", request }
  cancelIfFaulty(engine.faults, call)
  await hold(items, async () => {
    const looked = targets.filter((target, at) => !isBlind(members[at]!.kind, members[at]!.write, target))
    const before = await rows.read(looked.map(({ name }) => name))
    const outcomes = await Promise.allSettled(
      members.map((member, at) => draft(store, member.kind, member.write, before.get(items[at]!))),
    )
    const drafts = draftsOf(outcomes)
    const bytes = drafts.reduce((sum, { size }) => sum + size, 0)
    if (bytes > maxBytes) throw tooLarge()
    const asked = drafts.map((draft, at) => [items[at]!, ...draft.indexRows.map((row) => row.key)])
    cancelIfExhausted(engine.partitions, asked)
    await commits.apply(drafts, call)
    for (const [at, rows] of asked.entries())
      for (const row of rows) engine.partitions.take("writes", row, 2 * writeUnits(drafts[at]!.size))
  })
}

/** All drafts; otherwise throws the cancellation with a reason for each member. */
function draftsOf(outcomes: PromiseSettledResult<Draft>[]): Draft[] {
  const drafts = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []))
  if (drafts.length === outcomes.length) return drafts
  throw cancelled(
    outcomes.map((outcome) => (outcome.status === "fulfilled" ? { Code: "None" } : reasonOf(outcome.reason))),
  )
}

/** TransactGetItems: the items as they were at one moment. */
export async function transactGet(engine: Engine, request: TransactGetRequest) {
  const { store, hold } = engine
  const reads = request.TransactItems.map((member) => member.Get)
  const targets = await Promise.all(reads.map((read) => targetOf(store, read)))
  const items = targets.map(({ name }) => name)
  cancelIfFaulty(engine.faults, { operation: "TransactGetItems", request })
  // The locks keep everybody from writing them meanwhile, so this is one state of all.
  const responses = await hold([...new Set(items)], () =>
    Promise.all(reads.map((read) => act(getItem, store, read))),
  )
  return { Responses: responses.map((response) => ({ Item: (response as { Item?: Item }).Item })) } // of getItem
}

function memberOf(member: TransactWriteRequest["TransactItems"][number]) {
  const [entry] = Object.entries(member)
  const [kind, request] = entry as [Kind, Write] // validated: exactly one
  return { kind, write: request }
}

function cancelIfFaulty(faults: Faults, call: Call & { request: { TransactItems: unknown[] } }) {
  const blame = (rule: Rule, reason: Reason) =>
    cancelled(
      call.request.TransactItems.map((_, at) => (at === (rule.position ?? 0) ? reason : { Code: "None" })),
    )

  const conflict = faults.take("transaction-conflict", call)
  if (conflict)
    throw blame(conflict, { Code: "TransactionConflict", Message: "Transaction is ongoing for the item" })
  const exceeded = faults.take("throughput-exceeded", call)
  if (exceeded) throw blame(exceeded, { Code: "ProvisionedThroughputExceeded", Message: exceededMessage })
}

function cancelIfExhausted(partitions: Throughput, asked: string[][]) {
  if (!partitions.isBounded) return
  const exhausted = asked.map((rows) => partitions.isExhausted("writes", rows))
  if (!exhausted.includes(true)) return
  throw cancelled(
    exhausted.map((is) => (is ? { Code: "ThrottlingError", Message: exceededMessage } : { Code: "None" })),
  )
}

/** @throws the error itself if it is not an answer of DynamoDB's: our own bug. */
function reasonOf(error: unknown): Reason {
  if (!Refusal.is(error)) throw error
  const Code =
    Refusal.nameOf(error) === "ConditionalCheckFailedException" ? "ConditionalCheckFailed" : "ValidationError"
  return { Code, Message: error.message, Item: error.body.Item }
}

function cancelled(reasons: Reason[]) {
  const codes = reasons.map((reason) => reason.Code).join(", ")
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`
  return new Refusal("TransactionCanceledException", message, {
    Message: message,
    CancellationReasons: reasons,
  })
}

function tooLarge() {
  return validationError("Transaction request exceeds the maximum allowed size of 4 MB")
}
