import { deliver } from "./doorbell-deliverer.ts"
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
  /** How often a customer asks for an event once more. */
  resends?: number
  rules?: Partial<Rules>
}): Model<Doorbell, Harm> {
  const rules = { ...asDesigned, ...input.rules }

  return {
    start: {
      rows: 0,
      delivery: {
        head: 0,
        due: "no row",
        overdue: false,
        holder: "nobody",
        attempt: 0,
        waits: false,
        resend: 0,
      },
      customer: { at: "ask", asks: input.resends ?? 0 },
      producer: { at: "append", seen: "none" },
      sweepRings: false,
      bells: { waiting: 0, resting: 0, abandoned: 0, outlasts: "nothing" },
      deliverers: [resting(), resting()],
      receiver: { newest: 0, attempt: 0 },
      left: { ...noFaults, ...input.faults },
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
      const part = { rules, step, fault }
      produce(now, input.events, part)
      askAgain(now, part)
      for (const i of [0, 1] as const) deliver(now, i, part)
      receive(now, part)
      passTime(now, part)
      if (rules.sweeps) sweep(now, part)
    },
  }
}

/** The session that appends events: `wake` of core/delivery.ts. */
function produce(now: Doorbell, events: number, { rules, step, fault }: Part) {
  const { producer, rows, delivery, left } = now
  if (producer.at === "append" && rows < events)
    step("producer appends an event", (next) => {
      next.rows++
      next.producer.at = "read"
    })
  if (producer.at === "take over")
    step("new owner looks whether something waits", (next) => {
      next.producer.at = delivery.head < rows ? "read" : "append"
    })
  if (producer.at === "read")
    step("producer reads due", (next) => {
      next.producer =
        delivery.due === "ahead" ? { at: "append", seen: "none" } : { at: "promise", seen: delivery.due }
    })
  if (producer.at === "promise")
    step("producer promises, if due is unchanged", (next) => {
      const unchanged = delivery.due === producer.seen
      if (unchanged) promise(next, rules)
      next.producer = { at: unchanged ? "ring" : "read", seen: "none" }
    })
  if (producer.at === "ring")
    step("producer rings", (next) => {
      next.bells.waiting++
      next.producer.at = "append"
    })
  if (left.crashes > 0 && producer.at !== "append" && producer.at !== "take over")
    fault("producer dies", (next) => {
      next.left.crashes--
      next.producer = { at: "take over", seen: "none" }
    })
}

/** `Resend.ask` of core/resend.ts: the list, and the promise if none is in force, are one row. */
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
    step("his call promises", (next) => {
      if (delivery.due !== "ahead") promise(next, rules)
      next.customer.at = "ring"
    })
  if (customer.at === "ring")
    step("his call rings", (next) => {
      next.bells.waiting++
      next.customer.at = "ask"
    })
  if (left.crashes > 0 && customer.at !== "ask")
    fault("his call dies", (next) => {
      next.left.crashes--
      next.customer.at = "ask"
    })
}

function sweep(now: Doorbell, { rules, step, fault }: Part) {
  const { left } = now
  if (now.delivery.overdue && !now.sweepRings)
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

/** `promise` of core/delivery.ts: for whom has seen that `due` is 0 or has passed. */
function promise(next: Doorbell, rules: Rules) {
  setDue(next, "ahead")
  if (next.bells.outlasts === "overdue") next.bells.outlasts = "due"
  if (rules.promiseFrees) next.delivery.holder = "nobody"
}

function bellsOf(now: Doorbell): number {
  const { waiting, resting, abandoned } = now.bells
  return waiting + resting + abandoned + now.deliverers.filter((one) => one.hasBell).length
}
