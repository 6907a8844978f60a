import { randomBytes, randomInt } from "node:crypto"
import { BufferJSON, type LTHashState } from "@whiskeysockets/baileys"
import { onTestFinished, expect, test } from "vitest"
import { dynamoDb } from "#test/support/store.ts"
import { transactions } from "#test/support/held.ts"
import { aMemory } from "#test/support/memory.ts"
import { until } from "#test/support/until.ts"
import { Lease } from "#core/lease.ts"
import { keysOf } from "#session-host/baileys/keys.ts"

const kind = "app-state-sync-version"
const collection = "critical_unblock_low"

const anIndex = () => randomBytes(32).toString("base64")
const anEntry = () => ({ valueMac: randomBytes(32) })

/** How far an address book of so many was read. */
const anAddressBook = (contacts: number): LTHashState => ({
  version: contacts,
  hash: randomBytes(128),
  indexValueMap: Object.fromEntries(Array.from({ length: contacts }, () => [anIndex(), anEntry()])),
})

type Owner = Awaited<ReturnType<typeof aMemory>>

const keys = ({ memory }: Owner) => keysOf(memory.vault)

const read = async (owner: Owner) => (await keys(owner).get(kind, [collection]))[collection]

async function keep(owner: Owner, state: LTHashState): Promise<void> {
  await keys(owner).set({ [kind]: { [collection]: state } })
  await owner.memory.settled()
}

const piecesOf = async ({ memory }: Owner) => await memory.store.names("SIGNAL#000001#piece#")

test("how far an address book of 12,000 was read is known to this owner and the next, whatever the size of a row", async () => {
  const one = await aMemory()
  const state = anAddressBook(12_000)
  await keep(one, state)
  expect(one.happened).toEqual([])
  expect(await read(one)).toEqual(state)
  await one.letGo()
  expect(await read(await aMemory({ bridgeId: one.bridgeId }))).toEqual(state)
})

test("who adds, changes or removes one contact of many has some pieces written, not all", async () => {
  const one = await aMemory()
  let state = anAddressBook(10_000)
  await keep(one, state)
  const asked = transactions()
  const [, some] = Object.keys(state.indexValueMap)
  state = { ...state, indexValueMap: { ...state.indexValueMap, [some!]: anEntry(), [anIndex()]: anEntry() } }
  await keep(one, state)
  const { [some!]: _removed, ...others } = state.indexValueMap
  state = { ...state, indexValueMap: others }
  await keep(one, state)
  expect(asked).toHaveLength(2)
  for (const { rows } of asked) expect(rows.length).toBeLessThan(10)
  await one.letGo()
  expect(await read(await aMemory({ bridgeId: one.bridgeId }))).toEqual(state)
})

test("an owner who dies amid several transactions leaves what was before, and not a mix", async () => {
  const one = await aMemory()
  const before = anAddressBook(300)
  await keep(one, before)
  const asked = transactions()
  onTestFinished(
    dynamoDb.faults.add({
      fault: "transaction-conflict",
      operation: "TransactWriteItems",
      when: () => asked.length > 1,
    }),
  )
  await keys(one).set({ [kind]: { [collection]: anAddressBook(30_000) } })
  await until(async () => asked.length > 1)
  one.crash()
  dynamoDb.faults.clear()
  await Lease.letGo(one.lease)
  const next = await aMemory({ bridgeId: one.bridgeId })
  expect(await read(next)).toEqual(before)
  const after = anAddressBook(3_000)
  await keep(next, after)
  expect(await read(next)).toEqual(after)
})

test("what has become small is one row again, and what is removed leaves none", async () => {
  const one = await aMemory()
  await keep(one, anAddressBook(5_000))
  expect(await piecesOf(one)).not.toEqual([])
  await keep(one, anAddressBook(10))
  expect(await piecesOf(one)).toEqual([])
  await keep(one, anAddressBook(5_000))
  await one.memory.vault.keep({ keys: [{ type: kind, id: collection, value: null }] })
  expect(await read(one)).toBeUndefined()
  expect(await piecesOf(one)).toEqual([])
})

test("what release 0.1 kept is read, and kept anew", async () => {
  const one = await aMemory()
  const state = anAddressBook(2_000)
  const former = JSON.stringify(state, BufferJSON.replacer)
  await one.memory.commits.write([one.memory.store.put(`SIGNAL#000001#${kind}#${collection}`, former)])
  expect(await read(one)).toEqual(state)
  await keep(one, state)
  expect(await piecesOf(one)).not.toEqual([])
  await one.letGo()
  expect(await read(await aMemory({ bridgeId: one.bridgeId }))).toEqual(state)
})

test("the list of 100,000 chats that have a token is kept, too", async () => {
  const one = await aMemory()
  const jids = Array.from({ length: 100_000 }, () => `${randomInt(2 ** 47)}@lid`)
  const index = { token: Buffer.from(JSON.stringify(jids)) }
  await keys(one).set({ tctoken: { __index: index } })
  await one.memory.settled()
  expect(one.happened).toEqual([])
  await one.letGo()
  const next = await aMemory({ bridgeId: one.bridgeId })
  expect((await keys(next).get("tctoken", ["__index"])).__index).toEqual(index)
})
