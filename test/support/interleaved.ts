import { AsyncLocalStorage } from "node:async_hooks"
import type { Scheduler } from "fast-check"
import { store } from "#core/store/store.ts"
import { wrapClientCalls } from "./wrap-client-calls.ts"

/** A party that uses the store at the same time as others. */
interface Party {
  name: string
  scheduler: Scheduler
  dead: boolean
  /** How many of its requests wait for their turn. */
  waiting: number
}

const parties = new AsyncLocalStorage<Party>()
/** The parties that are working now and are not waiting for their turn. */
const working = new Set<Party>()
let onRest: () => void = () => {}

wrapClientCalls(store, async (command, go) => {
  const party = parties.getStore()
  if (!party) return await go()
  await turn(command.name)
  const answer = await go()
  if (party.dead) return await over(party)
  // Code that asked for several things at once goes on only with the last answer, and waits again until then.
  setImmediate(() => {
    if (party.waiting > 0) rest(party)
  })
  return answer
})

/** Waits until it is the caller's turn. */
export async function turn(label: string): Promise<void> {
  const party = parties.getStore()!
  party.waiting++
  rest(party)
  await party.scheduler.schedule(Promise.resolve(), `${party.name}: ${label}`)
  party.waiting--
  if (party.dead) await over(party)
  working.add(party)
}

function rest(party: Party): void {
  working.delete(party)
  if (working.size === 0) onRest()
}

/** A dead process hears nothing any more. */
async function over(party: Party): Promise<never> {
  rest(party)
  return await new Promise<never>(() => {})
}

/**
 * Runs a party's work; each of its requests to the store waits for a turn, which the scheduler gives. With `mayDie` it
 * vanishes at a moment of the scheduler's choice, like a killed process: its last request may have been applied, and it
 * does nothing more. Resolves when the work is done, or nobody is left to do it.
 */
export async function inTurns(
  scheduler: Scheduler,
  name: string,
  work: () => Promise<void>,
  { mayDie = false } = {},
): Promise<void> {
  const party: Party = { name, scheduler, dead: false, waiting: 0 }
  working.add(party)
  const done = parties.run(party, work).finally(() => rest(party))
  if (!mayDie) return await done
  await Promise.race([done, die(party)])
}

async function die(party: Party): Promise<void> {
  await party.scheduler.schedule(Promise.resolve(), `${party.name} dies`)
  party.dead = true
}

/** Gives the turns one after the other until all parties have ended. The next is chosen when all of them wait. */
export async function giveTurns(scheduler: Scheduler, all: Promise<void>[]): Promise<void> {
  await allRest()
  await scheduler.waitFor(Promise.all(all), async (go) => {
    await go()
    await allRest()
  })
}

async function allRest(): Promise<void> {
  // A party that was given a turn takes it up in a later microtask.
  await new Promise(setImmediate)
  if (working.size === 0) return
  await new Promise<void>((resolve) => {
    onRest = resolve
  })
}
