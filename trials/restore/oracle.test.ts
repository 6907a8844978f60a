import { expect, test } from "vitest"
import type { Seen } from "../chaos/evidence.ts"
import { judgeRestored, type RestoredEvidence } from "./oracle.ts"

// The backup was made at 1000, the data lost at 2000, and the service restored at 3000.
const losses = [{ madeMs: 1000, killedMs: 2000, startedMs: 3000 }]

const arrival = (text: string, at: number, more: Partial<Seen> = {}): Seen => ({
  bridge: "b",
  eventId: `evt_${text}`,
  attempt: 1,
  text,
  body: Buffer.from(`body of ${text}`),
  genuine: true,
  hungUp: false,
  at,
  ...more,
})

const send = { bridge: "b", text: "out", status: 200, messageId: "M1", tries: 1 }

function kindsOf(more: {
  texts?: string[]
  arrivals?: Seen[]
  hadMs?: Record<string, number>
  askedAgain?: Record<string, number>
  sent?: { beganMs: number; endedMs: number }
  shown?: string[]
}): string[] {
  const { arrivals = [arrival("1", 500), arrival("2", 3500)], hadMs = {}, askedAgain = {} } = more
  const restored: RestoredEvidence = {
    losses,
    handed: {
      ids: new Map([
        ["1", "id 1"],
        ["2", "id 2"],
        ["a vote on id 2", "id of the vote"],
      ]),
      hadMs: new Map(Object.entries({ "id 1": 400, "id 2": 3400, ...hadMs })),
      askedAgain: new Map(Object.entries(askedAgain)),
    },
    evidence: {
      bridges: ["b"],
      produced: new Map([["b", more.texts ?? ["1", "2"]]]),
      late: new Set(),
      arrivals,
      refused: new Set(),
      sent: [{ ...send, ...(more.sent ?? { beganMs: 100, endedMs: 200 }) }],
      followed: new Set(),
      read: new Set(),
      ids: new Map(),
      kept: new Map(),
      shown: new Map([["b", (more.shown ?? ["M1"]).map((id) => ({ id, text: "out" }))]]),
      unreadable: [],
      keysReused: [],
      owners: [],
      rows: [],
      unsettled: [],
      stoppedAttempts: [],
    },
  }
  return judgeRestored(restored).map(({ kind }) => kind)
}

test("a run of which nothing fell into a loss is clean", () => {
  expect(kindsOf({})).toEqual([])
})

test("a message that the bridge had is lost with its folder only if it had it after the backup was made", () => {
  const arrivals = [arrival("1", 500)]
  expect(kindsOf({ arrivals, hadMs: { "id 2": 1500 } })).toEqual([])
  expect(kindsOf({ arrivals, hadMs: { "id 2": 900 } })).toEqual(["lost"])
  expect(kindsOf({ arrivals, hadMs: { "id 2": 3500 } })).toEqual(["lost"])
})

test("a vote is lost with its poll, and if it came before the poll, which had to be asked for again", () => {
  const arrivals = [arrival("1", 500), arrival("2", 1600)]
  const texts = ["1", "2", "a vote on id 2"]
  const vote = { "id of the vote": 3600 }
  expect(kindsOf({ arrivals, texts, hadMs: { ...vote, "id 2": 1500 } })).toEqual([])
  expect(kindsOf({ arrivals, texts, hadMs: { ...vote, "id 2": 900 } })).toEqual(["lost"])
  const asked = { arrivals, texts, askedAgain: { "id 2": 3300 } }
  expect(kindsOf({ ...asked, hadMs: { ...vote, "id 2": 3700 } })).toEqual([])
  expect(kindsOf({ ...asked, hadMs: { ...vote, "id 2": 3500 } })).toEqual(["lost"])
})

/** The second message comes again, under another event id. */
const twice = (at: number) => [
  arrival("1", 500),
  arrival("2", at),
  arrival("2", 3500, { eventId: "evt_other" }),
]

test("a message comes again under another id only if told within the loss and unknown to the backup", () => {
  expect(kindsOf({ arrivals: twice(1500) })).toEqual([])
  expect(kindsOf({ arrivals: twice(900) })).toEqual(["duplicated"])
  expect(kindsOf({ arrivals: twice(3200) })).toContain("duplicated")
  const had = { arrivals: twice(1500), hadMs: { "id 2": 1600 } }
  expect(kindsOf(had)).toEqual(["duplicated"])
  // The bridge in the backup waits for it, and asks the phone.
  expect(kindsOf({ ...had, askedAgain: { "id 2": 900 } })).toEqual([])
  expect(kindsOf({ ...had, askedAgain: { "id 2": 1100 } })).toEqual(["duplicated"])
})

test("an event comes again after a restore with the same bytes, under the same number of its attempt", () => {
  // What came first in all lives counts as its place.
  const again = (body: string) => [
    arrival("1", 1500),
    arrival("2", 1600),
    arrival("1", 3200, { body: Buffer.from(body) }),
  ]
  expect(kindsOf({ arrivals: again("body of 1"), hadMs: { "id 2": 1700 } })).toEqual([])
  expect(kindsOf({ arrivals: again("other"), hadMs: { "id 2": 1700 } })).toEqual(["duplicated"])
  // In one life it would be wrong.
  expect(kindsOf({ arrivals: [arrival("1", 3200), arrival("2", 3300), arrival("1", 3400)] })).toContain(
    "reordered",
  )
})

test("a send is shown twice only if its key was new since the backup, and it had no answer at the loss", () => {
  const shown = ["M0", "M1"]
  expect(kindsOf({ shown, sent: { beganMs: 1500, endedMs: 3500 } })).toEqual([])
  expect(kindsOf({ shown, sent: { beganMs: 900, endedMs: 3500 } })).toEqual(["doubled"])
  expect(kindsOf({ shown, sent: { beganMs: 1500, endedMs: 1600 } })).toEqual(["doubled"])
  expect(kindsOf({ shown: ["M0"], sent: { beganMs: 1500, endedMs: 3500 } })).toContain("lost")
})

test("a message overtakes another only if that was asked for again", () => {
  const arrivals = [arrival("2", 3400), arrival("1", 3500)]
  expect(kindsOf({ arrivals, askedAgain: { "id 1": 3300 } })).toEqual([])
  expect(kindsOf({ arrivals })).toContain("reordered")
})
