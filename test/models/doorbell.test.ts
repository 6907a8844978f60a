import { describe, expect, test } from "vitest"
import { doorbell } from "./doorbell.ts"
import type { Faults, Rules } from "./doorbell-state.ts"
import { doorbellBlocked } from "./doorbell-blocked.ts"
import { explore } from "./explore.ts"

/** Figures of states are of the models as they are: a rule that vanishes by accident changes them. */
describe("the wake-up protocol of delivery", () => {
  test("without faults it delivers all in order, with two doorbells at most", () => {
    expect(explore(doorbell({ events: 5, faults: {}, maxBells: 2 }))).toEqual({ states: 309 })
  })

  test("failing attempts and fresh doorbells add no third one", () => {
    const faults = { failures: 2, shortOfTime: 2 }
    expect(explore(doorbell({ events: 4, faults, maxBells: 2 }))).toEqual({ states: 4714 })
  })

  test("two deaths cost at most four doorbells and no wake-up", () => {
    expect(explore(doorbell({ events: 3, faults: { crashes: 2 }, maxBells: 4 }))).toEqual({ states: 8561 })
  })

  test("the worst run costs five doorbells and no wake-up", () => {
    const faults = { crashes: 2, failures: 1, shortOfTime: 1, lostBells: 1, slowBells: 1 }
    expect(explore(doorbell({ events: 3, faults, maxBells: 5 }))).toEqual({ states: 267_376 })
  })

  test("a second invocation and one that stood still past its time change no order", () => {
    const faults = { standstills: 1, bellsTwice: 1, failures: 1 }
    expect(explore(doorbell({ events: 2, faults, maxBells: 3 }))).toEqual({ states: 17_270 })
  })

  test("a deliverer that stood still and then died costs no wake-up", () => {
    const faults = { standstills: 1, crashes: 1, failures: 1 }
    expect(explore(doorbell({ events: 3, faults, maxBells: 4 }))).toEqual({ states: 28_073 })
  })

  test("a write whose answer is lost costs no wake-up, also beside a death", () => {
    const faults = { lostAnswers: 1, crashes: 1, failures: 1 }
    expect(explore(doorbell({ events: 3, faults, maxBells: 4 }))).toEqual({ states: 16_260 })
  })
})

describe("events that are asked for once more", () => {
  test("are sent, with two doorbells at most", () => {
    const model = doorbell({ events: 3, faults: { failures: 1, shortOfTime: 1 }, resends: 2, maxBells: 2 })
    expect(explore(model)).toEqual({ states: 30_598 })
  })

  test("are sent although deliverer, caller, producer or sweep die", () => {
    const model = doorbell({ events: 2, faults: { crashes: 2, failures: 1 }, resends: 2, maxBells: 5 })
    expect(explore(model)).toEqual({ states: 129_274 })
  })

  test("are sent although a deliverer stood still past its time", () => {
    const model = doorbell({ events: 2, faults: { standstills: 1, bellsTwice: 1 }, resends: 2, maxBells: 4 })
    expect(explore(model)).toEqual({ states: 155_686 })
  })

  test.for<[string, Partial<Rules>, Partial<Faults>]>([
    ["going idle asks whether one waits", { idlesWithoutResends: false }, {}],
    ["the promise is made with the list", { asksAtOnce: false }, { crashes: 1 }],
  ])("are forgotten unless %s", ([, rules, faults]) => {
    const { violation } = explore(doorbell({ events: 1, faults, resends: 1, rules, maxBells: 5 }))
    expect(violation?.harm).toBe("lost wake-up")
    expect(violation?.trace).not.toEqual([])
  })
})

/** What the design had: due = 0, and then a look once more. */
const inTwoSteps: Partial<Rules> = { idlesAtOnce: false }

test.for<[string, Partial<Rules>, Partial<Faults>, string]>([
  [
    "the look in the same transaction, or a second one,",
    { ...inTwoSteps, looksAgain: false },
    {},
    "lost wake-up",
  ],
  ["the sweep", { sweeps: false }, { crashes: 1 }, "lost wake-up"],
  ["the sweep, with a lost doorbell,", { sweeps: false }, { failures: 1, lostBells: 1 }, "lost wake-up"],
  ["freeing a dead holder with the new promise", { promiseFrees: false }, { crashes: 1 }, "lost wake-up"],
  [
    "the same in two steps, a lost answer in place of a death,",
    { ...inTwoSteps, promiseFrees: false },
    { lostAnswers: 1 },
    "lost wake-up",
  ],
  [
    "a look after a refused due = 0, in two steps,",
    { ...inTwoSteps, looksWhenRefused: false },
    { lostAnswers: 1 },
    "lost wake-up",
  ],
  ["the holder", { holds: false }, { bellsTwice: 1 }, "attempt used twice"],
  ["POST before mark", { postsFirst: false }, { crashes: 1 }, "lost event"],
  ["counting before the POST", { countsFirst: false }, { crashes: 1 }, "attempt used twice"],
])("without %s the protocol fails", ([, rules, faults, harm]) => {
  const { violation } = explore(doorbell({ events: 3, faults, rules, maxBells: 5 }))
  expect(violation?.harm).toBe(harm)
  expect(violation?.trace).not.toEqual([])
})

describe("in two steps there is a gap between due = 0 and the second look", () => {
  const twoAtOnce: Partial<Faults>[] = [
    { crashes: 1, lostAbandoned: 1 },
    { crashes: 1, bellsTwice: 1 },
  ]

  test.for(twoAtOnce)("a death in it, and no doorbell left, loses a wake-up: %o", (faults) => {
    const { violation } = explore(doorbell({ events: 2, faults, rules: inTwoSteps, maxBells: 5 }))
    expect(violation?.harm).toBe("lost wake-up")
    expect(violation?.trace).toContain("first says that nothing is due")
  })

  test.for(twoAtOnce)("one transaction with the look closes it: %o", (faults) => {
    expect(explore(doorbell({ events: 2, faults, maxBells: 5 })).violation).toBeUndefined()
  })
})

describe("a mere flag in place of due", () => {
  test("lets doorbells pile up at a slow receiver", () => {
    const model = doorbellBlocked({ events: 20, failures: 0, lostBells: 0, maxBells: 15 })
    const { violation } = explore(model)
    expect(violation?.harm).toBe("too many doorbells")
    expect(violation?.trace).not.toEqual([])
  })

  test("stops the bridge for ever when a doorbell is lost", () => {
    const model = doorbellBlocked({ events: 3, failures: 1, lostBells: 1, maxBells: 15 })
    const { violation } = explore(model)
    expect(violation?.harm).toBe("lost wake-up")
    expect(violation?.trace.at(-1)).toBe("the doorbell is lost")
  })
})
