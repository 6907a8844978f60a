import { setTimeout as sleep } from "node:timers/promises"
import type { Receiver } from "#core/event/receiver.ts"
import type { NetworkClient } from "#one-machine/network/client.ts"
import type { Random } from "#test/support/random.ts"
import type { Blow, StepBoard } from "../cluster/armed-steps.ts"
import { lostAnswer, type CrashPoint, crashPoints, type Role, throttling } from "../cluster/crash-points.ts"
import type { LinkedBridge } from "../cluster/linked-cluster.ts"
import type { Store } from "../cluster/store.ts"
import type { ReceiverFaults } from "./receiver-faults.ts"

/** A blow that hit work in flight. */
export interface Hit {
  /** The crash point, as the tables name it; `outside` when it came at no chosen moment. */
  point: string
  role: Role
  blow: Blow
  pid: number
  /** Unix milliseconds. */
  at: number
}

/** An attempt that was under way in a deliverer when it was stopped, by the number of its event. */
export interface StoppedAttempt {
  bridgeId: string
  n: number | Promise<number>
  /** Unix milliseconds. */
  at: number
  until: number
}

interface Input {
  random: Random
  steps: StepBoard
  /** Process ids of those that live. */
  living: Record<Role, () => number[]>
  beat: number
  room: Store
  network: NetworkClient
  receiver: Pick<ReceiverFaults, "failNext">
  lines: LinkedBridge[]
  /** The number of the event that a delivery comes to next. Never rejects. */
  nextEvent: (id: Receiver.Id) => Promise<number>
  /** At the time, Unix milliseconds. */
  onHostKilled: (at: number) => void
}

/** How long an armed step is waited for, in milliseconds. */
const patienceMs = 3000

export type Killer = ReturnType<typeof newKiller>

/** Kills and pauses processes, only ever with work in flight. */
export function newKiller(input: Input) {
  const { random, steps, living } = input
  const hits: Hit[] = []
  /** How often each crash point was waited for. */
  const tried = new Map<string, number>()
  const pauses = newPauses(input)

  /** Adds a hit, or does not find one. */
  async function strike(): Promise<void> {
    const roll = random.next()
    if (roll < 0.7) await strikeAt(rarest())
    if (roll >= 0.7) strikeOutside(roll < 0.9 ? "SIGKILL" : "SIGSTOP")
  }

  /** The crash point that was hit least, of those that can still be met. */
  function rarest(): CrashPoint {
    const least = Math.min(...crashPoints.map(score))
    return random.pick(crashPoints.filter((point) => score(point) === least))!
  }

  function score({ name }: CrashPoint): number {
    return hits.filter((hit) => hit.point === name).length + (tried.get(name) ?? 0) / 3
  }

  async function strikeAt({ name, role, step, blow, needs }: CrashPoint): Promise<void> {
    tried.set(name, (tried.get(name) ?? 0) + 1)
    const passes = await bringAbout(needs, input)
    try {
      const pid = await met(steps, step, blow)
      if (pid === undefined) return
      count({ point: name, role, blow, pid })
      if (blow === "SIGSTOP") pauses.begin(pid)
    } finally {
      // Left behind by one crash point after another they would keep every session away from the network.
      for (const pass of passes) await pass()
    }
  }

  function count(hit: Omit<Hit, "at">): void {
    const at = Date.now()
    hits.push({ ...hit, at })
    if (hit.role === "session-host" && hit.blow === "SIGKILL") input.onHostKilled(at)
  }

  /** Stops a process first and looks what it has under way: only then is it known to be hit at work. */
  function strikeOutside(blow: Blow): void {
    const role = random.pick(["session-host", "session-host", "delivery", "api"] as const)!
    const pid = random.pick(living[role]().filter((each) => !pauses.has(each)))
    if (!pid || !signal(pid, "SIGSTOP")) return
    const isAtWork = steps.openOf(pid).length > 0
    if (isAtWork) count({ point: "outside", role, blow, pid })
    if (isAtWork && blow === "SIGSTOP") return pauses.begin(pid)
    signal(pid, isAtWork ? "SIGKILL" : "SIGCONT")
  }

  return {
    hits,
    tried,
    stoppedAttempts: pauses.stoppedAttempts,
    strike,
    /** Lets the paused processes go on. */
    release: pauses.end,
  }
}

/** @returns the process that has met the blow at this step, if one came there in time */
async function met(steps: StepBoard, step: string, blow: Blow): Promise<number | undefined> {
  steps.arm(step, blow)
  const until = performance.now() + patienceMs
  for (;;) {
    const isOver = performance.now() > until
    if (isOver) steps.disarm(step)
    const [one] = steps.met()
    if (one || isOver) return one?.pid
    await sleep(10)
  }
}

/** The processes that were stopped, each for a while, and the attempts that they had under way. */
function newPauses({ random, steps, beat, nextEvent }: Input) {
  const paused = new Map<number, NodeJS.Timeout>()
  const stoppedAttempts: StoppedAttempt[] = []
  return {
    stoppedAttempts,
    has: (pid: number) => paused.has(pid),
    /** For a process that is stopped already. */
    begin(pid: number): void {
      const ms = random.between(beat, 12 * beat)
      const stop = { at: Date.now(), until: Date.now() + ms }
      for (const work of steps.openOf(pid)) {
        const [word, bridgeId = "", webhookId = "", n] = work.split(" ")
        if (word === "attempt") stoppedAttempts.push({ bridgeId, n: Number(n), ...stop })
        // The row as it is now: while this claim holds, no other deliverer goes on.
        if (word === "claim")
          stoppedAttempts.push({ bridgeId, n: nextEvent({ bridgeId, webhookId }), ...stop })
      }
      const goOn = setTimeout(() => {
        paused.delete(pid)
        signal(pid, "SIGCONT")
      }, ms)
      paused.set(pid, goOn)
    },
    /** Lets all of them go on. */
    end: (): void => {
      for (const [pid, timer] of paused) {
        clearTimeout(timer)
        signal(pid, "SIGCONT")
      }
      paused.clear()
    },
  }
}

/** Brings about the condition of a crash point. @returns functions that end it */
async function bringAbout(needs: CrashPoint["needs"], input: Input): Promise<(() => Promise<void>)[]> {
  const { random, network, receiver, room, lines } = input
  const { device } = random.pick(lines)!
  switch (needs) {
    case undefined:
    // The victims' customers do so all the time.
    case "retry":
      return []
    case "failure":
      receiver.failNext()
      return []
    case "lost answer":
      room.add(lostAnswer)
      return []
    case "throttling":
      room.add(throttling)
      return []
    case "refusal":
      return [await network.fault({ kind: "nack", code: 463, device, times: 1 })]
    case "redelivery":
      return [await network.fault({ kind: "cut_before_receipt", times: 2 })]
    case "no end of backlog":
      return [await network.fault({ kind: "no_offline", times: lines.length }), await leaveBacklog(input)]
    case "backlog":
      return [await leaveBacklog(input)]
  }
}

/** For a while no session is connected, and messages to them wait. */
async function leaveBacklog({ network, lines }: Input): Promise<() => Promise<void>> {
  const pass = await network.fault({ kind: "refuse_upgrade", code: 503, times: lines.length })
  for (const { device } of lines) await network.cut(device)
  return pass
}

/** @returns false when it is gone. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    // It has ended by itself.
    return false
  }
}
