import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { LevelDb, Row } from "dynalite/db/index.js"
import { expect, onTestFinished, test, vi } from "vitest"
import { Rows } from "#local/dynamodb/engine/durable-rows.ts"
import { openStore } from "#local/dynamodb/engine/store.ts"

/** Rows on disk, where each batch waits until the test lets it go. */
async function onDisk() {
  const path = await mkdtemp(join(tmpdir(), "rows-"))
  const { store } = await openStore(path)
  const level = Object.getPrototypeOf(store.db) as LevelDb
  // oxlint-disable-next-line typescript/unbound-method -- called on the store that it was called on
  const real = level.batch
  const batches: { names: string[]; options: unknown; go: () => void }[] = []
  vi.spyOn(level, "batch").mockImplementation(async function (this: LevelDb, rows, options) {
    const { promise, resolve } = Promise.withResolvers<void>()
    batches.push({ names: rows.map(({ key }) => key), options, go: resolve })
    await promise
    await real.call(this, rows, options)
  })
  onTestFinished(async () => {
    vi.restoreAllMocks()
    await store.db.close()
    await rm(path, { recursive: true })
  })
  /** The row as it is on the disk. */
  const stored = async (name: string) => (await new Rows(store.db).read([name])).get(name)
  return { rows: new Rows(store.db), batches, stored }
}

const putting = (key: string, word = ""): Row => ({
  type: "put",
  key: `item-${key}`,
  value: { word: { S: word } },
})

test("a write is answered when it is on the disk; what comes meanwhile goes there together, with one sync", async () => {
  const { rows, batches } = await onDisk()
  const answered: string[] = []
  const write = (key: string) => rows.write([putting(key)]).then(() => answered.push(key))
  const all = ["a", "b", "c"].map(write)
  expect(batches).toMatchObject([{ names: ["item-a"], options: { sync: true } }])
  batches[0]!.go()
  await all[0]
  expect(answered).toEqual(["a"])
  expect(batches).toMatchObject([{}, { names: ["item-b", "item-c"], options: { sync: true } }])
  batches[1]!.go()
  await Promise.all(all)
  expect(answered).toEqual(["a", "b", "c"])
})

test("a write is seen by nobody before it is on the disk", async () => {
  const { rows, batches } = await onDisk()
  const first = rows.write([putting("a", "old")])
  batches[0]!.go()
  await first
  const second = rows.write([putting("a", "new"), { type: "del", key: "item-b" }])
  expect(await rows.read(["item-a", "item-b"])).toEqual(
    new Map([
      ["item-a", { word: { S: "old" } }],
      ["item-b", undefined],
    ]),
  )
  batches[1]!.go()
  await second
  expect((await rows.read(["item-a"])).get("item-a")).toEqual({ word: { S: "new" } })
})

test("callers that wait for a batch that fails are told so, and the next one is written", async () => {
  const { rows, batches } = await onDisk()
  const failing = rows.write([{ ...putting("a"), key: undefined as unknown as string }])
  batches[0]!.go()
  await expect(failing).rejects.toThrow(/^Key /)
  const next = rows.write([putting("a")])
  batches[1]!.go()
  await next
})

test("rows that may be lost are seen at once, and go to the disk with the next others, before them", async () => {
  const { rows, batches } = await onDisk()
  rows.relax("item-count", ({ word }) => word?.S === "passing")
  const wordOf = async (name: string) => (await rows.read([name])).get(name)?.word?.S
  const lasting = rows.write([putting("count-1", "lasting")])
  await rows.write([putting("count-2", "passing")])
  await rows.write([putting("count-1", "passing")])
  const mixed = rows.write([putting("count-3", "passing"), putting("other", "passing")])
  expect(batches).toMatchObject([{ names: ["item-count-1"], options: { sync: true } }])
  expect(await wordOf("item-count-2")).toBe("passing")
  batches[0]!.go()
  await lasting
  expect(await wordOf("item-count-1")).toBe("passing")
  expect(batches[1]).toMatchObject({
    names: ["item-count-2", "item-count-1", "item-count-3", "item-other"],
    options: { sync: true },
  })
  const removed = rows.write([{ type: "del", key: "item-count-2" }])
  batches[1]!.go()
  await mixed
  expect(batches[2]).toMatchObject({ names: ["item-count-2"] })
  batches[2]!.go()
  await removed
  expect(await wordOf("item-count-2")).toBeUndefined()
})

test("rows that may be lost go to the disk by themselves, and again if the disk refuses them", async () => {
  const { rows, batches, stored } = await onDisk()
  rows.relax("item-count", () => true)
  await rows.write([putting("count-1", "one")])
  await vi.waitFor(() => expect(batches).toHaveLength(1))
  await rows.write([putting("count-1", "two")])
  const failing = rows.write([{ type: "del", key: undefined as unknown as string }])
  batches[0]!.go()
  await vi.waitFor(() => expect(batches).toHaveLength(2))
  expect(batches[0]!.names).toEqual(["item-count-1"])
  batches[1]!.go()
  await expect(failing).rejects.toThrow(/^Key /)
  const flushed = rows.flush()
  expect(batches[2]!.names).toEqual(["item-count-1"])
  batches[2]!.go()
  await flushed
  expect(await stored("item-count-1")).toEqual({ word: { S: "two" } })
})

test("rows of a table that was removed do not come back", async () => {
  const { rows, batches } = await onDisk()
  rows.relax("item-", () => true)
  await rows.write([putting("gone-1", "x")])
  await rows.write([putting("kept-1", "x")])
  rows.forgetAll("item-gone")
  expect((await rows.read(["item-gone-1"])).get("item-gone-1")).toBeUndefined()
  const flushed = rows.flush()
  expect(batches).toMatchObject([{ names: ["item-kept-1"] }])
  batches[0]!.go()
  await flushed
})

test("a watcher of rows is told of each that was put, once it is on the disk, and of no other", async () => {
  const { rows, batches } = await onDisk()
  const told: unknown[] = []
  rows.watch("item-a", ({ word }) => told.push(word?.S))
  const written = rows.write([putting("a1", "one"), putting("b1", "other"), putting("a2", "two")])
  expect(told).toEqual([])
  batches[0]!.go()
  await written
  const removed = rows.write([{ type: "del", key: "item-a1" }])
  batches[1]!.go()
  await removed
  expect(told).toEqual(["one", "two"])
})
