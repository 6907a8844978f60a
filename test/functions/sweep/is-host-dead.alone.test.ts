import "#test/support/store.ts"
import type { Task } from "@aws-sdk/client-ecs"
import { expect, test } from "vitest"
import type { Host } from "#core/lease/host.ts"
import { config } from "#core/platform/config.ts"
import { isDead, observe } from "#functions/sweep/is-host-dead.ts"
import { isEndedFromOutside } from "#functions/sweep/tasks.ts"

const beat = config.LEASE_BEAT_MS

function aHost(fields: Partial<Host.Info> = {}): Host.Info {
  return {
    id: "h",
    state: "up",
    network: "simulated",
    version: 7,
    addr: "127.0.0.1:1",
    capacity: 20,
    sessions: 0,
    up: 0,
    task: "",
    definition: "",
    drainingAt: 0,
    startedAt: 1000,
    beatAt: 0,
    deadAt: 0,
    isBlameless: false,
    ...fields,
  }
}

const unreported = { report: undefined, now: 1000 }

test("a host is over after four beats without a new version, not a moment before", () => {
  const host = aHost()
  const observed = observe(observe(new Map(), [host], 0), [host], 3 * beat)
  expect(isDead(host, { ...unreported, observed, atMs: 4 * beat - 1 })).toBe(false)
  expect(isDead(host, { ...unreported, observed, atMs: 4 * beat })).toBe(true)
})

test("each new version starts the count again, and so does a look that could not read", () => {
  const [old, fresh] = [aHost(), aHost({ version: 8 })]
  const observed = observe(observe(new Map(), [old], 0), [fresh], 3 * beat)
  expect(isDead(fresh, { ...unreported, observed, atMs: 6 * beat })).toBe(false)
  expect(isDead(fresh, { ...unreported, observed, atMs: 7 * beat })).toBe(true)
  expect(isDead(old, { ...unreported, observed: new Map(), atMs: 100 * beat })).toBe(false)
})

test("a host whose task stopped is over at once, in whichever state", () => {
  for (const state of ["starting", "up", "draining"] as const)
    expect(isDead(aHost({ state }), { report: "stopped", observed: new Map(), atMs: 0, now: 1000 })).toBe(
      true,
    )
})

test("that the orchestrator does not know a task is believed after two silent beats", () => {
  const host = aHost()
  const observed = observe(new Map(), [host], 0)
  const about = { report: "missing", observed, now: 1000 } as const
  expect(isDead(host, { ...about, atMs: 2 * beat - 1 })).toBe(false)
  expect(isDead(host, { ...about, atMs: 2 * beat })).toBe(true)
})

test("a starting host has five minutes for its first beat", () => {
  const host = aHost({ state: "starting", version: 0 })
  const observed = observe(new Map(), [host], 0)
  expect(isDead(host, { observed, report: undefined, atMs: 1000 * beat, now: 1299 })).toBe(false)
  expect(isDead(host, { observed, report: undefined, atMs: 0, now: 1300 })).toBe(true)
})

test("hosts that are gone are forgotten", () => {
  expect(observe(observe(new Map(), [aHost()], 0), [], 1).size).toBe(0)
})

test.for<[string, Task, boolean]>([
  ["taken away with its Spot capacity", { stopCode: "SpotInterruption" }, true],
  ["stopped by an operator", { stopCode: "UserInitiated", containers: [{ exitCode: 137 }] }, true],
  ["killed", { stopCode: "EssentialContainerExited", containers: [{ exitCode: 137 }] }, true],
  [
    "killed since its memory had run out",
    {
      stopCode: "EssentialContainerExited",
      containers: [{ exitCode: 137, reason: "OutOfMemoryError: ..." }],
    },
    false,
  ],
  ["ended by an error", { stopCode: "EssentialContainerExited", containers: [{ exitCode: 1 }] }, false],
  ["aborted by V8", { stopCode: "EssentialContainerExited", containers: [{ exitCode: 134 }] }, false],
  ["lost without a word", {}, false],
])("a task that was %s: from outside?", ([, task, expected]) => {
  expect(isEndedFromOutside(task)).toBe(expected)
})
