import type { Offer } from "./explore.ts"

/**
 * The wake-up protocol of `core/event/delivery.ts`: one producer (the session that appends events), the queue of doorbells
 * (SQS FIFO, one group), two invocations of the deliverer, the sweep, the start of the whole service on one machine,
 * and a receiver that remembers what it got. Each step is one request to the store, the queue or the receiver, so a
 * death always comes between two of them.
 */
export interface Doorbell {
  /** Committed event rows. */
  rows: number
  /** The `DELIVERY` row. */
  delivery: {
    head: number
    due: Due
    /** `due` passed a minute ago, which is what the sweep looks for. */
    overdue: boolean
    /** Whether the row has `since`, and so is in the sweep's index. */
    since: boolean
    holder: Holder
    /** The number of the last POST of the event after `head`, or of the next one that its holder may make. */
    attempt: number
    /** `retry_at` is ahead. */
    waits: boolean
    /** How many events are to be sent again. */
    resend: number
  }
  /** The customer asks for events to be sent again. */
  customer: { at: "ask" | "promise" | "ring"; asks: number }
  producer: {
    at: "append" | "read" | "promise" | "ring" | "take over"
    seen: Due
    /** It has just taken the bridge over: an earlier promise may be that of a dead producer. */
    isNew: boolean
  }
  /** The sweep is between its promise and its doorbell. */
  sweepRings: boolean
  /** All processes died, the queue with them, and are about to be started again. */
  starts: boolean
  bells: {
    waiting: number
    /** Hidden until its event may be retried. */
    resting: number
    /** Hidden for 120 s because its deliverer died. */
    abandoned: number
    /**
     * The time that passes before it shows again: `due`, 90 s after the claim; or also the minute after that, if its deliverer
     * died before the claim, when `due` was older.
     */
    outlasts: "nothing" | "due" | "overdue"
  }
  deliverers: [Deliverer, Deliverer]
  receiver: {
    /** The newest event it got, and that event's highest attempt. */
    newest: number
    attempt: number
  }
  left: Faults
  harm: Harm | ""
}

export interface Deliverer {
  at:
    | "rest"
    | "claim"
    | "look"
    | "post"
    | "advance"
    | "fail"
    | "idle"
    | "look again"
    | "claim again"
    | "pass on"
    | "ring"
    | "post late"
    | "count resend"
    | "post again"
    | "settle resend"
  /** The row as it was when it was claimed or changed. */
  head: number
  attempt: number
  resend: number
  /** The last event up to which it has read without a gap. */
  ahead: number
  /** Whether the queue still hides the doorbell for it. */
  hasBell: boolean
  /** Its time ran out while it stood still. */
  overslept: boolean
}

/** `none` is 0 in the row; `ahead` and `passed` are times. */
type Due = "none" | "ahead" | "passed"
/** Nobody, one of the two, or a dead invocation, whose time goes on (`dead`) until it is over (`long dead`). */
type Holder = "nobody" | "first" | "second" | "dead" | "long dead"

export type Harm =
  | "lost wake-up"
  | "lost event"
  | "out of order"
  | "repeated"
  | "attempt used twice"
  | "first attempt is not 1"
  | "too many doorbells"

/** How often each fault may happen. */
export interface Faults {
  /** A producer, a deliverer or the sweep dies. */
  crashes: number
  /** A producer dies. */
  hostDeaths: number
  /** A POST fails and is to be repeated. */
  failures: number
  /** An invocation has no time left for another event. */
  shortOfTime: number
  /** The doorbell of a failed event ends in the dead-letter queue. */
  lostBells: number
  /** The doorbell of a dead deliverer ends there. */
  lostAbandoned: number
  /** The queue hands out a doorbell again while its deliverer runs. */
  bellsTwice: number
  /** `due` passes although a doorbell waits or is about to be sent: the queue or the deliverers are slow. */
  slowBells: number
  /** A deliverer stands still until its time is over, and goes on. */
  standstills: number
  /** A query shows all rows but one of a commit that is being applied. */
  halfSeen: number
  /** The event to post cannot be read or opened: the store or the keys are away. */
  unready: number
  /** The whole service dies on its one machine, and the queue with it. */
  restarts: number
  /** A write happens, but its answer is lost: the store's client asks again and meets its own work. */
  lostAnswers: number
}

export interface Rules {
  /** After `due = 0` the deliverer looks once more. */
  looksAgain: boolean
  /** It also looks when its `due = 0` was refused, since it may have met its own write with a lost answer. */
  looksWhenRefused: boolean
  /** Overdue promises are found and renewed. */
  sweeps: boolean
  /** `due = 0` and the look are one transaction: only if `EVENT#(head+1)` does not exist. */
  idlesAtOnce: boolean
  /** A claim is refused while another holds, and every write of a deliverer checks that it still holds. */
  holds: boolean
  /** Renewing a promise that has passed also frees the holder, whose time is over. */
  promiseFrees: boolean
  /** The event's outcome is written after its POST. */
  postsFirst: boolean
  /** `X-Webhook-Attempt` grows before the POST: with the claim, or with the advance before. */
  countsFirst: boolean
  /** A claim that ends before its POST gives back the number it has counted: that one, none, or all of them. */
  givesBack: "one" | "none" | "all"
  /** Going idle forgets the number that was counted for an event that did not come. */
  idleForgets: boolean
  /** A deliverer that meets its own advance, whose answer was lost, goes on. */
  knowsOwnAdvance: boolean
  /** A deliverer looks at the clock between reading and its POST, and stops when its time is over. */
  mindsTime: boolean
  /** Only the part of a query's rows before the first gap counts. */
  gapless: boolean
  /** A promise writes `since`. */
  promiseWritesSince: boolean
  /** A claim writes `since` too: a doorbell too many may come before the producer's promise. */
  claimWritesSince: boolean
  /** A host that takes over a bridge with waiting events rings, whoever has promised. */
  ringsAnew: boolean
  /** A start of the whole service rings for what is due. */
  startRings: boolean
  /** It also frees every holder: all that could hold have died. */
  startFrees: boolean
  /** `due = 0` is written only if no event is to be sent again. */
  idlesWithoutResends: boolean
  /** A resend is appended in the same update as its promise. */
  asksAtOnce: boolean
}

export const asDesigned: Rules = {
  looksAgain: true,
  looksWhenRefused: true,
  idlesAtOnce: true,
  sweeps: true,
  holds: true,
  promiseFrees: true,
  postsFirst: true,
  countsFirst: true,
  givesBack: "one",
  idleForgets: true,
  knowsOwnAdvance: true,
  mindsTime: true,
  gapless: true,
  promiseWritesSince: true,
  claimWritesSince: true,
  ringsAnew: true,
  startRings: true,
  startFrees: true,
  idlesWithoutResends: true,
  asksAtOnce: true,
}

export const noFaults: Faults = {
  crashes: 0,
  hostDeaths: 0,
  failures: 0,
  shortOfTime: 0,
  lostBells: 0,
  lostAbandoned: 0,
  bellsTwice: 0,
  slowBells: 0,
  standstills: 0,
  halfSeen: 0,
  unready: 0,
  restarts: 0,
  lostAnswers: 0,
}

/** The arguments of the model's parts: what may go wrong, and how to offer a next step. */
export interface Part {
  rules: Rules
  /** No deliverer has died or stood still so far, so every attempt at an event is known. */
  isFaultless: boolean
  step: Offer<Doorbell>
  fault: Offer<Doorbell>
}

export const names = ["first", "second"] as const

export function setDue({ delivery }: Doorbell, due: Due) {
  delivery.due = due
  delivery.overdue = false
}

export function resting(): Deliverer {
  return { at: "rest", head: 0, attempt: 0, resend: 0, ahead: 0, hasBell: false, overslept: false }
}
