export * as LinkSteps from "./link-steps.ts"

import type { KnownState } from "#core/bridge/known-state.ts"
import { stepCount, stepOf } from "./linking-cards.ts"

/**
 * The steps that the page where a phone is linked has seen so far. They are in the stream's ids, so a stream
 * that breaks goes on with them.
 */
export interface Info {
  /** The place of the shown code in its round, from 1; 0 where it is not known. */
  number: number
  /** When the shown code expires, Unix ms; 0 before the first. */
  expiresMs: number
  /** The step that was seen last; -1 before the first look. */
  step: number
  /** When each step was seen to begin, Unix ms. */
  times: (number | undefined)[]
}

const lastOfARound = 6
const over = lastOfARound + 1
/** The first code of a round lives for 60 s, each later one for 20: this tells them apart. */
const laterLiveMs = 25_000

/** Number, expiry and step, then a time for each step. */
const whole = new RegExp(`^-?\\d{1,15}(_-?\\d{1,15}){${2 + stepCount}}$`)
const eachStep = Array.from({ length: stepCount }, (_, i) => i)

/** The steps that a page had seen when its stream got this id. */
export function fromStreamId(id: string | undefined): Info {
  if (id === undefined || !whole.test(id)) return { number: 0, expiresMs: 0, step: -1, times: [] }
  const [number = 0, expiresMs = 0, step = -1, ...times] = id.split("_").map(Number)
  return { number, expiresMs, step, times: times.map((at) => (at === 0 ? undefined : at)) }
}

export function streamIdOf({ number, expiresMs, step, times }: Info): string {
  return [number, expiresMs, step, ...eachStep.map((i) => times[i] ?? 0)].join("_")
}

/**
 * The steps with what the session says now. Times of steps that were taken before the first look are not
 * known.
 */
export function withState(before: Info, knownState: KnownState, atMs: number): Info {
  const step = stepOf(knownState)
  if (step === before.step) return before
  if (before.step === -1) return { ...before, step, times: step === 0 ? [atMs] : [] }
  const times = eachStep.map((i) => (i > before.step && i <= step ? atMs : before.times[i]))
  return { ...before, step, times: step < before.step ? [atMs] : times }
}

/** The steps with the code that the network shows now. */
export function withCode(before: Info, expiresMs: number, atMs: number): Info {
  if (expiresMs === before.expiresMs) return before
  const isFirst = expiresMs - atMs > laterLiveMs
  // A round has ended and no phone scanned: a person has to want the next.
  if (isFirst && before.number === lastOfARound) return { ...before, number: over }
  if (isFirst) return { ...before, number: 1, expiresMs }
  return { ...before, number: before.number === 0 ? 0 : Math.min(before.number + 1, lastOfARound), expiresMs }
}

export function isOver({ number }: Info): boolean {
  return number === over
}

/**
 * After how many ms to look again. The next code turns up to a second after the last one is said to expire:
 * around then the looks are more frequent.
 */
export function lookAgainMs({ expiresMs }: Info, atMs: number): number {
  return Math.abs(atMs - expiresMs) < 1200 ? 80 : 400
}
