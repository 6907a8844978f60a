import { hash } from "node:crypto"
import { type Draft, draft, type WriteKind, partitionsOf, prepare } from "./draft-of-write.ts"
import type { EngineParts } from "./engine-parts.ts"
import type { Call, Faults } from "./faults.ts"
import { invalid, Refusal } from "./refusal.ts"
import type { TransactWriteItems, Write } from "./requests.ts"
import { exceededMessage, type Throughput } from "./throughput.ts"
import { inProgress } from "./tokens.ts"
import { type Item, largestItem } from "./values/value.ts"
import { takeUnits } from "./writes.ts"

interface Reason {
  Code: string
  Message?: string
  Item?: unknown
}

/** "The aggregate size of the items in the transaction cannot exceed 4 MB." */
const maxBytes = 4 * 1024 * 1024

/** TransactWriteItems: applies all members, or none and gives a reason for each; only once per token. */
export async function transactWrite(engine: EngineParts, request: TransactWriteItems): Promise<object> {
  const call = { operation: "TransactWriteItems", request }
  if (engine.faults.hit("transaction-in-progress", call)) throw inProgress()
  const members = request.TransactItems.map((member) => {
    const [[kind, write]] = Object.entries(member) as [[WriteKind, Write]] // exactly one, by its shape
    return prepare(engine.tables, kind, write)
  })
  const names = members.map(({ name }) => name)
  if (new Set(names).size < names.length)
    throw invalid("Transaction request cannot include multiple operations on one item")

  const drafts: Draft[] = []
  const asked: string[][] = []
  function judge(before: (Item | undefined)[]): Draft[] {
    cancelIfFaulty(engine.faults, call)
    drafts.push(...draftsOf(members.map((member, at) => () => draft(member, before[at]))))
    // A few items never do.
    const mayExceed = drafts.length * largestItem > maxBytes
    if (mayExceed && drafts.reduce((sum, { size }) => sum + size(), 0) > maxBytes)
      throw invalid("Transaction request exceeds the maximum allowed size of 4 MB")
    asked.push(...drafts.map((drafted, at) => partitionsOf(members[at]!, drafted)))
    cancelIfExhausted(engine.partitions, asked)
    return drafts
  }
  const token = request.ClientRequestToken
  const once = token === undefined ? undefined : { token, content: digestOf(request) }
  await engine.keeper.change(members, judge, call, once)
  for (const [at, drafted] of drafts.entries()) takeUnits(engine, asked[at]!, drafted, 2)
  return {}
}

/**
 * Short, since it is kept for ten minutes: two different requests look the same with a chance of 1 in 2^72.
 */
function digestOf({ TransactItems: members }: TransactWriteItems): string {
  return hash("sha256", JSON.stringify(members), "base64").slice(0, 12)
}

/** All drafts; otherwise throws the cancellation with a reason for each member. */
function draftsOf(members: (() => Draft)[]): Draft[] {
  const drafts: Draft[] = []
  const reasons = members.map((attempt): Reason => {
    try {
      drafts.push(attempt())
      return { Code: "None" }
    } catch (error) {
      return reasonOf(error)
    }
  })
  if (drafts.length < members.length) throw cancelled(reasons)
  return drafts
}

function cancelIfFaulty(faults: Faults, call: Call & { request: TransactWriteItems }) {
  const [, ...blameless] = call.request.TransactItems
  const blameFirst = (reason: Reason) => cancelled([reason, ...blameless.map(() => ({ Code: "None" }))])

  if (faults.hit("transaction-conflict", call))
    throw blameFirst({ Code: "TransactionConflict", Message: "Transaction is ongoing for the item" })
  if (faults.hit("throughput-exceeded", call))
    throw blameFirst({ Code: "ProvisionedThroughputExceeded", Message: exceededMessage })
}

function cancelIfExhausted(partitions: Throughput, asked: string[][]) {
  if (!partitions.isBounded) return
  const exhausted = asked.map((of) => partitions.isExhausted("writes", of))
  if (!exhausted.includes(true)) return
  throw cancelled(
    exhausted.map((is) => (is ? { Code: "ThrottlingError", Message: exceededMessage } : { Code: "None" })),
  )
}

/** @throws the error itself if DynamoDB would not answer so: it is our own bug */
function reasonOf(error: unknown): Reason {
  if (!(error instanceof Refusal)) throw error
  const Code = error.name === "ConditionalCheckFailedException" ? "ConditionalCheckFailed" : "ValidationError"
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
