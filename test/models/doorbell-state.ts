import type { Offer } from "./explore.ts"

/**
 * The wake-up protocol of `core/delivery.ts`: one producer (the session that appends events), the queue of doorbells
 * (SQS FIFO, one group), two invocations of the deliverer, the sweep, the start of the whole service on one machine, and
 * a receiver that remembers what it got. Each step is one request to the store, the queue or the receiver, so whoever
 * dies dies between two of them.
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
    /** Whether the row has `since`, and so is in the index that the sweep asks. */
    since: boolean
    holder: Holder
    /** Of the event after `head`: the number of its last POST, or of the one that its holder may make next. */
    attempt: number
    /** `retry_at` is ahead. */
    waits: boolean
    /** How many events are to be sent once more. */
    resend: number
  }
  /** Asks for events to be sent once more. */
  customer: { at: "ask" | "promise" | "ring"; asks: number }
  producer: {
    at: "append" | "read" | "promise" | "ring" | "take over"
    seen: Due
    /** It has just taken the bridge over: what was promised before may have been promised by somebody who died. */
    isNew: boolean
  }
  /** Between its promise and its doorbell. */
  sweepRings: boolean
  /** All processes died with the queue, and are about to be started again. */
  starts: boolean
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
  /** Its time was over while it stood still. */
  overslept: boolean
}

/** 0 as in the row; `ahead` and `passed` are times; `no row` before the first event. */
type Due = "no row" | "none" | "ahead" | "passed"
/** Nobody, one of the two, or an invocation that is no more: its time goes on (`dead`) until it is `long dead`. */
type Holder = "nobody" | "first" | "second" | "dead" | "long dead"

export type Harm =
  | "lost wake-up"
  | "lost event"
  | "out of order"
  | "repeated"
  | "attempt used twice"
  | "first attempt is not 1"
  | "too many doorbells"

/** How often each may happen. */
export interface Faults {
  /** A producer, deliverer or sweep dies. */
  crashes: number
  /** A producer dies. */
  hostDeaths: number
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
  /** A query shows the rows of a commit that is being applied, but for one. */
  halfSeen: number
  /** What is to be posted cannot be read or opened: the store or the keys are away. */
  unready: number
  /** The whole service dies on its one machine, and with it the queue. */
  restarts: number
  /** A write is done, but its answer is lost: the client of the store asks again, and meets its own work. */
  lostAnswers: number
}

export interface Rules {
  /** After `due = 0` the deliverer looks once more. */
  looksAgain: boolean
  /** Also after its `due = 0` was refused: that may have been its own, with a lost answer. */
  looksWhenRefused: boolean
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
  /** `X-Webhook-Attempt` grows before the POST: with the claim, or with the advance before. */
  countsFirst: boolean
  /** A claim that ends before its POST gives back the number that it has counted: that one, none, or all of them. */
  givesBack: "one" | "none" | "all"
  /** Going idle forgets the number that was counted for an event which did not come. */
  idleForgets: boolean
  /** Who meets an advance of their own, whose answer was lost, goes on. */
  knowsOwnAdvance: boolean
  /** Who has read what waits looks at the clock before the POST, and leaves it when its own time is over. */
  mindsTime: boolean
  /** Of what a query shows only the beginning without a gap counts. */
  gapless: boolean
  /** A promise writes `since`. */
  promiseWritesSince: boolean
  /** So does a claim, where it is missing: a service of before this rule promised without. */
  claimWritesSince: boolean
  /** Whoever takes a bridge over where events wait rings, whoever has promised. */
  ringsAnew: boolean
  /** A start of the whole service rings for what is due. */
  startRings: boolean
  /** It also frees whoever holds: all who could hold have died. */
  startFrees: boolean
  /** `due = 0` only if no event is to be sent again. */
  idlesWithoutResends: boolean
  /** Whoever asks for a resend appends it and makes the promise in one update. */
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

/** What the parts of the model are given: what may go wrong, and how to say what may happen next. */
export interface Part {
  rules: Rules
  /** Nobody has died or stood still so far: events have no attempts that nobody knows of. */
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
