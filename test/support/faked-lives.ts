import { afterEach, beforeEach, vi } from "vitest"
import { turn } from "./interleaved.ts"
import { dynamoDb } from "./store.ts"

// What tests share in which processes live, die and stand still beside each other.

/** How far the time is ahead of the machine's clocks, in milliseconds, for measured time as well. */
let aheadMs = 0

/** Fakes the time of each test of this file: it stands ahead by as much as `pass` has let pass. */
export function fakeTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const measured = performance.now.bind(performance)
    vi.spyOn(performance, "now").mockImplementation(() => measured() + aheadMs)
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })
}

export function pass(seconds: number): void {
  aheadMs += seconds * 1000
  vi.setSystemTime(Date.now() + seconds * 1000)
}

/** Waits for so many turns of the others. */
export async function after(turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await turn("waits")
}

/** Lets these of the next writes to the bridge's delivery row happen, but loses their answers. */
export function loseAnswers(bridgeId: string, lost: number[]): () => void {
  let written = 0
  const isOfRow = (request: object) => JSON.stringify(request).includes(`${bridgeId}"},"sk":{"S":"DELIVERY"`)
  const when = (request: object) => isOfRow(request) && lost.includes(written++)
  return dynamoDb.faults.add({ fault: "lost-answer", operation: "UpdateItem", when })
}
