import { expect, test } from "vitest"
import { explore, type Model } from "./explore.ts"

/** Two jugs of water: a known puzzle with a known answer. */
function jugs(sizes: [number, number], wanted: number): Model<{ held: [number, number] }, "found" | "dry"> {
  return {
    start: { held: [0, 0] },
    stuck: "dry",
    settled: () => true,
    harm: (now) => (now.held.includes(wanted) ? "found" : undefined),
    next: (now, step) => {
      for (const [here, there] of [
        [0, 1],
        [1, 0],
      ] as const) {
        const poured = Math.min(now.held[here], sizes[there] - now.held[there])
        step(`fill ${here}`, (next) => (next.held[here] = sizes[here]))
        step(`empty ${here}`, (next) => (next.held[here] = 0))
        step(`pour ${here}`, (next) => {
          next.held[here] -= poured
          next.held[there] += poured
        })
      }
    },
  }
}

/** Counts to ten. From five on, only a fault leads further if `isTrapped`. */
function counter(isTrapped: boolean): Model<{ count: number }, "stuck"> {
  return {
    start: { count: 0 },
    stuck: "stuck",
    settled: (now) => now.count === 10,
    harm: () => undefined,
    next: (now, step, fault) => {
      const up = (next: { count: number }) => (next.count = now.count + 1)
      if (now.count < 10) (isTrapped && now.count === 5 ? fault : step)("up", up)
      step("stay", () => {})
    },
  }
}

test("a harm is found by the shortest way to it", () => {
  const { violation } = explore(jugs([3, 5], 4))
  expect(violation?.trace).toEqual(["fill 1", "pour 1", "empty 0", "pour 1", "fill 1", "pour 1"])
  expect(violation?.state).toEqual({ held: [3, 4] })
})

test("every state is looked at when there is no harm", () => {
  expect(explore(jugs([3, 5], 6))).toEqual({ states: 16 })
})

test("a state from which only a fault leads on is a violation, though steps go round there", () => {
  expect(explore(counter(false))).toEqual({ states: 11 })
  expect(explore(counter(true)).violation).toEqual({ harm: "stuck", trace: [], state: { count: 0 } })
})

test("a model that is too large fails loudly", () => {
  expect(() => explore(jugs([3, 5], 6), { maxStates: 15 })).toThrow("more than 15 states")
})

test("a number that has no code fails loudly", () => {
  const model = counter(false)
  expect(() => explore({ ...model, start: { count: -1 } })).toThrow("holds -1")
})
