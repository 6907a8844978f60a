import { describe, expect, test } from "vitest"
import { explore, type Model } from "./explore.ts"
import { sends } from "./idempotency.ts"
import type { Faults, Harm, Rules, Sends } from "./idempotency-state.ts"

describe("sends with one idempotency key", () => {
  test.for<[number, Partial<Faults>]>([
    [3, {}],
    [3, { hostCrashes: 2, apiCrashes: 1, cuts: 1 }],
    [3, { nacks: 2, hostCrashes: 1, cuts: 1 }],
    [2, { days: 1, hostCrashes: 1, apiCrashes: 1 }],
    [2, { hostCrashes: 1, apiCrashes: 1, nacks: 1, refusals: 1, hostSleeps: 1 }],
  ])("by %i requests are shown once at most, and as told, whatever happens of %o", ([requests, faults]) => {
    expect(explore(sends({ requests, faults })).violation).toBeUndefined()
  })
})

test.for<[string, Partial<Rules>, Partial<Faults>, Harm]>([
  ["keeping the id on a take-over", { keepsId: false }, { hostCrashes: 1 }, "two messages for one key"],
  [
    "keeping the record of an unknown outcome",
    { keepsUnknown: false },
    { hostCrashes: 1 },
    "two messages for one key",
  ],
  [
    "the SEND row before the wire",
    { writesFirst: false },
    { hostCrashes: 1, refusals: 1 },
    "told failed, but shown",
  ],
  [
    "asking for a SEND row before it says failed",
    { failsOnlyWhenSure: false },
    { hostCrashes: 1, refusals: 1 },
    "told failed, but shown",
  ],
  [
    "telling a first transmission's nack from a second's",
    { failsOnlyWhenSure: false },
    { hostCrashes: 1, nacks: 1 },
    "told failed, but shown",
  ],
  [
    "asking whether the record is still its own before it says failed",
    { failsOnlyAsHolder: false },
    { refusals: 1 },
    "told failed, but shown",
  ],
  [
    "the end of the claim in the call to the host",
    { refusesLateCalls: false },
    { refusals: 1 },
    "told failed, but shown",
  ],
])("without %s a key breaks its word", ([, rules, faults, harm]) => {
  const { violation } = explore(sends({ requests: 3, faults, rules }))
  expect(violation?.harm).toBe(harm)
  expect(violation?.trace).not.toEqual([])
})

describe("the crash table is among what was explored:", () => {
  test.for<[string, (label: string, now: Readonly<Sends>) => boolean]>([
    ["C1 record claimed", api("call", "none")],
    ["C2 host called", api("wait", "none")],
    ["C3 SEND looked up", host("dies", "start")],
    ["C4 before the commit", host("dies", "prepare")],
    ["C5 before the stanza", host("dies", "wire")],
    ["C6 bytes in the socket", (label) => label.startsWith("the connection of host 1 breaks")],
    ["C7 network acked", host("dies", "acked")],
    ["C8 SEND acked", host("dies", "complete")],
    ["C9 record done, reply lost", api("answer", "sent")],
    ["C10 host paused before its commit", host("stands still", "prepare")],
    ["C11 host paused before the stanza", host("stands still", "wire")],
    ["C12 store away at SEND acked", host("stands still", "acked")],
    ["C13 definite failure, before the delete", api("answer", "failed")],
  ])("%s", ([, happens]) => {
    const faults = { hostCrashes: 1, hostSleeps: 1, apiCrashes: 1, refusals: 1, cuts: 1 }
    expect(isOffered(sends({ requests: 1, faults }), happens)).toBe(true)
  })
})

function host(fault: string, at: string) {
  return (label: string, now: Readonly<Sends>) => label === `host 1 ${fault}` && now.jobs[0]?.at === at
}

function api(at: string, answer: string) {
  return (label: string, { requests: [first] }: Readonly<Sends>) =>
    label === "the API dies in request 1" && first?.at === at && first.answer === answer
}

/** Whether such a step can be taken anywhere in the model. */
function isOffered<State extends object>(
  model: Model<State, string>,
  happens: (label: string, now: Readonly<State>) => boolean,
): boolean {
  let found = false
  explore({
    ...model,
    next: (now, step, fault) => {
      model.next(now, step, (label, change) => {
        found ||= happens(label, now)
        fault(label, change)
      })
    },
  })
  return found
}
