import type { Blow } from "./armed-steps.ts"
import type { StoreFault } from "./store.ts"

export type Role = "api" | "delivery" | "session-host"

/** A moment in which a process dies, or stands still. */
export interface CrashPoint {
  name: string
  step: string
  blow: Blow
  /** The role of the process that takes the blow. */
  role: Role
  /** The condition without which this crash point does not occur. */
  needs?:
    | "backlog"
    | "redelivery"
    | "no end of backlog"
    | "failure"
    | "lost answer"
    | "refusal"
    | "retry"
    | "throttling"
}

/** The store keeps a message that goes out, and its answer is lost. */
export const lostAnswer: StoreFault = {
  fault: "lost-answer",
  operation: "TransactWriteItems",
  containing: '"SEND#',
  ms: 50,
  times: 1,
}
/** The store refuses commits of messages for a while. */
export const throttling: StoreFault = {
  fault: "throughput-exceeded",
  operation: "TransactWriteItems",
  containing: '"MESSAGE#',
  times: 3,
}

const kill = (role: Role, name: string, step: string, needs?: CrashPoint["needs"]): CrashPoint => ({
  name,
  step,
  role,
  blow: "SIGKILL",
  ...(needs && { needs }),
})
const pause = (role: Role, name: string, step: string): CrashPoint => ({ name, step, role, blow: "SIGSTOP" })

/** The crash points of a send. */
export const sends: CrashPoint[] = [
  kill("api", "C0 request received", "send request"),
  kill("api", "C1 key claimed", "after claim key"),
  kill("api", "C2 host called", "host call sent"),
  kill("session-host", "C3 a retry has looked up what was sent", "after look up send", "retry"),
  kill("session-host", "C4 encrypted, before its unit is made", "before outgoing"),
  kill("session-host", "C5 unit made, stanza at the gate", "stanza held"),
  kill("session-host", "C6 before the commit", "before send commit"),
  kill("session-host", "C6 commit sent, before its answer", "send commit sent"),
  kill("session-host", "C7 committed, before the stanza leaves", "before stanza"),
  kill("session-host", "C8 stanza in the socket", "stanza sent"),
  kill("session-host", "C9 acknowledged, which is not durable", "before complete key"),
  kill("session-host", "C10 record done, host's answer lost", "after complete key"),
  kill("api", "C10 record done, API's answer lost", "send answer"),
  kill("session-host", "C11 answered, before the acknowledgement is durable", "before ack commit"),
  kill("session-host", "C11 the acknowledgement is durable", "after ack commit"),
  pause("session-host", "C12 paused before the commit", "before send commit"),
  pause("session-host", "C12 paused before the stanza leaves", "before stanza"),
  kill("session-host", "C13 the commit's answer is lost, it is repeated", "after send commit", "lost answer"),
  kill("session-host", "C14 refused, which is not durable", "before refusal commit", "refusal"),
  kill("api", "C14 refused, before the key is freed", "before free key", "refusal"),
]

/** The crash points of a group that is created. */
export const groups: CrashPoint[] = [
  kill("session-host", "G1 before it is durable that a group is asked for", "before group question commit"),
  kill("session-host", "G2 that is durable, the network is not asked", "after group question commit"),
  kill("session-host", "G3 the group is there, which is not durable", "before group answer commit"),
  kill("session-host", "G4 that is durable, and is not answered", "after group answer commit"),
]

/** The crash points of a message that comes in. */
export const arrivals: CrashPoint[] = [
  kill("session-host", "W1 decrypted, before its unit is made", "before live"),
  kill("session-host", "W2 unit made, before its commit", "after live"),
  kill("session-host", "W2 receipt at the gate, before the commit", "receipt held"),
  kill("session-host", "W2 before the commit", "before event commit"),
  kill("session-host", "W3 commit sent, before its answer", "event commit sent"),
  kill("session-host", "W4 committed, before the receipt leaves the gate", "before receipt"),
  kill("session-host", "W5 the receipt has left", "receipt sent"),
  kill("session-host", "W6 backlog decrypted, before its unit is made", "before backlog", "backlog"),
  kill("session-host", "W6 backlog, unit made, before its commit", "after backlog", "backlog"),
  kill(
    "session-host",
    "W6 backlog committed, before the receipt leaves",
    "before backlog receipt",
    "backlog",
  ),
  kill("session-host", "W6 backlog, a receipt has left", "backlog receipt sent", "backlog"),
  kill("session-host", "W7 the backlog's end is never told", "after backlog", "no end of backlog"),
  kill("session-host", "W8 redelivered", "redelivered", "redelivery"),
  kill("session-host", "W9 a commit is throttled", "event commit failed", "throttling"),
  kill("session-host", "W10 before credentials are kept", "before credentials commit", "backlog"),
  kill("session-host", "W10 credentials kept", "after credentials commit", "backlog"),
  kill("session-host", "W11 event written, before the doorbell is promised", "before promise"),
  kill("session-host", "W12 doorbell promised, before it is rung", "before ring"),
  pause("session-host", "W13 paused before the unit is made", "before live"),
  pause("session-host", "W13 paused before the commit", "before event commit"),
  pause("session-host", "W13 paused before the receipt leaves", "before receipt"),
]

/** The crash points of a contact's receipt for a message that we sent. */
export const statuses: CrashPoint[] = [
  kill("session-host", "S1 unit made, the receipt's ack at the gate", "status ack held"),
  kill("session-host", "S1 before the commit", "before status commit"),
  kill("session-host", "S2 commit sent, before its answer", "status commit sent"),
  kill("session-host", "S3 committed, before the receipt's ack leaves", "before status ack"),
  kill("session-host", "S4 the receipt's ack has left", "status ack sent"),
  pause("session-host", "S5 paused before the commit", "before status commit"),
]

/** The crash points of a delivery. */
export const deliveries: CrashPoint[] = [
  kill("delivery", "D1 claimed, which counts the attempt", "after claim delivery"),
  kill("delivery", "D2 events read", "after read ahead"),
  kill("delivery", "D3 before the post", "before post"),
  kill("delivery", "D4 post sent", "post sent"),
  kill("delivery", "D5 answered, before it is written", "before advance"),
  kill("delivery", "D5 advance sent, before its answer", "advance sent"),
  kill("delivery", "D6 written, the next attempt counted", "after advance"),
  kill("delivery", "D7 failed, before it is written", "before record failure", "failure"),
  kill("delivery", "D8 failure written, doorbell not hidden", "after record failure", "failure"),
  kill("delivery", "D9 before going idle", "before go idle"),
  kill("delivery", "D10 before the attempts are logged", "before log attempts"),
  kill("delivery", "D11 idle, doorbell not dropped", "before drop doorbell"),
  kill("delivery", "D12 claim passed on, before the fresh doorbell", "after pass on", "failure"),
  pause("delivery", "D13 paused with a claim", "after claim delivery"),
  pause("delivery", "D13 paused before the outcome is written", "before advance"),
]

/** The crash point of a delivery that stays: it has to be at work when an event comes. */
export const told = kill("delivery", "D14 told of an event, before it is read", "told of an event")

export const crashPoints = [...sends, ...arrivals, ...statuses, ...deliveries, told]
