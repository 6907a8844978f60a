import { randomInt } from "node:crypto"
import { onTestFinished, expect, test } from "vitest"
import { Lease } from "#core/lease/lease.ts"
import { keysOf } from "#session-host/whatsapp/signal/keys.ts"
import { transactions } from "#test/support/recorded-writes.ts"
import { aMemory } from "#test/support/session/memory.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

/** This many chats. */
const chats = (count: number) => Array.from({ length: count }, () => `${randomInt(2 ** 47)}@lid`)

/** Baileys' list of all chats that have a token. */
const listed = (jids: string[]) => ({ token: Buffer.from(JSON.stringify(jids)) })

type Owner = Awaited<ReturnType<typeof aMemory>>

const keys = ({ memory }: Owner) => keysOf(memory.vault)

const read = async (owner: Owner) => (await keys(owner).get("tctoken", ["__index"])).__index

async function keep(owner: Owner, jids: string[]): Promise<void> {
  await keys(owner).set({ tctoken: { __index: listed(jids) } })
  await owner.memory.settled()
}

const piecesOf = async ({ memory }: Owner) => await memory.store.names("SIGNAL#000001#piece#")

test("the list of 100,000 chats that have a token is known to this and the next owner, in rows of any size", async () => {
  const one = await aMemory()
  const jids = chats(100_000)
  await keep(one, jids)
  expect(one.happened).toEqual([])
  expect(await read(one)).toEqual(listed(jids))
  await one.letGo()
  expect(await read(await aMemory({ bridgeId: one.bridgeId }))).toEqual(listed(jids))
})

test("adding one chat to many writes the end of the list, not all of it", async () => {
  const one = await aMemory()
  const jids = chats(20_000)
  await keep(one, jids)
  const asked = transactions()
  await keep(one, [...jids, ...chats(1)])
  expect(asked).toHaveLength(1)
  expect(asked[0]!.rows.length).toBeLessThan(6)
})

test("an owner who dies amid several transactions leaves what was before, and not a mix", async () => {
  const one = await aMemory()
  const before = chats(3_000)
  await keep(one, before)
  const asked = transactions()
  const refused = dynamoDb.faults.injected.get("transaction-conflict") ?? 0
  const heal = dynamoDb.faults.add({
    fault: "transaction-conflict",
    operation: "TransactWriteItems",
    when: () => asked.length > 1,
  })
  onTestFinished(heal)
  const after = chats(100_000)
  await keys(one).set({ tctoken: { __index: listed(after) } })
  await until(async () => dynamoDb.faults.injected.get("transaction-conflict")! > refused)
  one.crash()
  // The store heals once the lease is gone: a request of the dead owner that is still on its way is refused
  // then too.
  await Lease.release(one.lease)
  heal()
  const next = await aMemory({ bridgeId: one.bridgeId })
  expect(await read(next)).toEqual(listed(before))
  await keep(next, after)
  expect(await read(next)).toEqual(listed(after))
})

test("a value that has become small is one row again, and a removed one leaves none", async () => {
  const one = await aMemory()
  await keep(one, chats(3_000))
  expect(await piecesOf(one)).not.toEqual([])
  await keep(one, chats(10))
  expect(await piecesOf(one)).toEqual([])
  await keep(one, chats(3_000))
  await keys(one).set({ tctoken: { __index: null } })
  expect(await read(one)).toBeUndefined()
  expect(await piecesOf(one)).toEqual([])
})
