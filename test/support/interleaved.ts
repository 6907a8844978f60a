import { AsyncLocalStorage } from "node:async_hooks"
import type { Scheduler } from "fast-check"
import { store } from "#core/store.ts"
import { around } from "./around.ts"

/** Somebody who uses the store at the same time as others. */
interface Party {
  name: string
  scheduler: Scheduler
  dead: boolean
}

const parties = new AsyncLocalStorage<Party>()
/** Those who are doing something now, and do not wait for their turn. */
const working = new Set<Party>()
let onRest: () => void = () => {}

around(store, async (command, go) => {
  const party = parties.getStore()
  if (!party) return await go()
  await turn(command.name)
  const answer = await go()
  return party.dead ? await over(party) : answer
})

/** Waits until it is the turn of whoever calls. */
export async function turn(label: string): Promise<void> {
  const party = parties.getStore()!
  rest(party)
  await party.scheduler.schedule(Promise.resolve(), `${party.name}: ${label}`)
  if (party.dead) await over(party)
  working.add(party)
}

function rest(party: Party): void {
  working.delete(party)
  if (working.size === 0) onRest()
}

/** A dead process hears of nothing any more. */
async function over(party: Party): Promise<never> {
  rest(party)
  return await new Promise<never>(() => {})
}

/**
 * Somebody's work; each request of it to the store waits for its turn, which the scheduler gives. `mayDie`: at a moment
 * that the scheduler chooses it is gone, like a killed process: what it asked for may have been applied, and it does
 * nothing more. Resolves when the work is done, or nobody is left to do it.
 */
export async function inTurns(
  scheduler: Scheduler,
  name: string,
  work: () => Promise<void>,
  { mayDie = false } = {},
): Promise<void> {
  const party: Party = { name, scheduler, dead: false }
  working.add(party)
  const done = parties.run(party, work).finally(() => rest(party))
  if (!mayDie) return await done
  await Promise.race([done, die(party)])
}

async function die(party: Party): Promise<void> {
  await party.scheduler.schedule(Promise.resolve(), `${party.name} dies`)
  party.dead = true
}

/** Gives the turns, one after the other, until all have ended. The next is chosen when everybody waits for one. */
export async function giveTurns(scheduler: Scheduler, all: Promise<void>[]): Promise<void> {
  await allRest()
  await scheduler.waitFor(Promise.all(all), async (go) => {
    await go()
    await allRest()
  })
}

async function allRest(): Promise<void> {
  // Whoever was given a turn takes it up in a later microtask.
  await new Promise(setImmediate)
  if (working.size === 0) return
  await new Promise<void>((resolve) => {
    onRest = resolve
  })
}
