import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb"
import { type DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb"
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { aTable, clientOf } from "#test/support/dynamodb.ts"
import { aStoreOfThings, putting, TableName, wordsFor } from "./things.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }))
afterEach(() => void vi.useRealTimers())

const dayS = 86_400
const now = () => Math.floor(Date.now() / 1000)
/** Time passes. */
const later = (seconds: number) => void vi.advanceTimersByTime(seconds * 1000)
/** The clock is set, and no time passes. */
const setClock = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000)

const many = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) =>
    putting(`${name} ${at}`, { host: "one", text: "x".repeat(3750), expires_at: now() + 7 * dayS }),
  )

function aFolder() {
  const path = mkdtempSync(join(tmpdir(), "expire-"))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

const TimeToLiveSpecification = { AttributeName: "expires_at", Enabled: true }
const letExpire = (client: DynamoDBDocumentClient) =>
  client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))

/** A store on the disk whose things expire at `expires_at`. */
async function aStoreThatForgets() {
  const path = aFolder()
  const store = await aStoreOfThings({ path })
  await letExpire(store.client)
  const names = async () => {
    const pages = paginateScan({ client: store.client }, { TableName })
    const items = (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items)
    return items.map(({ pk }) => String(pk)).toSorted()
  }
  const bytes = () => readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0)
  /** Without what the journal takes, which is bounded. */
  const rowBytes = () => statSync(join(path, "store.sqlite")).size
  return { ...store, names, bytes, rowBytes }
}

test("only what has expired is removed, from its index as well, and what lives longer by then stays", async () => {
  const { put, expire, names, ofHost } = await aStoreThatForgets()
  await put("over", { expires_at: now() + 10, host: "one" })
  await put("renewed", { expires_at: now() + 10, host: "one" })
  await put("later", { expires_at: now() + 20, host: "one" })
  await put("ever", { host: "one" })
  // DynamoDB takes such a number for something else than a time.
  await put("long ago", { expires_at: 1, host: "one" })
  await expire()
  expect(await names()).toHaveLength(5)
  later(11)
  await put("renewed", { expires_at: now() + 10, host: "one" })
  await expire()
  expect(await names()).toEqual(["ever", "later", "long ago", "renewed"])
  expect(await ofHost("one")).toEqual(["ever", "later", "long ago", "renewed"])
})

test("in thirty days of things that live for seven, the file stops growing, and shrinks when they end", async () => {
  const { transact, expire, names, bytes, rowBytes } = await aStoreThatForgets()
  const aDay = async (day: number) => {
    for (let hour = 0; hour < 5; hour++) await transact(many(`${day} ${hour}`, 20))
    later(dayS)
    await expire()
    return bytes()
  }
  const sizes: number[] = []
  for (let day = 0; day < 30; day++) sizes.push(await aDay(day))
  expect(Math.max(...sizes.slice(15))).toBeLessThanOrEqual(Math.max(...sizes.slice(0, 15)) * 1.05)
  const lasting = await names()
  expect(new Set(lasting.map((name) => name.split(" ")[0]))).toEqual(
    new Set(["23", "24", "25", "26", "27", "28", "29"]),
  )

  const steady = rowBytes()
  later(8 * dayS)
  await expire()
  expect(await names()).toEqual([])
  // Some of it each minute, and the disk has it once the journal has gone round.
  for (let minute = 0; minute < 6; minute++) {
    await expire()
    for (let at = 0; at < 10; at++) {
      later(1)
      await transact(many("again", 20))
    }
  }
  expect(rowBytes()).toBeLessThan(steady / 10)
})

test("a clock that was set forward by weeks lets nothing expire, until it has stayed there for an hour", async () => {
  const { put, expire, names } = await aStoreThatForgets()
  await expire()
  await put("kept", { expires_at: now() + 7 * dayS })
  setClock(21 * dayS)
  await expire()
  later(59 * 60)
  await expire()
  expect(await names()).toEqual(["kept"])
  later(60)
  await expire()
  expect(await names()).toEqual([])
})

test("the hour begins anew when the clock is set once more, and ends when it is set right", async () => {
  const { put, expire, names } = await aStoreThatForgets()
  await expire()
  await put("soon", { expires_at: now() + 2 * 3600 })
  await put("kept", { expires_at: now() + 7 * dayS })
  setClock(21 * dayS)
  await expire()
  later(3500)
  setClock(21 * dayS)
  await expire()
  later(3500)
  await expire()
  expect(await names()).toEqual(["kept", "soon"])
  setClock(-42 * dayS)
  later(3600)
  await expire()
  expect(await names()).toEqual(["kept"])
  setClock(42 * dayS)
  await expire()
  expect(await names()).toEqual(["kept"])
})

test("a clock that was set back and then right lets nothing expire for an hour", async () => {
  const { put, expire, names } = await aStoreThatForgets()
  await put("over", { expires_at: now() + 10 })
  setClock(-21 * dayS)
  await put("written meanwhile", { expires_at: now() + 7 * dayS })
  await expire()
  setClock(21 * dayS)
  later(60)
  await expire()
  expect(await names()).toEqual(["over", "written meanwhile"])
  later(3600)
  await expire()
  expect(await names()).toEqual([])
})

test("a store closed for weeks lets nothing expire for its first hour, and one closed for hours does", async () => {
  const path = aFolder()
  const first = await startDynamoDb({ at: { port: 0 }, path })
  const client = clientOf(first.endpoint)
  await aTable(client)
  await letExpire(client)
  const { put } = wordsFor(client)
  await put("today", { expires_at: now() + 3600 })
  await put("this week", { expires_at: now() + 7 * dayS })
  await first.expire()
  client.destroy()
  await first.close()

  setClock(8 * 3600)
  const second = await startDynamoDb({ at: { port: 0 }, path })
  expect(await second.answer("Scan", { TableName })).toMatchObject({ body: { Count: 2 } })
  await second.expire()
  expect(await second.answer("Scan", { TableName })).toMatchObject({ body: { Count: 1 } })
  await second.close()

  setClock(21 * dayS)
  const third = await startDynamoDb({ at: { port: 0 }, path })
  onTestFinished(third.close)
  await third.expire()
  expect(await third.answer("Scan", { TableName })).toMatchObject({ body: { Count: 1 } })
  later(3600)
  await third.expire()
  expect(await third.answer("Scan", { TableName })).toMatchObject({ body: { Count: 0 } })
})
