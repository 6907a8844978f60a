import { randomUUID } from "node:crypto"
import { SQSClient } from "@aws-sdk/client-sqs"
import { store } from "#core/store.ts"
import { around, type Operation, type StoreCommand } from "#test/support/around.ts"
import type { Broken } from "./broken.ts"
import { wordsOf } from "./words.ts"

/** Takes one rule out of what this process asks of the store. */
export function breakStore(broken: string | undefined): void {
  const change = changes.get(broken as Broken) // of main.ts, or none
  if (!change) return
  around(store, (command, go) => {
    change(command)
    return go()
  })
}

/** Rings twice, each time in a group of its own: nothing keeps deliverers of one bridge apart any more. */
export function breakQueue(broken: string | undefined): void {
  if (broken !== "order") return
  around(SQSClient.prototype, async (command, go) => {
    if (command.name !== "SendMessageCommand") return await go()
    intoOwnGroup(command)
    await go()
    intoOwnGroup(command)
    return await go()
  })
}

function intoOwnGroup({ input }: StoreCommand): void {
  Object.assign(input, { MessageGroupId: randomUUID(), MessageDeduplicationId: randomUUID() })
}

const always = "attribute_exists(pk)"

const changes = new Map<Broken, (command: StoreCommand) => void>([
  ["journal", withoutJournal],
  ["fence", withoutFence],
  ["order", withoutHolder],
  ["idempotency", withNewId],
])

/** As if the receipt meant that the message is safe. */
function withoutJournal({ input }: StoreCommand): void {
  const items = input.TransactItems
  if (items) input.TransactItems = items.filter(({ Put }) => !String(Put?.Item?.sk).startsWith("JOURNAL#"))
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

/** As if nobody else could deliver this bridge, nor have gone on meanwhile. */
function withoutHolder(command: StoreCommand): void {
  const isDelivery = wordsOf(command).some((word) => deliveryWords.has(word))
  if (!isDelivery) return
  const parts = [command.input, ...(command.input.TransactItems ?? []).flatMap(({ Update }) => Update ?? [])]
  for (const part of parts as { ConditionExpression?: string }[]) {
    if (!part.ConditionExpression || part.ConditionExpression.includes(always)) continue
    part.ConditionExpression = part.ConditionExpression.replace(
      /\(holder = :nobody OR due < :now\)|holder = :me(?: AND head = :head)?/,
      `($& OR ${always})`,
    )
  }
}

const deliveryWords = new Set([
  "claim delivery",
  "count attempt",
  "advance",
  "go idle",
  "record failure",
  "pass on",
])

/** As if a take-over was a new message. */
function withNewId({ input }: StoreCommand): void {
  if (!input.UpdateExpression?.includes("message_id = if_not_exists(message_id, :new)")) return
  input.UpdateExpression = input.UpdateExpression.replace("if_not_exists(message_id, :new)", ":new")
}
