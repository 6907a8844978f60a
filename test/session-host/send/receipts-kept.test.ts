// Without a host: one would take a lease in the moment in which a test has let it go.

import { expect, test } from "vitest"
import { Lease } from "#core/lease/lease.ts"
import { newMessageId } from "#core/message/message-id.ts"
import type { Receipt } from "#session-host/network/connection.ts"
import { transactions } from "#test/support/recorded-writes.ts"
import { eventsOfType } from "#test/support/session/host.ts"
import { aMemory } from "#test/support/session/memory.ts"
import { dynamoDb } from "#test/support/store.ts"

/** A message to Bob that a session has sent, without a network. */
async function aSentMessage(memory: Awaited<ReturnType<typeof aMemory>>["memory"], chat = "1@lid") {
  const outgoing = { messageId: newMessageId(), chat, message: Buffer.alloc(0) }
  await memory.vault.change({ outgoing: { ...outgoing, members: members(40) } })
  await memory.statuses.acked({ ...outgoing, generation: memory.vault.generation }, 100)
  return outgoing.messageId
}
const members = (count: number) => Array.from({ length: count }, (_, i) => `${i}@lid`)
const receipt = (id: string, more: Partial<Receipt> = {}): Receipt => ({
  kind: "delivered",
  messageIds: [id],
  chat: "1@lid",
  person: ["1@lid"],
  timestamp: 200,
  ...more,
})

async function aFollowingMemory(bridgeId?: string) {
  const held = await aMemory({ ...(bridgeId && { bridgeId }), choice: { events: ["message_status"] } })
  const told = async () => (await eventsOfType(held.bridgeId, "message_status")).map(({ status }) => status)
  return { ...held, told }
}

test("a receipt whose change was lost with the host counts when it comes again; a kept one's does not", async () => {
  const first = await aFollowingMemory()
  const id = await aSentMessage(first.memory)
  const away = dynamoDb.faults.add({ fault: "throttling", operation: "TransactWriteItems" })
  await first.memory.statuses.recordReceipts([receipt(id)])
  first.crash()
  away()
  await Lease.release(first.lease)
  const second = await aFollowingMemory(first.bridgeId)
  await second.memory.statuses.recordReceipts([receipt(id)])
  await second.memory.commits.whenKept()
  second.crash()
  await Lease.release(second.lease)
  const third = await aFollowingMemory(first.bridgeId)
  await third.memory.statuses.recordReceipts([receipt(id)])
  await third.memory.settled()
  expect(await third.told()).toEqual(["sent", "delivered"])
})

test("a burst of receipts in a group is a few changes of its row, and the acks wait for them", async () => {
  const { memory, told } = await aFollowingMemory()
  const id = await aSentMessage(memory, "9@g.us")
  const asked = transactions()
  const taken = members(40).map((member) =>
    memory.statuses.recordReceipts([receipt(id, { chat: "9@g.us", person: [member] })]),
  )
  await Promise.all(taken)
  await memory.commits.whenKept()
  expect(asked.filter(({ rows }) => rows.includes(`SEND#${id}`))).toHaveLength(1)
  expect(await told()).toEqual(["sent", "delivered"])
})

test("receipts that wait for others when the session ends are refused, so that they come again", async () => {
  const { memory, crash } = await aFollowingMemory()
  const id = await aSentMessage(memory, "9@g.us")
  const taken = memory.statuses.recordReceipts([receipt(id, { chat: "9@g.us", person: ["3@lid"] })])
  crash()
  await expect(taken).rejects.toThrow(/over/)
})
