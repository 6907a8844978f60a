import { AsyncLocalStorage } from "node:async_hooks"
import { SQSClient } from "@aws-sdk/client-sqs"
import type { Scheduler } from "fast-check"
import { store, transact, type Write } from "#core/store/store.ts"
import { wrapClientCalls } from "./wrap-client-calls.ts"

/** A party that uses the store at the same time as others. */
interface Party {
  name: string
  scheduler: Scheduler
  dead: boolean
  /** How many of its requests wait for their turn. */
  waiting: number
  /**
   * Whether the rows of its transactions show one by one, the last one first, to a reader outside a
   * transaction.
   */
  halfVisible: boolean
}

const parties = new AsyncLocalStorage<Party>()
/** The parties that are working now and are not waiting for their turn. */
const working = new Set<Party>()
let onRest: () => void = () => {}
/** Work that goes on when a party dies. */
const lasting: Promise<void>[] = []

wrapClientCalls(store, async (command, go) => {
  const party = parties.getStore()
  if (!party) return await go()
  const { TransactItems: writes = [] } = command.input
  if (party.halfVisible && writes.length > 1)
    return await waitForAnother("commit", () => showOneByOne(writes as Write[]))
  do await turn(command.name)
  while (writes.length > 0 && isHalfVisible && party.name !== "commit")
  const answer = await go()
  if (party.dead) return await over(party)
  // Code that asked for several things at once goes on only with the last answer, and waits again until then.
  setImmediate(() => {
    if (party.waiting > 0) rest(party)
  })
  return answer
})

/** Doorbells are sent in turns as well, so that a process may die between its promise and the bell. */
wrapClientCalls(SQSClient.prototype, async (command, go) => {
  if (parties.getStore() && command.name === "SendMessageCommand") await turn("ring")
  return await go()
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

/** Does all of this in one turn: no other party does anything meanwhile. */
export async function inOneTurn<Result>(label: string, work: () => Promise<Result>): Promise<Result> {
  await turn(label)
  return await parties.exit(work)
}

function rest(party: Party): void {
  working.delete(party)
  if (working.size === 0) onRest()
}

/** A commit that some of its rows show. Other transactions wait: none sees half of another. */
let isHalfVisible = false

async function showOneByOne(writes: Write[]): Promise<void> {
  isHalfVisible = true
  for (const write of writes.toReversed()) await transact([write])
  isHalfVisible = false
}

/** Waits for work that has turns of its own, and goes on if the caller dies meanwhile. */
async function waitForAnother(name: string, work: () => Promise<void>): Promise<object> {
  const party = parties.getStore()!
  const done = inTurns(party.scheduler, name, async () => {
    await work()
    if (!party.dead) working.add(party)
  })
  lasting.push(done)
  rest(party)
  await done
  if (party.dead) await over(party)
  return {}
}

/** A dead process hears nothing any more. */
async function over(party: Party): Promise<never> {
  rest(party)
  return await new Promise<never>(() => {})
}

/**
 * Runs a party's work; each of its requests to the store waits for a turn, which the scheduler gives. With
 * `mayDie` the party vanishes at a moment of the scheduler's choice, like a killed process: its last request
 * may have been applied, and it does nothing more. With `diesLate` it dies so many requests later. Resolves
 * when the work is done, or the party is dead.
 */
export async function inTurns(
  scheduler: Scheduler,
  name: string,
  work: () => Promise<void>,
  { mayDie = false, diesLate = 0, halfVisible = false } = {},
): Promise<void> {
  const party: Party = { name, scheduler, dead: false, waiting: 0, halfVisible }
  working.add(party)
  const done = parties.run(party, work).finally(() => rest(party))
  if (!mayDie) return await done
  await Promise.race([done, die(party, diesLate)])
}

async function die(party: Party, diesLate: number): Promise<void> {
  for (let n = 0; n < diesLate; n++) await party.scheduler.schedule(Promise.resolve(), `${party.name} lives`)
  await party.scheduler.schedule(Promise.resolve(), `${party.name} dies`)
  party.dead = true
}

/**
 * Gives the turns one after the other until all parties have ended. The next is chosen when all of them wait.
 */
export async function giveTurns(scheduler: Scheduler, all: Promise<void>[]): Promise<void> {
  await allRest()
  const ended = Promise.all(all).then(() => Promise.all(lasting.splice(0)))
  await scheduler.waitFor(ended, async (go) => {
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
