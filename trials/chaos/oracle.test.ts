import { expect, test } from "vitest"
import type { Evidence, Kind, Seen } from "./evidence.ts"
import { judge } from "./oracle.ts"

const arrival = (text: string, more: Partial<Seen> = {}): Seen => ({
  bridge: "b",
  eventId: `evt_${text}`,
  attempt: 1,
  text,
  body: Buffer.from(`body of ${text}`),
  genuine: true,
  at: 1000,
  hungUp: false,
  ...more,
})

const sent = { bridge: "b", text: "out", status: 200, messageId: "M1", tries: 1 }
const read = { id: "M1", text: "out" }

const evidence = (more: Partial<Evidence> = {}): Evidence => ({
  bridges: ["b"],
  produced: new Map([["b", ["1", "2", "3"]]]),
  late: new Set(),
  arrivals: [arrival("1"), arrival("2"), arrival("3")],
  refused: new Set(),
  final: new Set(),
  undelivered: [],
  sent: [sent],
  followed: new Set(),
  read: new Set(),
  ids: new Map(),
  kept: new Map(),
  shown: new Map([["b", [read]]]),
  unreadable: [],
  owners: [],
  keysReused: [],
  rows: [{ bridge: "b", name: "SIGNAL#000001#session", bytes: 60_000 }],
  unsettled: [],
  stoppedAttempts: [],
  ...more,
})

test("a run in which everything came once and in order is clean, repetitions of the same delivery included", () => {
  expect(judge(evidence())).toEqual([])
  const repeated = [arrival("1"), arrival("1", { attempt: 2 }), arrival("2"), arrival("3")]
  expect(judge(evidence({ arrivals: repeated }))).toEqual([])
})

/**
 * Deliveries of the statuses of a message; the numbers are those of members who have received and read it.
 */
const told = (...statuses: (string | [string, number, number])[]): Partial<Evidence> => {
  const arrivals = statuses.map((one, i) => {
    const [status, delivered, read] = [one].flat() as [string, number?, number?]
    const counts = delivered === undefined ? {} : { counts: { recipients: 9, delivered, read, played: 0 } }
    const event = { event: "message_status", message_id: "M1", status, ...counts }
    return arrival(`status ${i}`, { text: undefined, body: Buffer.from(JSON.stringify(event)) })
  })
  return { ...evidence(), arrivals: [...evidence().arrivals, ...arrivals], followed: new Set(["b"]) }
}

test("a message whose statuses went forward, however far, is clean", () => {
  for (const statuses of [
    ["sent", "delivered"],
    ["sent", "read", "played"],
  ])
    expect(judge(evidence(told(...statuses)))).toEqual([])
  const inGroup = told(["sent", 0, 0], ["delivered", 1, 0], ["read", 2, 1], ["delivered", 4, 1])
  expect(judge(evidence(inGroup))).toEqual([])
})

/** What a bridge has kept of its chats, of three texts (A, B and C) to it and one (M1) from it. */
const kept = (...chats: string[][]): Partial<Evidence> => {
  const texts = ["in 1", "in 2", "in 3"]
  return {
    produced: new Map([["b", texts]]),
    arrivals: texts.map((text) => arrival(text)),
    ids: new Map(texts.map((text, i) => [text, "ABC"[i]!])),
    kept: new Map([["b", chats]]),
  }
}

test("what is kept once, in the order of its chat, is clean; what the network had spoilt stands anywhere", () => {
  expect(judge(evidence(kept(["A", "M1", "C"], ["B"])))).toEqual([])
  expect(judge(evidence({ ...kept(["C", "A", "M1"], ["B"]), late: new Set(["in 3"]) }))).toEqual([])
})

const refused = arrival("2")

const broken: [string, Kind, Partial<Evidence>][] = [
  [
    "a row that grows and grows",
    "oversized",
    { rows: [{ bridge: "b", name: "SIGNAL#000001#session", bytes: 70_000 }] },
  ],
  ["a message that never arrived", "lost", { arrivals: [arrival("1"), arrival("3")] }],
  [
    "a message that was given up too early",
    "lost",
    { arrivals: [arrival("1"), refused, arrival("3")], refused: new Set([refused]) },
  ],
  ["two messages in the wrong order", "reordered", { arrivals: [arrival("2"), arrival("1"), arrival("3")] }],
  [
    "a repetition after something newer",
    "reordered",
    { arrivals: [arrival("1"), arrival("2"), arrival("1", { attempt: 2 }), arrival("3")] },
  ],
  [
    "a message with two events",
    "duplicated",
    { arrivals: [arrival("1"), arrival("1", { eventId: "evt_other" }), arrival("2"), arrival("3")] },
  ],
  [
    "an event with two bodies",
    "duplicated",
    {
      arrivals: [
        arrival("1"),
        arrival("1", { attempt: 2, body: Buffer.from("other") }),
        arrival("2"),
        arrival("3"),
      ],
    },
  ],
  [
    "an attempt's number used twice",
    "duplicated",
    { arrivals: [arrival("1"), arrival("1"), arrival("2"), arrival("3")] },
  ],
  [
    "a delivery that is not signed",
    "forged",
    { arrivals: [arrival("1", { genuine: false }), arrival("2"), arrival("3")] },
  ],
  ["a send that succeeded and is not shown", "lost", { shown: new Map() }],
  [
    "a send that is shown under another id than was answered",
    "lost",
    { sent: [{ ...sent, messageId: "M2" }] },
  ],
  ["a send that never had a definite answer", "lost", { sent: [{ ...sent, status: 504 }] }],
  ["a send that is shown twice", "doubled", { shown: new Map([["b", [read, { ...read, id: "M2" }]]]) }],
  ["something that nobody could read", "undecryptable", { unreadable: ["bad MAC"] }],
  ["a message of which nothing was told", "lost", told()],
  ["a message of which it was not told that it was delivered", "lost", told("sent")],
  ["one that was read, which was not told", "lost", { ...told("sent", "delivered"), read: new Set(["M1"]) }],
  ["a status that goes back", "reordered", told("sent", "read", "delivered")],
  ["a status that is told twice", "reordered", told("sent", "delivered", "delivered")],
  ["a message that was sent and then failed", "reordered", told("sent", "delivered", "failed")],
  ["numbers that go back", "reordered", told(["sent", 0, 0], ["delivered", 2, 0], ["read", 1, 1])],
  ["a key that was used twice", "keys_reused", { keysReused: ["a key"] }],
  ["two owners", "owners", { owners: ["an old commit"] }],
  ["a message that was not kept", "lost", kept(["A", "M1"], ["C"])],
  ["a send that was not kept", "lost", kept(["A", "B", "C"])],
  ["a message that is kept twice", "duplicated", kept(["A", "M1", "B", "C"], ["B"])],
  ["messages that are kept in another order", "reordered", kept(["A", "C", "B", "M1"])],
  ["something still under way at the end", "lost", { unsettled: ["b"] }],
]

test.for(broken)("%s is noticed as %s", ([, kind, more]) => {
  expect(judge(evidence(more)).map((violation) => violation.kind)).toContain(kind)
})

/** A POST with these texts, in this order. */
const batch = (attempt: number, ...texts: string[]): Seen[] =>
  texts.map((text) => arrival(text, { attempt, begins: `evt_${texts[0]!}` }))
const kindsOf = (...arrivals: Seen[][]) =>
  judge(evidence({ arrivals: arrivals.flat() })).map(({ kind }) => kind)

test("a batch may come again, alone or with what came since, but not after a later one", () => {
  expect(kindsOf(batch(1, "1", "2"), batch(2, "1", "2"), batch(1, "3"))).toEqual([])
  expect(kindsOf(batch(1, "1", "2"), batch(2, "1", "2", "3"))).toEqual([])
  expect(kindsOf(batch(1, "1", "2"), batch(1, "3"), batch(2, "1", "2"))).toContain("reordered")
  expect(kindsOf(batch(1, "2", "1"), batch(1, "3"))).toContain("reordered")
})

test("only an attempt that was given up may be read after a newer event", () => {
  const late = (hungUp: boolean) => arrival("1", { attempt: 2, hungUp })
  expect(kindsOf([arrival("1"), arrival("2"), late(true), arrival("3")])).toEqual([])
  expect(kindsOf([arrival("1"), arrival("2"), late(false), arrival("3")])).toEqual(["reordered"])
})

test("only what a deliverer was about to post when it was stopped may come late", () => {
  const arrivals = [arrival("1"), arrival("2"), arrival("1", { attempt: 2, at: 5000 }), arrival("3")]
  const stopped = { eventId: "evt_1", at: 2000, until: 4500 }
  expect(judge(evidence({ arrivals, stoppedAttempts: [stopped] }))).toEqual([])
  expect(judge(evidence({ arrivals, stoppedAttempts: [{ ...stopped, eventId: "evt_2" }] }))).toHaveLength(1)
  expect(judge(evidence({ arrivals, stoppedAttempts: [{ ...stopped, until: 2500 }] }))).toHaveLength(1)
})

/** `1` is refused in its turn, and sent again as `answers` say; `2` and `3` are taken. */
function sentAgain(...answers: (200 | 404 | 500)[]): Evidence {
  const again = answers.map((answer) => ({ answer, one: arrival("1", { isResend: true }) }))
  const first = arrival("1")
  const refused = again.filter(({ answer }) => answer !== 200).map(({ one }) => one)
  const final = again.filter(({ answer }) => answer === 404).map(({ one }) => one)
  const arrivals = [first, arrival("2"), arrival("3"), ...again.map(({ one }) => one)]
  const undelivered = answers.includes(200) ? [] : [{ bridge: "b", eventId: "evt_1" }]
  return evidence({
    arrivals,
    refused: new Set([first, ...refused]),
    final: new Set([first, ...final]),
    undelivered,
  })
}

test.for([
  [[200], []],
  [[500, 200, 200], []],
  [[404, 404], []],
  [[], ["lost"]],
  [[404, 500], ["lost"]],
] as const)("what was sent again with the answers %j is judged as %j", ([answers, wanted]) => {
  expect(judge(sentAgain(...answers)).map(({ kind }) => kind)).toEqual(wanted)
})

/** Of numbers 25 and 26, which do not sort as letters do. */
const idOf = (n: string) => `evt_aaaaaaa${n === "1" ? "z" : "2"}${"a".repeat(32)}`

test("what is sent again after a newer event that was sent again is out of order", () => {
  const again = ["2", "1", "2"].map((n) => arrival(n, { eventId: idOf(n), text: undefined, isResend: true }))
  const found = judge(evidence({ arrivals: [...evidence().arrivals, ...again] }))
  expect(found.map(({ kind }) => kind)).toEqual(["reordered"])
})
