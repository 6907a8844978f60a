import type { Model } from "./explore.ts"

/**
 * The wake-up protocol of `core/delivery.ts`: one producer (the session that appends events), the queue of doorbells
 * (SQS FIFO, one group), two invocations of the deliverer, the sweep, and a receiver that remembers what it got.
 * Each step is one request to the store, the queue or the receiver, so whoever dies dies between two of them.
 */
export interface Doorbell {
  /** Committed event rows. */
  rows: number
  /** The `DELIVERY` row. */
  delivery: {
    head: number
    due: Due
    /** `due` passed a minute ago: what the sweep looks for. */
    overdue: boolean
    holder: Holder
    failures: number
    attempt: number
    /** `retry_at` is ahead. */
    waits: boolean
  }
  producer: { at: "append" | "read" | "promise" | "ring" | "take over"; seen: Due }
  /** Between its promise and its doorbell. */
  sweepRings: boolean
  bells: {
    waiting: number
    /** Hidden until its event may be tried again. */
    resting: number
    /** Hidden because its deliverer died: for 120 s. */
    abandoned: number
    /**
     * What comes before it shows again: `due`, 90 s after the claim; or also the minute after, if its deliverer died
     * before the claim, when `due` was older.
     */
    outlasts: "nothing" | "due" | "overdue"
  }
  deliverers: [Deliverer, Deliverer]
  receiver: {
    /** The newest event it got, and the highest attempt of that one. */
    newest: number
    attempt: number
  }
  left: Faults
  harm: Harm | ""
}

interface Deliverer {
  at:
    | "rest"
    | "claim"
    | "look"
    | "count"
    | "post"
    | "advance"
    | "fail"
    | "idle"
    | "look again"
    | "claim again"
    | "pass on"
    | "ring"
    | "post late"
  /** The row as it was when it was claimed or changed. */
  head: number
  attempt: number
  failures: number
  /** Whether the queue still hides the doorbell for it. */
  hasBell: boolean
  /** Its time was over while it stood still. */
  overslept: boolean
}

/** 0 as in the row; `ahead` and `passed` are times; `no row` before the first event. */
type Due = "no row" | "none" | "ahead" | "passed"
/** Nobody, one of the two, or an invocation that is no more: its time goes on (`dead`) until it is `long dead`. */
type Holder = "nobody" | "first" | "second" | "dead" | "long dead"

type Harm =
  | "lost wake-up"
  | "lost event"
  | "out of order"
  | "repeated"
  | "attempt used twice"
  | "too many doorbells"

/** How often each may happen. */
export interface Faults {
  /** A producer, deliverer or sweep dies. */
  crashes: number
  /** A POST fails and is to be repeated. */
  failures: number
  /** An invocation has no time left for another event. */
  shortOfTime: number
  /** The doorbell of an event that failed ends in the dead-letter queue. */
  lostBells: number
  /** The doorbell of a deliverer that died does. */
  lostAbandoned: number
  /** The queue hands out a doorbell again while its deliverer runs. */
  bellsTwice: number
  /** `due` passes though a doorbell waits or is about to be sent: the queue or the deliverers are slow. */
  slowBells: number
  /** A deliverer stands still until its time is over, and goes on. */
  standstills: number
}

export interface Rules {
  /** After `due = 0` the deliverer looks once more. */
  looksAgain: boolean
  /** Overdue promises are found and renewed. */
  sweeps: boolean
  /** `due = 0` and the look are one transaction: `IF EVENT#(head+1)` does not exist. */
  idlesAtOnce: boolean
  /** A claim is refused while another holds, and all that a deliverer writes asks whether it still holds. */
  holds: boolean
  /** Whoever renews a promise that has passed also frees the holder, whose time it was. */
  promiseFrees: boolean
  /** The event's outcome is written after its POST. */
  postsFirst: boolean
  /** `X-Webhook-Attempt` grows before the POST. */
  countsFirst: boolean
}

export const asDesigned: Rules = {
  looksAgain: true,
  idlesAtOnce: false,
  sweeps: true,
  holds: true,
  promiseFrees: true,
  postsFirst: true,
  countsFirst: true,
}

export const noFaults: Faults = {
  crashes: 0,
  failures: 0,
  shortOfTime: 0,
  lostBells: 0,
  lostAbandoned: 0,
  bellsTwice: 0,
  slowBells: 0,
  standstills: 0,
}

const names = ["first", "second"] as const

export function doorbell(input: {
  events: number
  faults: Partial<Faults>
  maxBells: number
  rules?: Partial<Rules>
}): Model<Doorbell, Harm> {
  const rules = { ...asDesigned, ...input.rules }

  /** `promise` of core/delivery.ts: `SET due` if it is what was seen. */
  const promise = (next: Doorbell) => {
    setDue(next, "ahead")
    if (next.bells.outlasts === "overdue") next.bells.outlasts = "due"
    if (rules.promiseFrees) next.delivery.holder = "nobody"
  }
  const holds = (now: Doorbell, i: 0 | 1) => !rules.holds || now.delivery.holder === names[i]

  return {
    start: {
      rows: 0,
      delivery: {
        head: 0,
        due: "no row",
        overdue: false,
        holder: "nobody",
        failures: 0,
        attempt: 0,
        waits: false,
      },
      producer: { at: "append", seen: "none" },
      sweepRings: false,
      bells: { waiting: 0, resting: 0, abandoned: 0, outlasts: "nothing" },
      deliverers: [resting(), resting()],
      receiver: { newest: 0, attempt: 0 },
      left: { ...noFaults, ...input.faults },
      harm: "",
    },
    stuck: "lost wake-up",
    settled: (now) => now.delivery.head === now.rows,
    harm: (now) => {
      if (now.harm) return now.harm
      if (bellsOf(now) > input.maxBells) return "too many doorbells"
      const isQuiet = now.deliverers.every((one) => one.at === "rest")
      if (isQuiet && now.delivery.head > now.receiver.newest) return "lost event"
      return undefined
    },
    next: (now, step, fault) => {
      const { left } = now
      produce(now)
      for (const i of [0, 1] as const) deliver(now, i)
      receive()
      passTime()
      if (rules.sweeps) sweep()

      function produce({ producer, rows, delivery }: Doorbell) {
        if (producer.at === "append" && rows < input.events)
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
              delivery.due === "ahead"
                ? { at: "append", seen: "none" }
                : { at: "promise", seen: delivery.due }
          })
        if (producer.at === "promise")
          step("producer promises, if due is unchanged", (next) => {
            const unchanged = delivery.due === producer.seen
            if (unchanged) promise(next)
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

      /** A doorbell that is hidden keeps the rest of its group from being received. */
      function receive() {
        const { waiting, resting, abandoned } = now.bells
        if (waiting === 0 || resting + abandoned > 0) return
        if (now.deliverers.some((one) => one.hasBell)) return
        const free = now.deliverers.findIndex((one) => one.at === "rest")
        if (free === -1) return
        step(`${names[free]} receives a doorbell`, (next) => {
          next.bells.waiting--
          next.deliverers[free] = { ...quiet, at: "claim", hasBell: true }
        })
      }

      function passTime() {
        const { due, overdue, waits } = now.delivery
        const { bells } = now
        if (waits)
          step("retry_at comes", (next) => {
            next.delivery.waits = false
          })
        if (bells.resting > 0)
          step("a resting doorbell shows again", (next) => {
            next.bells.resting--
            next.bells.waiting++
          })
        // The claim was made after the doorbell was received, but 90 s are over before 120 s.
        if (bells.abandoned > 0 && now.delivery.holder !== "dead")
          step("an abandoned doorbell shows again", (next) => {
            next.bells.abandoned--
            next.bells.waiting++
            next.bells.outlasts = "nothing"
          })
        if (left.lostBells > 0 && bells.resting > 0)
          fault("a resting doorbell is lost", (next) => {
            next.left.lostBells--
            next.bells.resting--
          })
        if (left.lostAbandoned > 0 && bells.abandoned > 0)
          fault("an abandoned doorbell is lost", (next) => {
            next.left.lostAbandoned--
            next.bells.abandoned--
            next.bells.outlasts = "nothing"
          })

        const isAlive = now.deliverers.some((one) => one.at !== "rest")
        const isWaiting = bells.abandoned === 0 && bells.waiting + bells.resting > 0
        const isBusy = isAlive || isWaiting || now.producer.at === "ring"
        const isHidden = (from: Doorbell["bells"]["outlasts"][]) =>
          bells.abandoned > 0 && from.includes(bells.outlasts)
        if (due === "passed" && !overdue && !isBusy && !isHidden(["nothing", "due"]))
          step("due has passed for a minute", (next) => {
            next.delivery.overdue = true
            next.bells.outlasts = "nothing"
          })

        // retry_at lies a minute before due. The sweep rings at once.
        if (due !== "ahead" || waits || now.sweepRings) return
        const pass = (next: Doorbell) => {
          setDue(next, "passed")
          if (bells.outlasts === "due") next.bells.outlasts = "nothing"
          if (next.delivery.holder === "dead") next.delivery.holder = "long dead"
        }
        if (!isBusy && !isHidden(["nothing"])) step("due passes", pass)
        // The queue or the deliverers are slow, or the producer's doorbell has to be repeated.
        if (!isAlive && isBusy && left.slowBells > 0)
          for (const overdue of [false, true])
            fault(`due ${overdue ? "is long over" : "passes"} before a doorbell is heard`, (next) => {
              pass(next)
              next.delivery.overdue = overdue
              next.left.slowBells--
            })
        // A claim outlives whoever made it, if he does not stand still.
        if (isAlive && left.standstills > 0)
          fault("due passes while deliverers stand still", (next) => {
            pass(next)
            next.left.standstills--
            for (const one of next.deliverers) if (one.at !== "rest") one.overslept = true
          })
      }

      function sweep() {
        if (now.delivery.overdue && !now.sweepRings)
          step("sweep finds it overdue and promises", (next) => {
            promise(next)
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

      function deliver(now: Doorbell, i: 0 | 1) {
        const me = now.deliverers[i]
        if (me.at === "rest") return
        const { delivery } = now
        const held = holds(now, i) && delivery.head === me.head
        const go = (label: string, at: Deliverer["at"], change?: (next: Doorbell) => void) =>
          step(`${names[i]} ${label}`, (next) => {
            change?.(next)
            next.deliverers[i].at = at
          })
        /** The invocation ends well, so its doorbell is deleted. */
        const end = (label: string, change?: (next: Doorbell) => void) =>
          step(`${names[i]} ${label} and ends`, (next) => {
            change?.(next)
            next.deliverers[i] = resting()
          })
        /** The invocation ends, and its doorbell comes back when the event may be tried again. */
        const rest = (label: string, change?: (next: Doorbell) => void) =>
          step(`${names[i]} ${label}, its doorbell rests`, (next) => {
            change?.(next)
            if (me.hasBell) next.bells.resting++
            next.deliverers[i] = resting()
          })
        const hold = (next: Doorbell) => {
          setDue(next, "ahead")
          next.delivery.holder = names[i]
          const { head, failures } = delivery
          next.deliverers[i] = { ...me, head, failures, attempt: 0 }
        }

        switch (me.at) {
          case "claim":
            claim()
            break
          case "look":
            if (now.rows > me.head) go("finds the next event", rules.countsFirst ? "count" : "post")
            if (now.rows === me.head) go("finds nothing", "idle")
            break
          case "count":
            if (!held) end("has lost its claim")
            if (held)
              go("counts the attempt", rules.postsFirst ? "post" : "advance", (next) => {
                next.delivery.attempt++
                next.deliverers[i].attempt = delivery.attempt + 1
              })
            break
          case "post":
            go("posts, and that settles it", "advance", post)
            if (left.failures > 0)
              go("posts in vain", "fail", (next) => {
                post(next)
                next.left.failures--
              })
            break
          case "advance":
            advance()
            break
          case "post late":
            go("posts what is marked already", "look", post)
            break
          case "fail":
            rest("records the failure", (next) => {
              if (!held) return
              next.delivery.failures++
              setDue(next, "ahead")
              next.delivery.waits = true
              next.delivery.holder = "nobody"
            })
            break
          case "idle":
            if (!holds(now, i)) end("has lost its claim")
            if (holds(now, i) && rules.idlesAtOnce) {
              if (now.rows > me.head) go("may not say that nothing is due", "look")
              if (now.rows === me.head)
                end("says that nothing is due, and nothing is,", (next) => {
                  setDue(next, "none")
                  next.delivery.holder = "nobody"
                })
            }
            if (holds(now, i) && !rules.idlesAtOnce)
              go("says that nothing is due", "look again", (next) => {
                setDue(next, "none")
                next.delivery.holder = "nobody"
              })
            break
          case "look again":
            if (now.rows > me.head && rules.looksAgain) go("finds an event after all", "claim again")
            if (now.rows === me.head || !rules.looksAgain) end("has nothing to do")
            break
          case "claim again":
            if (delivery.due !== "none" || (rules.holds && delivery.holder !== "nobody"))
              end("leaves it to a doorbell that is coming")
            if (delivery.due === "none" && (!rules.holds || delivery.holder === "nobody"))
              go("claims again", "look", hold)
            break
          case "pass on":
            if (!holds(now, i)) end("has lost its claim")
            if (holds(now, i))
              go("frees its claim", "ring", (next) => {
                setDue(next, "ahead")
                next.delivery.holder = "nobody"
              })
            break
          case "ring":
            end("rings afresh", (next) => {
              next.bells.waiting++
            })
            break
        }
        fail()

        function claim() {
          const isFree = delivery.holder === "nobody" || delivery.due !== "ahead" || !rules.holds
          if (isFree && !delivery.waits) return go("claims", "look", hold)
          if (delivery.waits && delivery.holder === "nobody") return rest("is too early")
          end("finds that somebody is looking")
        }

        function post(next: Doorbell) {
          const { newest, attempt } = now.receiver
          const n = me.head + 1
          // Whoever stood still between its last look and its POST cannot be called back.
          if (me.overslept && n <= newest) return
          if (n > newest + 1) next.harm = "out of order"
          if (n < newest) next.harm = "repeated"
          if (n === newest && me.attempt <= attempt) next.harm = "attempt used twice"
          next.receiver = { newest: n, attempt: me.attempt }
        }

        function advance() {
          if (!held) return end("has lost its claim")
          const on = (label: string, at: Deliverer["at"], shortOfTime = 0) =>
            go(label, at, (next) => {
              Object.assign(next.delivery, { head: me.head + 1, failures: 0, attempt: 0, waits: false })
              // It posts the one that it has just marked: its own head stays until then.
              if (rules.postsFirst) Object.assign(next.deliverers[i], { head: me.head + 1, failures: 0 })
              next.left.shortOfTime -= shortOfTime
            })
          if (!rules.postsFirst) return on("marks the event delivered", "post late")
          if (me.failures > 0) return on("advances after failures", "pass on")
          on("advances", "look")
          if (left.shortOfTime > 0) on("advances and is short of time", "pass on", 1)
        }

        function fail() {
          if (left.crashes > 0)
            fault(`${names[i]} dies`, (next) => {
              next.left.crashes--
              if (me.hasBell) {
                next.bells.abandoned++
                next.bells.outlasts = me.at === "claim" || me.overslept ? "overdue" : "due"
              }
              if (delivery.holder === names[i])
                next.delivery.holder = delivery.due === "ahead" ? "dead" : "long dead"
              next.deliverers[i] = resting()
            })
          if (left.bellsTwice > 0 && me.hasBell)
            fault(`the doorbell of ${names[i]} shows while it runs`, (next) => {
              next.left.bellsTwice--
              next.bells.waiting++
              next.deliverers[i].hasBell = false
            })
        }
      }
    },
  }
}

const quiet: Deliverer = {
  at: "rest",
  head: 0,
  attempt: 0,
  failures: 0,
  hasBell: false,
  overslept: false,
}

function setDue({ delivery }: Doorbell, due: Due) {
  delivery.due = due
  delivery.overdue = false
}

function resting(): Deliverer {
  return { ...quiet }
}

function bellsOf(now: Doorbell): number {
  const { waiting, resting, abandoned } = now.bells
  return waiting + resting + abandoned + now.deliverers.filter((one) => one.hasBell).length
}
