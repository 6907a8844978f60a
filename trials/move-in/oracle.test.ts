import { expect, test } from "vitest"
import type { Evidence, Seen } from "../chaos/evidence.ts"
import { judgeMoved, type Moved } from "./oracle.ts"

// The old gateway was gone at 1000. Its messages are "1" and "2", handed over before; ours begin with "3".
const arrival = (text: string, eventId = `evt_${text}`): Seen => ({
  bridge: "b",
  eventId,
  attempt: 1,
  text,
  body: Buffer.from(`body of ${eventId}`),
  genuine: true,
  hungUp: false,
  at: 2000,
})
const send = (n: number, status = 200) => ({
  bridge: "b",
  text: `out b direct ${n}`,
  status,
  messageId: `M${n}`,
  tries: 1,
})

function kindsOf(more: {
  arrivals?: Seen[]
  hadMs?: Record<string, number>
  askedAgain?: string[]
  cut?: string[]
  before?: ReturnType<typeof send>[]
  shown?: number[]
}): string[] {
  const {
    arrivals = [arrival("3")],
    hadMs = {},
    askedAgain = [],
    cut = [],
    before = [send(1)],
    shown = [1, 2, 3],
  } = more
  const ids = new Map(["1", "2", "3"].map((text) => [text, `id ${text}`]))
  const moved: Moved = {
    goneMs: 1000,
    ids,
    authors: new Map([["3", "Bob"]]),
    cut: new Set(cut),
    hadMs: new Map(Object.entries({ "id 1": 500, "id 2": 600, "id 3": 1500, ...hadMs })),
    handedMs: new Map(Object.entries({ "id 1": 490, "id 2": 590, "id 3": 1400 })),
    askedAgain: new Map(askedAgain.map((id) => [id, 1600])),
    before,
  }
  const evidence: Evidence = {
    bridges: ["b"],
    produced: new Map([["b", ["1", "2", "3"]]]),
    late: new Set(),
    arrivals,
    refused: new Set(),
    sent: [send(2), send(3)],
    followed: new Set(),
    read: new Set(),
    ids: new Map(),
    kept: new Map(),
    shown: new Map([["b", shown.map((n) => ({ id: `M${n}`, text: `out b direct ${n}` }))]]),
    unreadable: [],
    keysReused: [],
    owners: [],
    rows: [],
    unsettled: [],
    stoppedAttempts: [],
  }
  return judgeMoved(evidence, moved).map(({ kind }) => kind)
}

test("what the old gateway had told the network to have is its own, and everything else comes here", () => {
  expect(kindsOf({})).toEqual([])
  expect(kindsOf({ arrivals: [] })).toEqual(["lost"])
})

test("a message of the old gateway that comes once more is doubled", () => {
  expect(kindsOf({ arrivals: [arrival("2"), arrival("3")] })).toEqual(["duplicated"])
})

test("what the old gateway was handed and has not confirmed comes here, and may be asked for, out of order", () => {
  const unconfirmed = { hadMs: { "id 2": 1550 } }
  expect(kindsOf(unconfirmed)).toEqual(["lost"])
  expect(kindsOf({ ...unconfirmed, arrivals: [arrival("2"), arrival("3")] })).toEqual([])
  const late = { ...unconfirmed, arrivals: [arrival("3"), arrival("2")] }
  expect(kindsOf(late)).toEqual(["reordered"])
  expect(kindsOf({ ...late, askedAgain: ["id 2"] })).toEqual([])
})

test("what our service alone was handed must not be asked for, unless its author's keys were cut", () => {
  expect(kindsOf({ askedAgain: ["id 3"] })).toEqual(["undecryptable"])
  expect(kindsOf({ askedAgain: ["id 3"], cut: ["Bob"] })).toEqual([])
})

test("a send of the old gateway may be lost with it, and is not shown twice", () => {
  expect(kindsOf({ before: [send(1, 0)], shown: [2, 3] })).toEqual([])
  expect(kindsOf({ shown: [1, 1, 2, 3] })).toEqual(["doubled"])
})

test("our sends to a chat are shown once, in their order", () => {
  expect(kindsOf({ shown: [1, 3, 2] })).toEqual(["reordered"])
  expect(kindsOf({ shown: [1, 2, 2, 3] })).toEqual(["doubled"])
})
