import { deliver, leaveBehind } from "./doorbell-deliverer.ts"
import { passTime, receive } from "./doorbell-queue.ts"
import {
  asDesigned,
  type Doorbell,
  type Faults,
  type Harm,
  noFaults,
  type Part,
  resting,
  type Rules,
  setDue,
} from "./doorbell-state.ts"
import type { Model } from "./explore.ts"

export function doorbell(input: {
  events: number
  faults: Partial<Faults>
  maxBells: number
  /** How often a customer asks for an event to be sent again. */
  resends?: number
  rules?: Partial<Rules>
}): Model<Doorbell, Harm> {
  const rules = { ...asDesigned, ...input.rules }
  const faults = { ...noFaults, ...input.faults }
  const excuses: (keyof Faults)[] = ["crashes", "standstills", "restarts"]
  // In two steps, the second claim could not be told from another's.
  if (!rules.idlesAtOnce) excuses.push("lostAnswers")

  return {
    start: {
      rows: 0,
      delivery: {
        head: 0,
        due: "none",
        overdue: false,
        since: false,
        holder: "nobody",
        attempt: 0,
        waits: false,
        resend: 0,
      },
      customer: { at: "ask", asks: input.resends ?? 0 },
      producer: { at: "append", seen: "none", isNew: false },
      sweepRings: false,
      starts: false,
      bells: { waiting: 0, resting: 0, abandoned: 0, outlasts: "nothing" },
      deliverers: [resting(), resting()],
      receiver: { newest: 0, attempt: 0 },
      left: faults,
      harm: "",
    },
    stuck: "lost wake-up",
    settled: (now) => now.delivery.head === now.rows && now.delivery.resend === 0,
    harm: (now) => {
      if (now.harm) return now.harm
      if (bellsOf(now) > input.maxBells) return "too many doorbells"
      const isQuiet = now.deliverers.every((one) => one.at === "rest")
      if (isQuiet && now.delivery.head > now.receiver.newest) return "lost event"
      return undefined
    },
    next: (now, step, fault) => {
      const isFaultless = excuses.every((kind) => now.left[kind] === faults[kind])
      const part = { rules, isFaultless, step, fault }
      if (now.starts) return start(part)
      restart(now, part)
      produce(now, input.events, part)
      askAgain(now, part)
      for (const i of [0, 1] as const) deliver(now, i, part)
      receive(now, part)
      passTime(now, part)
      if (rules.sweeps) sweep(now, part)
    },
  }
}

/** The session that appends events: `wake` and `ringAnew` of core/event/delivery.ts. */
function produce(now: Doorbell, events: number, { rules, step, fault }: Part) {
  const { producer, rows, delivery, left } = now
  if (producer.at === "append" && rows < events)
    step("producer appends an event", (next) => {
      next.rows++
      next.producer.at = "read"
    })
  if (producer.at === "take over")
    step("new owner looks whether something waits or is promised", (next) => {
      const isPromised = rules.ringsAnew && delivery.due !== "none"
      const isWanted = delivery.head < rows || isPromised
      next.producer = { at: isWanted ? "read" : "append", seen: "none", isNew: rules.ringsAnew }
    })
  if (producer.at === "read")
    step("producer reads due", (next) => {
      next.producer.seen = delivery.due === "ahead" ? "none" : delivery.due
      const promised = producer.isNew ? "ring" : "append"
      next.producer.at = delivery.due === "ahead" ? promised : "promise"
    })
  if (producer.at === "promise")
    step("producer promises, if due is unchanged", (next) => {
      const unchanged = delivery.due === producer.seen
      if (unchanged) promise(next, rules)
      next.producer = { ...producer, at: unchanged ? "ring" : "read", seen: "none" }
    })
  if (producer.at === "ring")
    step("producer rings", (next) => {
      next.bells.waiting++
      next.producer = { at: "append", seen: "none", isNew: false }
    })
  if (left.hostDeaths + left.crashes > 0 && producer.at !== "append" && producer.at !== "take over")
    fault("producer dies", (next) => {
      next.left[left.hostDeaths > 0 ? "hostDeaths" : "crashes"]--
      next.producer = { at: "take over", seen: "none", isNew: false }
    })
}

/** `Resend.ask` of core/event/resend.ts: the list, and the promise if none is in force, are in one row. */
function askAgain(now: Doorbell, { rules, step, fault }: Part) {
  const { customer, delivery, left } = now
  if (customer.at === "ask" && customer.asks > 0 && delivery.head > 0)
    step("customer asks for an event once more", (next) => {
      next.customer.asks--
      next.delivery.resend++
      if (delivery.due === "ahead") return
      if (rules.asksAtOnce) promise(next, rules)
      next.customer.at = rules.asksAtOnce ? "ring" : "promise"
    })
  if (customer.at === "promise")
    step("their call promises", (next) => {
      if (delivery.due !== "ahead") promise(next, rules)
      next.customer.at = "ring"
    })
  if (customer.at === "ring")
    step("their call rings", (next) => {
      next.bells.waiting++
      next.customer.at = "ask"
    })
  if (left.crashes > 0 && customer.at !== "ask")
    fault("their call dies", (next) => {
      next.left.crashes--
      next.customer.at = "ask"
    })
}

function sweep(now: Doorbell, { rules, step, fault }: Part) {
  const { left, delivery } = now
  if (delivery.since && delivery.overdue && !now.sweepRings)
    step("sweep finds it overdue and promises", (next) => {
      promise(next, rules)
      next.sweepRings = true
    })
  if (!now.sweepRings) return
  step("sweep rings", (next) => {
    next.sweepRings = false
    next.bells.waiting++
  })
  if (left.crashes > 0)
    fault("sweep dies before it rings", (next) => {
      next.sweepRings = false
      next.left.crashes--
    })
}

/** On one machine all processes end together, and the queue's content is gone. */
function restart(now: Doorbell, { fault }: Part) {
  if (now.left.restarts === 0) return
  fault("the whole service dies", (next) => {
    next.left.restarts--
    for (const i of [0, 1] as const) leaveBehind(next, i)
    next.deliverers = [resting(), resting()]
    next.bells = { waiting: 0, resting: 0, abandoned: 0, outlasts: "nothing" }
    next.customer.at = "ask"
    next.producer = { at: "take over", seen: "none", isNew: false }
    next.sweepRings = false
    next.starts = true
  })
}

/** `ringAll` of core/event/delivery.ts, before anybody can deliver. If it dies, it begins again. */
function start({ rules, step }: Part) {
  step("the service starts, and rings for what is due", (next) => {
    next.starts = false
    const { due } = next.delivery
    if (!rules.startRings || due === "none") return
    promise(next, { ...rules, promiseFrees: rules.startFrees })
    next.bells.waiting++
  })
}

/** `promise` of core/event/delivery.ts, for a party that has seen `due` as 0 or passed. */
function promise(next: Doorbell, rules: Rules) {
  setDue(next, "ahead")
  if (next.bells.outlasts === "overdue") next.bells.outlasts = "due"
  if (rules.promiseFrees) next.delivery.holder = "nobody"
  if (rules.promiseWritesSince) next.delivery.since = true
}

function bellsOf(now: Doorbell): number {
  const { waiting, resting, abandoned } = now.bells
  return waiting + resting + abandoned + now.deliverers.filter((one) => one.hasBell).length
}
