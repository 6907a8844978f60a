import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, expect, onTestFinished, test, vi } from "vitest"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { configure } from "#core/platform/config.ts"
import { startCloudWatchLogs } from "#test/support/cloudwatch-logs.ts"

const cloudWatch = await startCloudWatchLogs()
configure({
  AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: cloudWatch.endpoint,
  LOG_GROUP: "/bridges",
  LOG_LEVEL: "silent",
})
afterAll(() => cloudWatch.close())

function aLog() {
  const id = randomUUID()
  const log = (...texts: string[]) => texts.forEach((text) => BridgeLog.append(id, "info", text))
  /** The lines that a reader has got, once there are this many. */
  const read = async (tail: number, count: number) => {
    const batches = BridgeLog.follow(id, tail)
    onTestFinished(async () => void (await batches.return(undefined)))
    // The past lines, read at once.
    const lines = (await batches.next()).value as string[] // it never ends
    const more = async (enough: number) => {
      while (lines.length < enough) lines.push(...((await batches.next()).value as string[])) // it never ends
      return lines.map((line) => line.replace(/^\S+Z INFO /, ""))
    }
    await more(count)
    return more
  }
  return { id, log, read, kept: () => cloudWatch.lines("/bridges", id) }
}

test("lines gather, and go in order to a stream of the bridge, which is made when it is missing", async () => {
  const { log, kept } = aLog()
  log("one", "two", "three")
  expect(kept()).toEqual([])
  await BridgeLog.flush()
  expect(kept()).toEqual(
    [1, 2, 3].map(() => expect.stringMatching(/^\d{4}-\d\d-\d\dT\S+Z INFO (one|two|three)$/)),
  )
  log("four")
  await BridgeLog.flush()
  expect(kept().at(-1)).toMatch(/INFO four$/)
})

test("lines are written a moment later although no caller asks for it", async () => {
  const { log, kept } = aLog()
  log("alone")
  await expect.poll(kept).toHaveLength(1)
})

test("a reader gets the last lines, over pages if need be, and then each new one once", async () => {
  const { log, read } = aLog()
  log(...Array.from({ length: 1000 }, (_, i) => `line ${i + 1}`))
  await BridgeLog.flush()
  const more = await read(900, 900)
  log("new", "newer")
  await BridgeLog.flush()
  await more(902)
  log("newest")
  await BridgeLog.flush()
  const lines = await more(903)
  expect(lines[0]).toBe("line 101")
  expect(lines.slice(-3)).toEqual(["new", "newer", "newest"])
  expect(lines).toHaveLength(903)
  expect(new Set(lines).size).toBe(903)
})

test("a tail of nothing begins with what is new, also where nothing was ever logged", async () => {
  const [empty, old] = [aLog(), aLog()]
  old.log("old")
  await BridgeLog.flush()
  for (const { log, read } of [empty, old]) {
    const more = await read(0, 0)
    log("first")
    await BridgeLog.flush()
    expect(await more(1)).toEqual(["first"])
  }
})

test("a look that fails is made up for by the next", async () => {
  const { log, read } = aLog()
  log("before")
  await BridgeLog.flush()
  const more = await read(10, 1)
  log("after")
  await BridgeLog.flush()
  cloudWatch.refuse("InvalidOperationException", "ThrottlingException")
  expect(await more(2)).toEqual(["before", "after"])
})

const isError = (line: string) => line.includes(" ERROR ")

test("what is wanted is found behind many other lines, and a reader goes on, also with too old a token", async () => {
  const { id, log } = aLog()
  BridgeLog.append(id, "error", "the one")
  vi.useFakeTimers({ toFake: ["Date"] })
  log(...Array.from({ length: 1000 }, (_, i) => `line ${i + 1}`))
  vi.useRealTimers()
  // A reader without a token gets the whole millisecond of the last line, which may be more than a page here.
  await sleep(2)
  log("the last")
  await BridgeLog.flush()
  const { lines, at, isCut } = await BridgeLog.read(id, { most: 300, isWanted: isError })
  expect([lines, isCut]).toEqual([[expect.stringMatching(/the one$/)], false])
  // The times of lines decide where a reader goes on who has no token.
  await sleep(2)
  log("new")
  await BridgeLog.flush()
  for (const refused of [[], ["InvalidParameterException"]]) {
    cloudWatch.refuse(...refused)
    const reading = BridgeLog.followFrom(id, at)
    const { value } = (await reading.next()) as { value: { lines: string[]; at: string } } // it never ends
    expect(value.lines).toEqual([expect.stringMatching(/INFO new$/)])
    expect(value.at).not.toBe(at)
    await reading.return(undefined)
  }
})

test("a reader whose token is too old skips no line of the millisecond it had read, and gets none twice", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const { id, log } = aLog()
  log("one", "two", "two")
  await BridgeLog.flush()
  let { at } = await BridgeLog.read(id, { most: 300 })
  for (const texts of [["two", "three"], ["four"]]) {
    log(...texts)
    await BridgeLog.flush()
    cloudWatch.refuse("InvalidParameterException")
    const reading = BridgeLog.followFrom(id, at)
    const { value } = (await reading.next()) as { value: { lines: string[]; at: string } } // it never ends
    expect(value.lines).toEqual(texts.map((text) => expect.stringMatching(`INFO ${text}$`)))
    at = value.at
    await reading.return(undefined)
  }
  // The same holds for the millisecond after it.
  vi.setSystemTime(Date.now() + 1)
  log("five")
  await BridgeLog.flush()
  cloudWatch.refuse("InvalidParameterException")
  const reading = BridgeLog.followFrom(id, at)
  const { value } = (await reading.next()) as { value: { lines: string[] } } // it never ends
  expect(value.lines).toEqual([expect.stringMatching(/INFO five$/)])
  await reading.return(undefined)
})

test("a log is searched so far, and says when that was not all of it", async () => {
  const { id, log } = aLog()
  BridgeLog.append(id, "error", "too long ago")
  log(...Array.from({ length: 4100 }, (_, i) => `line ${i + 1}`))
  await BridgeLog.flush()
  expect(await BridgeLog.read(id, { most: 300, isWanted: isError })).toMatchObject({ lines: [], isCut: true })
})

test("lines that cannot be written are given up, and the next ones are written", async () => {
  const { log, kept } = aLog()
  cloudWatch.refuse("InvalidParameterException")
  log("lost")
  await BridgeLog.flush()
  log("kept")
  await BridgeLog.flush()
  expect(kept()).toEqual([expect.stringMatching(/kept$/)])
})

test("a removed bridge has no log any more; to remove none is no error", async () => {
  const { id, log } = aLog()
  log("something")
  await BridgeLog.flush()
  await BridgeLog.remove(id)
  expect(cloudWatch.has("/bridges", id)).toBe(false)
  await BridgeLog.remove(id)
})
