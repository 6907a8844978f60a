import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { text } from "node:stream/consumers"
import { expect, onTestFinished, test, vi } from "vitest"
import { newCommitter, type Step } from "#dynamodb-on-sqlite/rows/commit.ts"
import { Rows } from "#dynamodb-on-sqlite/rows/rows.ts"
import { creationSteps, type Row, tableOf } from "#dynamodb-on-sqlite/table.ts"

const attributes = ["pk", "sk"].map((AttributeName) => ({ AttributeName, AttributeType: "S" as const }))
const table = (TableName: string) =>
  tableOf({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: attributes,
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [],
  })
const things = table("Things")
const others = table("Others")

/** Rows over a real SQLite, where each commit waits until the test lets it go. */
async function heldRows() {
  const db = new DatabaseSync(":memory:")
  const apply = newCommitter(db)
  apply([...creationSteps(things), ...creationSteps(others)])
  const commits: { names: unknown[]; go: (error?: object) => void }[] = []
  async function commit(steps: Step[]) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const go = (error?: object) => (error ? reject(error) : resolve())
    commits.push({ names: steps.map(([, hash]) => hash), go })
    await promise
    apply(steps)
  }
  const broken = vi.fn<(why: string) => void>()
  const rows = new Rows({ db, commit, close: async () => db.close() }, broken)
  onTestFinished(() => db.close())
  const wordOf = (hash: string, of = things) => rows.read(of, place(hash))?.word?.S
  const stored = (hash: string) =>
    db.prepare(`SELECT item FROM ${things.sql} WHERE hash = ?`).get(hash)?.item as string | undefined
  return { rows, commits, broken, wordOf, stored }
}

const place = (hash: string) => ({ hash, range: "", own: "" })
const putting = (hash: string, word = "", of = things): Row => ({
  of,
  place: place(hash),
  item: { word: { S: word } },
  expires: null,
})
const removing = (hash: string): Row => ({ ...putting(hash), item: undefined })
const full = { errcode: 13, message: "database or disk is full" }

test("a write is answered when it is on the disk; what comes meanwhile goes there together, in one commit", async () => {
  const { rows, commits } = await heldRows()
  const answered: string[] = []
  const write = (hash: string) => rows.write([putting(hash)]).then(() => answered.push(hash))
  const all = ["a", "b", "c"].map(write)
  expect(commits).toMatchObject([{ names: ["a"] }])
  commits[0]!.go()
  await all[0]
  expect(answered).toEqual(["a"])
  expect(commits).toMatchObject([{}, { names: ["b", "c"] }])
  commits[1]!.go()
  await Promise.all(all)
  expect(answered).toEqual(["a", "b", "c"])
})

test("a write that may linger goes to the disk with the next one, or by itself a moment later", async () => {
  const { rows, commits } = await heldRows()
  const lingering = rows.write([putting("a")], () => true)
  expect(commits).toEqual([])
  const next = rows.write([putting("b")])
  expect(commits).toMatchObject([{ names: ["a", "b"] }])
  // Others are being written, so it need not wait for any.
  const during = rows.write([putting("c")], () => true)
  commits[0]!.go()
  await Promise.all([lingering, next])
  expect(commits[1]).toMatchObject({ names: ["c"] })
  commits[1]!.go()
  await during
  const alone = rows.write([putting("d")], () => true)
  await vi.waitFor(() => expect(commits[2]).toMatchObject({ names: ["d"] }))
  commits[2]!.go()
  await alone
})

test("no reader sees a write before it is on the disk", async () => {
  const { rows, commits, wordOf } = await heldRows()
  const first = rows.write([putting("a", "old"), putting("b", "old")])
  commits[0]!.go()
  await first
  const second = rows.write([putting("a", "new"), removing("b")])
  expect([wordOf("a"), wordOf("b")]).toEqual(["old", "old"])
  commits[1]!.go()
  await second
  expect([wordOf("a"), wordOf("b")]).toEqual(["new", undefined])
})

test("without room all who wait for a commit are refused, nothing of it is there, and the next succeeds", async () => {
  const { rows, commits, broken, wordOf, stored } = await heldRows()
  const first = rows.write([putting("a", "old")])
  commits[0]!.go()
  await first
  const refused = rows.write([putting("a", "lost"), putting("b", "lost")])
  commits[1]!.go(full)
  await expect(refused).rejects.toMatchObject({ status: 503, name: "ServiceUnavailable" })
  expect([wordOf("a"), wordOf("b"), stored("b")]).toEqual(["old", undefined, undefined])
  const next = rows.write([putting("b", "kept")])
  commits[2]!.go()
  await next
  expect(wordOf("b")).toBe("kept")
  expect(broken).not.toHaveBeenCalled()
})

test.for([
  ["an error of the disk", 778],
  ["a broken file", 11],
  ["an error of no known kind", undefined],
] as const)("after %s nothing is written any more", async ([, errcode]) => {
  const { rows, commits, broken } = await heldRows()
  const refused = rows.write([putting("a")])
  commits[0]!.go({ errcode, message: "disk I/O error" })
  await expect(refused).rejects.toMatchObject({ status: 503 })
  expect(broken).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("disk I/O error"))
  await expect(rows.write([putting("b")])).rejects.toMatchObject({ status: 503 })
  expect(commits).toHaveLength(1)
})

test("rows that may be lost are seen at once, and go to the disk with the next others, before them", async () => {
  const { rows, commits, wordOf } = await heldRows()
  rows.relax(things.sql, ({ word }) => word?.S === "passing")
  const lasting = rows.write([putting("1", "lasting")])
  await rows.write([putting("2", "passing")])
  await rows.write([putting("1", "passing")])
  const mixed = rows.write([putting("3", "passing"), putting("4", "passing", others)])
  expect(commits).toMatchObject([{ names: ["1"] }])
  expect(wordOf("2")).toBe("passing")
  commits[0]!.go()
  await lasting
  expect(wordOf("1")).toBe("passing")
  expect(commits[1]).toMatchObject({ names: ["2", "1", "3", "4"] })
  const removed = rows.write([removing("2")])
  commits[1]!.go()
  await mixed
  expect(commits[2]).toMatchObject({ names: ["2"] })
  commits[2]!.go()
  await removed
  expect(wordOf("2")).toBeUndefined()
})

test("rows that may be lost go to the disk by themselves, and again if it had no room", async () => {
  const { rows, commits, stored } = await heldRows()
  rows.relax(things.sql, () => true)
  await rows.write([putting("1", "one")])
  await vi.waitFor(() => expect(commits).toHaveLength(1))
  await rows.write([putting("1", "two")])
  commits[0]!.go(full)
  await vi.waitFor(() => expect(commits).toHaveLength(2))
  expect(commits[1]!.names).toEqual(["1"])
  commits[1]!.go()
  await vi.waitFor(() => expect(stored("1")).toContain("two"))
})

test("on a full disk few rows that may be lost stay in memory: those can change, and one more is refused", async () => {
  const { rows, commits, wordOf } = await heldRows()
  rows.relax(things.sql, () => true)
  for (let n = 0; n < 10_000; n++) await rows.write([putting(String(n), "passing")])
  await vi.waitFor(() => expect(commits).toHaveLength(1))
  commits[0]!.go(full)
  await rows.write([putting("1", "changed")])
  expect(wordOf("1")).toBe("changed")
  const refused = rows.write([putting("one more")])
  await vi.waitFor(() => expect(commits.length).toBeGreaterThan(1))
  commits[1]!.go(full)
  await expect(refused).rejects.toMatchObject({ status: 503 })
})

test("a caller who relaxes a table learns whether the disk had room for the last write", async () => {
  const { rows, commits } = await heldRows()
  rows.relax(things.sql, (_, isFull) => !isFull)
  const refused = rows.write([putting("1", "lasting", others)])
  commits[0]!.go(full)
  await expect(refused).rejects.toMatchObject({ status: 503 })
  const waiting = rows.write([putting("2")])
  expect(commits).toHaveLength(2)
  commits[1]!.go()
  await waiting
  await rows.write([putting("3")])
  expect(commits).toHaveLength(2)
})

test("a watcher of a table is told of each row that was put, once it is on the disk, and of no other", async () => {
  const { rows, commits } = await heldRows()
  const told: unknown[] = []
  rows.watch(things.sql, ({ word }) => told.push(word?.S))
  const written = rows.write([putting("a", "one"), putting("b", "other", others), putting("c", "two")])
  expect(told).toEqual([])
  commits[0]!.go()
  await written
  const removed = rows.write([removing("a")])
  commits[1]!.go()
  await removed
  expect(told).toEqual(["one", "two"])
})

test("without the thread that writes it the process ends, since nothing would be committed any more", async () => {
  // The folder is gone before the thread has opened the file in it.
  const script = `const { rmSync } = require("node:fs")
    import("#dynamodb-on-sqlite/rows/sqlite-file.ts").then(async ({ openFile }) => {
      const file = openFile(process.argv[1])
      rmSync(process.argv[1], { recursive: true })
      for (;;) await file.commit([]).catch(() => {})
    })
    setTimeout(() => process.exit(0), 20_000)`
  const folder = join(mkdtempSync(join(tmpdir(), "writer-")), "data")
  const child = spawn(process.execPath, ["-e", script, folder], { stdio: ["ignore", "ignore", "pipe"] })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")])
  expect({ said, code }).toEqual({
    said: expect.stringContaining("the thread that writes the store has ended"),
    code: 1,
  })
})
