import { describe, expect, test } from "vitest"
import { explore } from "./explore.ts"
import { type Faults, type Harm, leases, type Rules } from "./lease.ts"
import { type SuspectRules, suspectBridges } from "./suspect-bridges.ts"

/** The numbers of states belong to the model as it is: if a rule vanishes by accident, they change. */
describe("leases, of one bridge between two hosts and the sweep", () => {
  test.for<[Partial<Faults>, number]>([
    [{}, 104],
    [{ kills: 1, sleeps: 1, ends: 1, lateIndex: 1 }, 113_258],
    [{ sleeps: 2, forgotten: 1 }, 73_629],
    [{ sleeps: 1, pauses: 1, drains: 1 }, 152_728],
  ])("have one writer and end with one owner, whatever happens of %o", ([faults, states]) => {
    expect(explore(leases(faults))).toEqual({ states })
  })
})

test.for<[string, Partial<Rules>, Partial<Faults>, Harm]>([
  [
    "the check in its commits",
    { checksCommits: false },
    { sleeps: 1 },
    "an old epoch wrote after a newer one",
  ],
  ["the check of the version", { checksVersion: false }, { sleeps: 1 }, "a host that beats was robbed"],
  ["agree, a stopped bridge", { agrees: false }, { pauses: 1 }, "an orphan, or a stopped bridge connected"],
  ["agree, a session", { agrees: false }, { forgotten: 1 }, "an orphan, or a stopped bridge connected"],
  ["let go, a session", { letsGo: false }, { ends: 1 }, "an orphan, or a stopped bridge connected"],
  [
    "a second look at marked hosts",
    { asksAgain: false },
    { sleeps: 1 },
    "an orphan, or a stopped bridge connected",
  ],
  ["a look before it connects", { looksFirst: false }, { pauses: 1 }, "a rightful owner was thrown out"],
  [
    "a look after it stood still",
    { looksAfterSleep: false },
    { sleeps: 1 },
    "a rightful owner was thrown out",
  ],
  [
    "a look when it was replaced",
    { looksWhenReplaced: false },
    { sleeps: 1 },
    "a rightful owner was thrown out",
  ],
])("without %s goes wrong", ([, rules, faults, harm]) => {
  const { violation } = explore(leases(faults, rules))
  expect(violation?.harm).toBe(harm)
  expect(violation?.trace).not.toEqual([])
})

describe("a stanza that kills its host", () => {
  test("hurts another bridge twice at most", () => {
    expect(explore(suspectBridges({ areAlone: true, messagesProve: false }))).toEqual({ states: 69 })
  })

  test.for<[string, SuspectRules]>([
    ["there are no suspects", { areAlone: false, messagesProve: false }],
    ["a message that is taken in ends the row", { areAlone: true, messagesProve: true }],
  ])("hurts it again and again where %s", ([, rules]) => {
    const { violation } = explore(suspectBridges(rules))
    expect(violation?.harm).toBe("hurt again and again")
    expect(violation?.trace).not.toEqual([])
  })
})
