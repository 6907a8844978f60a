import { randomUUID } from "node:crypto"
import { SQSClient } from "@aws-sdk/client-sqs"
import { Delivery } from "#core/event/delivery.ts"
import { store } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import {
  wrapClientCalls,
  type Operation,
  type StoreCommand,
  type Wrap,
} from "#test/support/wrap-client-calls.ts"
import type { BreakableRule } from "./breakable-rules.ts"
import { stepNamesOf } from "./step-of-command.ts"

/** Takes one rule out of this process's requests to the store. */
export function breakStore(broken: string | undefined): void {
  const without = stores.get(broken as BreakableRule) // of main.ts, or none
  if (without) wrapClientCalls(store, without)
}

/**
 * Takes one rule out of what this process rings.
 * @param forgotten without bells: of how many one is forgotten.
 */
export function breakQueue(broken: string | undefined, forgotten = 3): void {
  if (broken === "order") wrapClientCalls(SQSClient.prototype, ringing(ringApart))
  if (broken === "bell") wrapClientCalls(SQSClient.prototype, ringing(forgetOneIn(forgotten)))
}

function ringing(ring: Wrap): Wrap {
  return (command, go) => (command.name === "SendMessageCommand" ? ring(command, go) : go())
}

/** Rings twice, each time in a group of its own: nothing keeps deliverers of one bridge apart any more. */
const ringApart: Wrap = async (command, go) => {
  intoOwnGroup(command)
  await go()
  intoOwnGroup(command)
  return await go()
}

/** As if a promise rang by itself. */
function forgetOneIn(some: number): Wrap {
  let bells = 0
  return async (_, go) => (++bells % some === 0 ? {} : await go())
}

function intoOwnGroup({ input }: StoreCommand): void {
  Object.assign(input, { MessageGroupId: randomUUID(), MessageDeduplicationId: randomUUID() })
}

const always = "attribute_exists(pk)"

const stores = new Map<BreakableRule, Wrap>([
  ["credentials", changing(withLateCredentials())],
  ["numbers", withOldNumbers],
  ["fence", changing(withoutFence)],
  ["order", changing(withoutHolder)],
  ["idempotency", changing(withNewId)],
])

function changing(change: (command: StoreCommand) => void): Wrap {
  return (command, go) => {
    change(command)
    return go()
  }
}

/** As if there was a minute's time to keep credentials. */
function withLateCredentials(): (command: StoreCommand) => void {
  const since = new Map<unknown, number>()
  return ({ input }) => {
    const put = input.TransactItems?.find(({ Put }) => Put?.Item?.sk === "CREDS")?.Put
    if (!put) return
    const first = since.get(put.Item?.pk) ?? performance.now()
    since.set(put.Item?.pk, first)
    if (performance.now() - first > 60_000) since.delete(put.Item?.pk)
    else input.TransactItems = input.TransactItems!.filter(({ Put }) => Put !== put) // found above
  }
}

/** As if a new owner need not have seen the last event, and nothing kept it from writing over that. */
async function withOldNumbers(command: StoreCommand, go: () => Promise<unknown>): Promise<unknown> {
  const { input } = command
  for (const { Put } of input.TransactItems ?? [])
    if (Put?.TableName === tables.events && String(Put.Item?.sk).startsWith("EVENT#"))
      delete Put.ConditionExpression
  if (input.TableName !== tables.events || input.ScanIndexForward !== false) return await go()
  input.Limit = 2
  const found = (await go()) as { Items?: unknown[] } // of a query
  return { ...found, Items: found.Items?.slice(1) }
}

/** As if it was enough to have taken the lease once. */
function withoutFence({ input }: StoreCommand): void {
  for (const { ConditionCheck } of input.TransactItems ?? [])
    if (ConditionCheck && isLeaseCheck(ConditionCheck))
      ConditionCheck.ConditionExpression = `(${ConditionCheck.ConditionExpression}) OR ${always}`
}

function isLeaseCheck(check: NonNullable<Operation["ConditionCheck"]>): boolean {
  return check.Key?.sk === "LEASE" && check.ConditionExpression === "#host = :me AND epoch = :mine"
}

/** Lets a deliverer write as if no other could hold this delivery, nor have gone on meanwhile. */
function withoutHolder(command: StoreCommand): void {
  const isDelivery = stepNamesOf(command).some((word) => deliveryWords.has(word))
  if (!isDelivery) return
  const parts = [command.input, ...(command.input.TransactItems ?? []).flatMap(({ Update }) => Update ?? [])]
  for (const part of parts) {
    if (!part.ConditionExpression || part.ConditionExpression.includes(always)) continue
    for (const held of heldByUs)
      part.ConditionExpression = part.ConditionExpression.replace(held, `($& OR ${always})`)
  }
}

/** The parts of conditions by which others are kept off. */
const heldByUs = [`(holder = :nobody OR ${Delivery.ifDuePassed})`, /holder = :me(?: AND head <=? :\w+)?/]

const deliveryWords = new Set(["claim delivery", "advance", "go idle", "record failure", "pass on"])

/** As if a take-over was a new message. */
function withNewId({ input }: StoreCommand): void {
  if (!input.UpdateExpression?.includes("message_id = if_not_exists(message_id, :new)")) return
  input.UpdateExpression = input.UpdateExpression.replace("if_not_exists(message_id, :new)", ":new")
}
