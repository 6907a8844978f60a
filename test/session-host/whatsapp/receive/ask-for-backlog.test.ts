import type { BinaryNode } from "@whiskeysockets/baileys"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { newBacklog } from "#session-host/whatsapp/receive/ask-for-backlog.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

const ib = (tag: string): BinaryNode => ({
  tag: "ib",
  attrs: {},
  content: [{ tag, attrs: { count: "250" } }],
})
const offline: BinaryNode = { tag: "receipt", attrs: { offline: "0" } }

function aBacklog() {
  const wishes: unknown[] = []
  const backlog = newBacklog({ sendNode: async ({ content }) => void wishes.push(content) }, (error) =>
    expect.fail(String(error)),
  )
  const come = (count: number) => {
    for (let i = 0; i < count; i++) backlog.onFrame(offline)
  }
  return { ...backlog, come, wishes }
}

test("more is wished for after each hundred, until the network says that this was all", () => {
  const { onFrame: take, come, wishes } = aBacklog()
  take(ib("offline_preview"))
  come(99)
  expect(wishes).toEqual([])
  come(101)
  expect(wishes).toEqual([
    [{ tag: "offline_batch", attrs: { count: "100" } }],
    [{ tag: "offline_batch", attrs: { count: "100" } }],
  ])
  take(ib("offline"))
  come(500)
  vi.advanceTimersByTime(600_000)
  expect(wishes).toHaveLength(2)
})

test("while nothing more comes it is wished for less and less often, and not at all after the end", () => {
  const { onFrame: take, come, wishes, end } = aBacklog()
  take(ib("offline_preview"))
  vi.advanceTimersByTime(5_000)
  expect(wishes).toHaveLength(1)
  vi.advanceTimersByTime(10_000)
  expect(wishes).toHaveLength(2)
  vi.advanceTimersByTime(600_000)
  expect(wishes.length).toBeLessThan(15)
  const before = wishes.length
  come(1)
  vi.advanceTimersByTime(5_000)
  expect(wishes).toHaveLength(before + 1)
  end()
  vi.advanceTimersByTime(600_000)
  expect(wishes).toHaveLength(before + 1)
})

test("where nothing waits nothing is wished for", () => {
  const { onFrame: take, come, wishes } = aBacklog()
  take(ib("edge_routing"))
  come(300)
  vi.advanceTimersByTime(600_000)
  expect(wishes).toEqual([])
})
