import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { answerChild } from "#dynamodb-on-sqlite/over-ipc.ts"
import type { DynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { until } from "#test/support/until.ts"
import { adding, aStoreOfThings, keyOf, putting, TableName } from "./things.ts"

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** A child process whose store is this one. It asks for these, one after the other. */
function childOf(store: Pick<DynamoDb, "answer">, asked: [string, unknown][]): ChildProcess {
  const loaded = ["--import", pathOf("../../../one-machine/store/use-parents-store.ts")]
  const args = [...loaded, pathOf("asking-child.ts"), JSON.stringify(asked)]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit", "ipc"] })
  answerChild(child, store)
  return child
}

async function saidBy(child: ChildProcess): Promise<unknown[]> {
  const printed = await text(child.stdout!)
  return printed.split("\n").flatMap((line): unknown[] => (line ? [JSON.parse(line)] : []))
}

const creating = (n: number) => ({
  TableName,
  Item: { ...keyOf("a"), n },
  ConditionExpression: "attribute_not_exists(pk)",
})

test("a child process writes to its parent's store, and sees the row that refuses it", async () => {
  const { answer, get } = await aStoreOfThings()
  const child = childOf({ answer }, [
    ["put", creating(1)],
    ["put", creating(2)],
  ])
  expect(await saidBy(child)).toEqual([null, { ...keyOf("a"), n: 1 }])
  expect(await get("a")).toMatchObject({ n: 1 })
})

test.for(["lost-answer", "lost-request", "gone", "throttling"] as const)(
  "a child's transaction that meets %s is repeated, and written once",
  async (fault) => {
    const { answer, get, faults } = await aStoreOfThings()
    faults.add({ fault, times: 1 })
    expect(await saidBy(childOf({ answer }, [["transact", [adding("a", 1)]]]))).toEqual([null])
    expect(await get("a")).toMatchObject({ n: 1 })
    expect(faults.injected.get(fault)).toBe(1)
  },
)

test("a refusal keeps its name on the way to a child", async () => {
  const { answer, faults } = await aStoreOfThings()
  faults.add({ fault: "denied", times: 1 })
  expect(await saidBy(childOf({ answer }, [["put", creating(1)]]))).toEqual([
    { error: "AccessDeniedException" },
  ])
})

test("a child that is killed while it waits for an answer disturbs no other", async () => {
  const { answer, get, transact, faults } = await aStoreOfThings()
  faults.add({ fault: "slow", ms: 200, times: 1 })
  const child = childOf({ answer }, [["transact", [adding("a", 1)]]])
  await until(() => faults.injected.get("slow") === 1)
  child.kill("SIGKILL")
  await once(child, "exit")

  await until(async () => (await get("a")) !== undefined)
  await transact([putting("b")])
  expect(await get("b")).toBeDefined()
})

test("each of many requests at once gets its own answer, also when some are slow", async () => {
  const { answer, faults } = await aStoreOfThings()
  faults.add({ fault: "slow", ms: 50, times: 20 })
  expect(await saidBy(childOf({ answer }, [["many", 300]]))).toEqual([300])
  expect(faults.injected.get("slow")).toBe(20)
})

test("an answer of hundreds of kilobytes comes whole", async () => {
  const { answer, put } = await aStoreOfThings()
  const text = "ä".repeat(150_000)
  await put("a", { text })
  expect(await saidBy(childOf({ answer }, [["put", creating(1)]]))).toEqual([{ ...keyOf("a"), text }])
})

test("a sign of life does not wait for all that was asked before it", async () => {
  const { answer } = await aStoreOfThings()
  const [before] = await saidBy(childOf({ answer }, [["urgent", 3000]]))
  expect(before).toBeLessThan(1000)
})

test("without its parent a child's requests end with an error that may pass", async () => {
  const { answer } = await aStoreOfThings()
  const child = childOf({ answer }, [
    ["disconnect", null],
    ["put", creating(1)],
  ])
  expect(await saidBy(child)).toEqual([null, { error: "Error", code: "EPIPE" }])
})

test("a request that is under way when the parent goes ends, too", async () => {
  const { answer, faults } = await aStoreOfThings()
  faults.add({ fault: "slow", ms: 2000, times: 1 })
  const child = childOf({ answer }, [["disconnectWhileAsking", null]])
  expect(await saidBy(child)).toEqual([{ error: "Error", code: "EPIPE" }])
})
