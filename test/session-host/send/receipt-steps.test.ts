import { expect, test } from "vitest"
import type { Sent } from "#session-host/memory/messages/sent.ts"
import type { ReceiptKind } from "#session-host/network/connection.ts"
import { afterReceipts, countsOf } from "#session-host/send/receipt-steps.ts"

const sent: Sent = {
  messageId: "3EB0",
  chat: "1@lid",
  message: Buffer.alloc(0),
  generation: 1,
  state: "acked",
  timestamp: 100,
}
const groupOf = (size: number): Sent => ({
  ...sent,
  chat: "9@g.us",
  members: Object.fromEntries(Array.from({ length: size }, (_, i) => [`${i}@lid`, 0])),
})
const step = (kind: ReceiptKind, who = sent.chat, timestamp = 200) => ({ who, kind, timestamp })

/** What is told of these receipts, each of which comes by itself. */
function toldOf(message: Sent, steps: ReturnType<typeof step>[], each = false): string[] {
  let now = message
  return steps.flatMap((one) => {
    const changed = afterReceipts(now, [one], each)
    now = changed?.after ?? now
    return changed?.reported.map(({ kind }) => `${kind} ${countsOf(now)[kind]}`) ?? []
  })
}

test.for<[ReceiptKind[], ReceiptKind[]]>([
  [
    ["delivered", "read", "played"],
    ["delivered", "read", "played"],
  ],
  [
    ["delivered", "delivered", "read", "read"],
    ["delivered", "read"],
  ],
  [["read", "delivered"], ["read"]],
  [["played", "read", "delivered"], ["played"]],
])("a person's %j is told as %j, by itself or together", ([kinds, expected]) => {
  const together = afterReceipts(
    sent,
    kinds.map((kind) => step(kind)),
    false,
  )
  expect(together?.reported.map(({ kind }) => kind)).toEqual(expected)
  let after = sent
  const told = kinds.flatMap((kind) => {
    const changed = afterReceipts(after, [step(kind)], false)
    after = changed?.after ?? after
    return changed?.reported.map((one) => one.kind) ?? []
  })
  expect(told).toEqual(expected)
  expect(after).toEqual(together?.after)
})

test("of a group of 256 it is told eight times that more have received it, and once that all have", () => {
  const group = groupOf(255)
  const steps = Object.keys(group.members!).map((who) => step("delivered", who))
  const powers = Array.from({ length: 8 }, (_, i) => `delivered ${2 ** i}`)
  expect(toldOf(group, steps)).toEqual([...powers, "delivered 255"])
  expect(toldOf(group, steps.slice(0, 3), true)).toHaveLength(3)
})

test("members who read a message at once have received it, and one event says both", () => {
  const group = groupOf(3)
  const [a, b, c] = Object.keys(group.members!)
  const reads = [a, b, c].map((who) => step("read", who))
  expect(toldOf(group, reads.slice(0, 1))).toEqual(["read 1"])
  const { after, reported } = afterReceipts(group, [step("delivered", a, 201), ...reads.slice(1)], false)!
  expect(reported).toEqual([
    { kind: "delivered", timestamp: 201, who: [a] },
    { kind: "read", timestamp: 200, who: [b, c] },
  ])
  expect(countsOf(after)).toEqual({ recipients: 3, delivered: 3, read: 2, played: 0 })
})

test.for(["12@lid", "__proto__", "constructor", ""])(
  "a receipt of a person who is no recipient counts for nothing: %o",
  (who) => {
    for (const message of [sent, groupOf(2)])
      expect(afterReceipts(message, [step("read", who)], false)).toBeUndefined()
  },
)
