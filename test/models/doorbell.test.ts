import { describe, expect, test } from "vitest"
import { doorbell } from "./doorbell.ts"
import type { Faults, Harm, Rules } from "./doorbell-state.ts"
import { explore } from "./explore.ts"

describe("the wake-up protocol of delivery", () => {
  test("without faults it delivers all in order, with two doorbells at most", () => {
    expect(explore(doorbell({ events: 5, faults: {}, maxBells: 2 })).violation).toBeUndefined()
  })

  test("failing attempts and fresh doorbells add no third one", () => {
    const faults = { failures: 2, shortOfTime: 2 }
    expect(explore(doorbell({ events: 4, faults, maxBells: 2 })).violation).toBeUndefined()
  })

  test("two deaths cost at most four doorbells and no wake-up", () => {
    expect(explore(doorbell({ events: 3, faults: { crashes: 2 }, maxBells: 4 })).violation).toBeUndefined()
  })

  test("the worst run costs five doorbells and no wake-up", () => {
    const faults = { crashes: 2, lostBells: 1, slowBells: 1 }
    expect(explore(doorbell({ events: 3, faults, maxBells: 5 })).violation).toBeUndefined()
  })

  test("a second invocation and one that stood still past its time change no order", () => {
    const faults = { standstills: 1, bellsTwice: 1, failures: 1 }
    expect(explore(doorbell({ events: 2, faults, maxBells: 3 })).violation).toBeUndefined()
  })

  test("a deliverer that stood still and then died costs no wake-up", () => {
    const faults = { standstills: 1, crashes: 1, failures: 1 }
    expect(explore(doorbell({ events: 2, faults, maxBells: 4 })).violation).toBeUndefined()
  })

  test("a write whose answer is lost costs no wake-up, also beside a death", () => {
    const faults = { lostAnswers: 1, crashes: 1, failures: 1, shortOfTime: 1 }
    expect(explore(doorbell({ events: 3, faults, maxBells: 4 })).violation).toBeUndefined()
  })

  test("as long as nobody dies nobody waits for the sweep, whatever answers are lost and whatever cannot be read", () => {
    const faults = { lostAnswers: 2, failures: 1, shortOfTime: 1, unready: 1, halfSeen: 1 }
    const model = doorbell({ events: 3, faults, rules: { sweeps: false }, maxBells: 3 })
    expect(explore(model).violation).toBeUndefined()
  })

  test("half a commit that shows, and what cannot be opened, change no order and use no attempt", () => {
    const faults = { halfSeen: 2, unready: 2, failures: 1, crashes: 1 }
    expect(explore(doorbell({ events: 3, faults, maxBells: 4 })).violation).toBeUndefined()
  })

  test("a producer that dies between promise and doorbell is followed by one that rings: nobody waits for the sweep", () => {
    const faults = { hostDeaths: 2, failures: 1 }
    const model = doorbell({ events: 3, faults, rules: { sweeps: false }, maxBells: 4 })
    expect(explore(model).violation).toBeUndefined()
  })

  test("a service that died as a whole goes on with its start: nobody waits for the sweep", () => {
    const faults = { restarts: 2, failures: 1, shortOfTime: 1 }
    const model = doorbell({ events: 2, faults, resends: 1, rules: { sweeps: false }, maxBells: 3 })
    expect(explore(model).violation).toBeUndefined()
  })
})

describe("events that are asked for once more", () => {
  test("are sent, with two doorbells at most", () => {
    const model = doorbell({ events: 3, faults: { failures: 1, shortOfTime: 1 }, resends: 2, maxBells: 2 })
    expect(explore(model).violation).toBeUndefined()
  })

  test("are sent although deliverer, caller, producer or sweep die", () => {
    const model = doorbell({ events: 2, faults: { crashes: 2 }, resends: 1, maxBells: 5 })
    expect(explore(model).violation).toBeUndefined()
  })

  test("are sent although a deliverer stood still past its time", () => {
    const model = doorbell({ events: 2, faults: { standstills: 1, bellsTwice: 1 }, resends: 1, maxBells: 4 })
    expect(explore(model).violation).toBeUndefined()
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

/** `due = 0`, and then another look. */
const inTwoSteps: Partial<Rules> = { idlesAtOnce: false }
const unswept: Partial<Rules> = { sweeps: false }

test.for<[string, Partial<Rules>, Partial<Faults>, Harm]>([
  [
    "the look in the same transaction, or a second one,",
    { ...inTwoSteps, looksAgain: false },
    {},
    "lost wake-up",
  ],
  ["the sweep", { sweeps: false }, { crashes: 1, lostAbandoned: 1 }, "lost wake-up"],
  ["the sweep, with a lost doorbell,", { sweeps: false }, { failures: 1, lostBells: 1 }, "lost wake-up"],
  [
    "a promise that the sweep can find",
    { promiseWritesSince: false, claimWritesSince: false },
    { crashes: 1, lostAbandoned: 1 },
    "lost wake-up",
  ],
  [
    "a claim that the sweep can find",
    { claimWritesSince: false },
    { crashes: 1, lostAbandoned: 1, bellsTwice: 1 },
    "lost wake-up",
  ],
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
  ["a doorbell of the new owner", { ...unswept, ringsAnew: false }, { hostDeaths: 1 }, "lost wake-up"],
  ["a doorbell at the start of all", { ...unswept, startRings: false }, { restarts: 1 }, "lost wake-up"],
  ["freeing at the start who has died", { ...unswept, startFrees: false }, { restarts: 1 }, "lost wake-up"],
  ["knowing an advance of its own", { knowsOwnAdvance: false }, { lostAnswers: 1 }, "first attempt is not 1"],
  ["the holder", { holds: false }, { bellsTwice: 1 }, "first attempt is not 1"],
  [
    "a look at the clock",
    { mindsTime: false },
    { standstills: 1, bellsTwice: 1, failures: 1 },
    "attempt used twice",
  ],
  ["POST before mark", { postsFirst: false }, { crashes: 1 }, "lost event"],
  ["counting before the POST", { countsFirst: false }, { crashes: 1 }, "attempt used twice"],
  ["giving back what was counted", { givesBack: "none" }, { shortOfTime: 1 }, "first attempt is not 1"],
  ["giving back that alone", { givesBack: "all" }, { crashes: 1, shortOfTime: 1 }, "attempt used twice"],
  ["forgetting what was counted for nothing", { idleForgets: false }, {}, "first attempt is not 1"],
  ["minding the gap", { gapless: false }, { halfSeen: 1 }, "out of order"],
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
