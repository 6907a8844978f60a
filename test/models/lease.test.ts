import { describe, expect, test } from "vitest"
import { explore } from "./explore.ts"
import { type Faults, type Harm, leases, type Rules } from "./lease.ts"
import { type SuspectRules, suspectBridges } from "./suspect-bridges.ts"

describe("leases, of one bridge between two hosts and the sweep", () => {
  test.for<Partial<Faults>>([
    {},
    { kills: 1, ends: 1, lateIndex: 1 },
    { sleeps: 1, forgotten: 1 },
    { sleeps: 1, pauses: 1 },
    { sleeps: 1, drains: 1 },
  ])("have one writer and end with one owner, whatever happens of %o", (faults) => {
    expect(explore(leases(faults)).violation).toBeUndefined()
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

describe("a stanza that kills its host, beside kills from outside", () => {
  test("hurts another bridge twice at most, and never makes it wait", () => {
    expect(explore(suspectBridges()).violation).toBeUndefined()
  })

  test.for<[string, Partial<SuspectRules>, string]>([
    ["there are no suspects", { areAlone: false }, "hurt again and again"],
    ["kills from outside count", { killsCount: true }, "the healthy bridge has to wait"],
    ["deaths beside others cost time", { sharedDeathsWait: true }, "the healthy bridge has to wait"],
  ])("does so where %s", ([, rules, harm]) => {
    const { violation } = explore(suspectBridges(rules))
    expect(violation?.harm).toBe(harm)
    expect(violation?.trace).not.toEqual([])
  })
})
