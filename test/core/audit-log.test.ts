import "#test/support/store.ts"
import { randomUUID } from "node:crypto"
import { afterEach, expect, test, vi } from "vitest"
import { AuditLog } from "#core/account/audit-log.ts"

afterEach(() => vi.useRealTimers())

test("acts of one millisecond, as on many numbers at once, are all listed, wherever a page ends", async () => {
  const accountId = randomUUID()
  const acts = async (count: number, at: string) => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(at) })
    const act = async (_: unknown, i: number) => {
      const entry = { by: "eve", act: "number_paused", about: `${at} ${i}`, address: "", agent: "" } as const
      await AuditLog.recordAndMail(accountId, entry, { isQuiet: true })
    }
    await Promise.all(Array.from({ length: count }, act))
  }
  await acts(120, "2026-11-20T12:00:00.000Z")
  await acts(5, "2026-11-20T12:00:00.001Z")
  await acts(98, "2026-11-20T12:00:00.002Z")
  const found: string[] = []
  for (let before: number | undefined, first = true; first || before !== undefined; first = false) {
    const { entries, next } = await AuditLog.find(accountId, { before })
    found.push(...entries.map(({ about }) => about))
    before = next
  }
  expect([found.length, new Set(found).size]).toEqual([223, 223])
})
