import { randomBytes } from "node:crypto"
import { onTestFinished, expect, test } from "vitest"
import { EventRow } from "#core/event/event-row.ts"
import { Lease } from "#core/lease/lease.ts"
import { Bytes, getRow, type Write } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { type Put, type SessionStore, RowTooLarge } from "#session-host/memory/rows.ts"
import { Fenced, RuleBroken, SessionEnded } from "#session-host/memory/session-ended.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { transactions } from "#test/support/recorded-writes.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { commitsUnder } from "#test/support/session/commits.ts"
import { anEvent } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

async function aWriter(options: { withinMs?: number; awayMs?: number } = {}) {
  const lease = await aHeldLease()
  const happened: string[] = []
  const { commits, store } = commitsUnder(lease, {
    ...options,
    onAway: () => happened.push("store away"),
    onEnd: (error) => happened.push(`ended: ${error.constructor.name}`),
  })
  const pk = `BRIDGE#${lease.bridgeId}`
  const put = (sk: string, value: unknown = sk): Write => ({
    Put: { TableName: tables.sessions, Item: { pk, sk, value } },
  })
  const remove = (sk: string): Write => ({ Delete: { TableName: tables.sessions, Key: { pk, sk } } })
  const value = async (sk: string) => (await getRow(tables.sessions, { pk, sk }))?.value
  return { lease, commits, store, happened, put, remove, value }
}

test("units that are made while a commit is under way go together into the next one", async () => {
  const { commits, put, value } = await aWriter()
  const asked = transactions()
  await Promise.all(["A", "B", "C", "D"].map((sk) => commits.write([put(sk)])))
  expect(asked.map(({ rows }) => rows)).toEqual([
    ["LEASE", "A"],
    ["LEASE", "B", "C", "D"],
  ])
  expect(await value("D")).toBe("D")
})

test("two writes of one row become the later one", async () => {
  const { commits, put, remove, value } = await aWriter()
  const asked = transactions()
  const first = commits.write([put("FIRST")])
  await Promise.all([
    first,
    commits.write([put("A", 1), put("B", 1)]),
    commits.write([put("A", 2), remove("B")]),
  ])
  expect(asked).toHaveLength(2)
  expect(await value("A")).toBe(2)
  expect(await value("B")).toBeUndefined()
})

test("more than 99 rows take several commits, the last rows last", async () => {
  const { commits, put, value } = await aWriter()
  const asked = transactions()
  const keys = Array.from({ length: 812 }, (_, i) => put(`KEY#${i}`))
  await commits.write([...keys, put("CREDS")])
  expect(asked).toHaveLength(9)
  expect(asked.every(({ rows }) => rows.length <= 100 && rows[0] === "LEASE")).toBe(true)
  expect(asked.at(-1)!.rows.at(-1)).toBe("CREDS")
  expect(await value("KEY#811")).toBe("KEY#811")
})

test("a unit that no longer fits into a commit waits for the next one, whole", async () => {
  const { commits, put } = await aWriter()
  const asked = transactions()
  const some = (name: string) => Array.from({ length: 60 }, (_, i) => put(`${name}#${i}`))
  await Promise.all([
    commits.write([put("FIRST")]),
    commits.write(some("A")),
    commits.write(some("B")),
    commits.write([put("LAST")]),
  ])
  expect(asked.map(({ rows }) => rows.length - 1)).toEqual([1, 60, 61])
})

test("a commit stays under 4 MB", async () => {
  const { commits, put, value } = await aWriter()
  const asked = transactions()
  const large = "x".repeat(380_000)
  await commits.write([put("FIRST")])
  await Promise.all(Array.from({ length: 15 }, (_, i) => commits.write([put(`LARGE#${i}`, large)])))
  expect(asked.every(({ bytes }) => bytes < 4_200_000)).toBe(true)
  expect(asked.length).toBeLessThan(8)
  expect(await value("LARGE#14")).toBe(large)
})

test("a fenced writer writes nothing, and its socket is closed before its promise fails", async () => {
  const { lease, commits, happened, put, value } = await aWriter()
  await Lease.release(lease)
  const first = commits.write([put("A")]).catch(() => happened.push("A failed"))
  const second = commits.write([put("B")]).catch(() => happened.push("B failed"))
  await Promise.all([first, second])
  expect(happened[0]).toBe("ended: Fenced")
  expect(happened.slice(1).toSorted()).toEqual(["A failed", "B failed"])
  expect(await value("A")).toBeUndefined()
  await expect(commits.write([put("C")])).rejects.toThrow(Fenced)
})

test("a commit that was applied though its answer was lost is applied once and succeeds", async () => {
  const { commits, put, value, happened } = await aWriter()
  const asked = transactions()
  dynamoDb.faults.add({ fault: "lost-answer", operation: "TransactWriteItems", times: 1 })
  await commits.write([put("A", "once")])
  expect(asked.length).toBe(2)
  expect(await value("A")).toBe("once")
  expect(happened).toEqual([])
})

test("a commit in conflict or throttled is repeated", async () => {
  const { commits, put, value } = await aWriter()
  dynamoDb.faults.add({ fault: "transaction-conflict", times: 3 })
  dynamoDb.faults.add({ fault: "throttling", operation: "TransactWriteItems", times: 2 })
  await commits.write([put("A")])
  expect(await value("A")).toBe("A")
})

test("while the store is away writes wait, and the session hears of it; back, they are written", async () => {
  const { commits, put, value, happened } = await aWriter({ awayMs: 50 })
  const back = dynamoDb.faults.add({ fault: "transaction-conflict", operation: "TransactWriteItems" })
  onTestFinished(back)
  const written = commits.write([put("A")])
  await until(() => happened.length > 0)
  expect(happened).toEqual(["store away"])
  back()
  await written
  expect(await value("A")).toBe("A")
})

const many = (name: string, put: (sk: string) => Write) =>
  Array.from({ length: 60 }, (_, i) => put(`${name}#${i}`))

test("a change that waits behind several slow transactions waits too long, though none of them is", async () => {
  const { commits, put, value, happened } = await aWriter({ awayMs: 1000 })
  onTestFinished(dynamoDb.faults.add({ fault: "slow", operation: "TransactWriteItems", ms: 150 }))
  for (const name of "ABCDEFGH") commits.make(many(name, put))
  await commits.write([put("LAST")])
  expect(happened[0]).toBe("store away")
  expect(await value("LAST")).toBe("LAST")
})

test("a store that takes an address book, transaction by transaction, is not away", async () => {
  const { commits, put, happened } = await aWriter({ awayMs: 1000 })
  onTestFinished(dynamoDb.faults.add({ fault: "slow", operation: "TransactWriteItems", ms: 150 }))
  for (const name of "ABCDEFGH") commits.note(many(name, put))
  await commits.write([put("LAST")])
  await commits.write("ABCDEFGH".split("").flatMap((name) => many(name, put)))
  expect(happened).toEqual([])
})

test("a commit whose outcome stays unknown is given up: the session ends first", async () => {
  const { commits, put, happened } = await aWriter({ withinMs: 100 })
  const back = dynamoDb.faults.add({ fault: "transaction-conflict", operation: "TransactWriteItems" })
  onTestFinished(back)
  await expect(commits.write([put("A")])).rejects.toThrow(SessionEnded)
  expect(happened).toEqual(["ended: SessionEnded"])
})

test("a write that the store refuses for itself ends the session", async () => {
  const { commits, put, happened } = await aWriter()
  await expect(commits.write([put("A", "x".repeat(500_000))])).rejects.toThrow(SessionEnded)
  expect(happened).toEqual(["ended: SessionEnded"])
})

const anEventRow = ({ bridgeId }: Lease.Info, n: number) =>
  EventRow.appending({ bridgeId, n, identity: [], event: anEvent(), deliveryKey: randomBytes(32) })

test.for<[string, (one: Awaited<ReturnType<typeof aWriter>>) => Promise<unknown>]>([
  [
    "each number is one event's",
    async ({ commits, lease }) => {
      commits.make([anEventRow(lease, 1)])
      await commits.write([anEventRow(lease, 1)])
    },
  ],
  [
    "each unit that is waited for was made",
    ({ commits, put }) => commits.whenKept(commits.make([put("A")]) + 1),
  ],
])("a session that breaks a rule ends with its sentence, and writes nothing: %s", async ([rule, breaks]) => {
  const one = await aWriter()
  const other = await aWriter()
  await expect(breaks(one)).rejects.toThrow(new RuleBroken(rule))
  expect(one.happened).toEqual(["ended: RuleBroken"])
  await expect(one.commits.write([one.put("NEXT")])).rejects.toThrow(RuleBroken)
  expect(await rowsOf(tables.events, one.lease.bridgeId, "EVENT#")).toEqual([])
  expect(await one.value("A")).toBeUndefined()
  await other.commits.write([anEventRow(other.lease, 1)])
  expect(other.happened).toEqual([])
})

test("a note goes into the transaction of the next change, and nothing waits for it", async () => {
  const { commits, put, value } = await aWriter()
  const asked = transactions()
  await commits.write([put("CHANGE", 1)])
  commits.note([put("NOTE")])
  expect(commits.made).toBe(commits.kept)
  await commits.write([put("CHANGE", 2)])
  expect(asked.map(({ rows }) => rows)).toEqual([
    ["LEASE", "CHANGE"],
    ["LEASE", "NOTE", "CHANGE"],
  ])
  commits.note([put("NOTE", "the last")])
  await commits.settled()
  expect(await value("NOTE")).toBe("the last")
})

const texts = (rows: { secret: Buffer }[]) => rows.map(({ secret }) => secret.toString())

test("a row is read as soon as it is made, durable or not, in lists as alone; a removed one is not", async () => {
  const { commits, store } = await aWriter()
  await commits.write([store.put("X#1", "one"), store.put("X#2", "two"), store.put("X#4", "four")])
  commits.make([store.put("X#3", "three"), store.remove("X#1"), store.put("X#2", "two, again")])
  const now = ["two, again", "three", "four"]
  expect(texts(await store.list("X#"))).toEqual(now)
  expect(await store.names("X#")).toEqual(["X#2", "X#3", "X#4"])
  expect(texts(await store.page("X#", { after: "2", limit: 1 }))).toEqual(["three"])
  expect(await store.get("X#1")).toBeUndefined()
  expect(texts(await store.getAll(["X#4", "X#1", "X#3"]))).toEqual(["four", "three"])
  await commits.whenKept()
  expect(texts(await store.list("X#"))).toEqual(now)
})

test("a large secret is packed, and read as it was", async () => {
  const { commits, store } = await aWriter()
  const large = JSON.stringify({ _sessions: { key: "x".repeat(2000) } })
  await commits.write([store.put("LARGE", large), store.put("SMALL", "small")])
  const { Put } = store.toWrite(store.put("LARGE", large))
  expect(Bytes.parse(Put?.Item?.sealed).length).toBeLessThan(500)
  expect((await store.get("LARGE"))!.secret.toString()).toBe(large)
  expect((await store.get("SMALL"))!.secret.toString()).toBe("small")
})

test.for<[string, (store: SessionStore) => Put]>([
  ["a value that is too large", (store) => store.put("LARGE", randomBytes(500_000))],
  ["a key that is too long", (store) => store.put("K".repeat(1025), "value")],
])(
  "a row with %s is refused before anything is made of its unit, and the session goes on",
  async ([, row]) => {
    const { commits, store, happened, value, put } = await aWriter()
    expect(() => commits.make([put("BESIDE"), row(store)])).toThrow(RowTooLarge)
    await commits.write([put("NEXT")])
    expect(await value("BESIDE")).toBeUndefined()
    expect(await value("NEXT")).toBe("NEXT")
    expect(await store.get(row(store).sk)).toBeUndefined()
    expect(happened).toEqual([])
  },
)
