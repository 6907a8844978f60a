import type { Blow } from "./steps.ts"

export type Role = "api" | "delivery" | "session-host"

/** A moment of the crash tables in which somebody dies, or stands still. */
export interface Phase {
  name: string
  step: string
  blow: Blow
  /** Who takes it. */
  role: Role
  /** What else must be so for it to come about. */
  needs?:
    | "backlog"
    | "redelivery"
    | "no end of backlog"
    | "failure"
    | "lost answer"
    | "refusal"
    | "throttling"
}

const kill = (role: Role, name: string, step: string, needs?: Phase["needs"]): Phase => ({
  name,
  step,
  role,
  blow: "SIGKILL",
  ...(needs && { needs }),
})
const pause = (role: Role, name: string, step: string): Phase => ({ name, step, role, blow: "SIGSTOP" })

/** Of a send. */
export const sends: Phase[] = [
  kill("api", "C0 request received", "send request"),
  kill("api", "C1 key claimed", "after claim key"),
  kill("api", "C2 host called", "host call sent"),
  kill("session-host", "C3 looked up, none", "after look up send"),
  kill("session-host", "C4 before the commit", "before send sent"),
  kill("session-host", "C5 committed, before the stanza", "before stanza"),
  kill("session-host", "C6 stanza in the socket", "stanza sent"),
  kill("session-host", "C7 acknowledged, before its commit", "before send acked"),
  kill("session-host", "C8 committed, before the record", "after send acked"),
  kill("session-host", "C9 record done, host's answer lost", "after complete key"),
  kill("api", "C9 record done, API's answer lost", "send answer"),
  pause("session-host", "C10 paused before the commit", "before send sent"),
  pause("session-host", "C11 paused before the stanza", "before stanza"),
  kill("session-host", "C12 commit of the ack without an answer", "before send acked", "lost answer"),
  kill("api", "C13 refused, before the key is freed", "before free key", "refusal"),
]

/** Of a message that comes in. */
export const arrivals: Phase[] = [
  kill("session-host", "W1 journalled, before the receipt", "after live"),
  kill("session-host", "W2 backlog journalled, not drained", "after backlog", "backlog"),
  kill("session-host", "W3 the backlog's end is never told", "after backlog", "no end of backlog"),
  kill("session-host", "W4 event written, before the doorbell is promised", "before promise"),
  kill("session-host", "W4 doorbell promised, before it is rung", "before ring"),
  kill("session-host", "W5 redelivered", "redelivered", "redelivery"),
  kill("session-host", "W6 throttled while decrypting", "before journal", "throttling"),
  kill("session-host", "W7 backlog decrypted, before the commit", "before backlog", "backlog"),
  kill("session-host", "W8 before the event is written", "before append"),
  kill("session-host", "W8 event written", "after append"),
  kill("session-host", "W10 before credentials are kept", "before credentials", "backlog"),
  kill("session-host", "W10 credentials kept", "after credentials", "backlog"),
  pause("session-host", "W1 paused before the journal", "before journal"),
  pause("session-host", "W8 paused before the event", "before append"),
]

/** Of a delivery. */
const deliveries: Phase[] = [
  kill("delivery", "D1 claimed", "after claim delivery"),
  kill("delivery", "D2 events read", "after read ahead"),
  kill("delivery", "D3 attempt counted, before its post", "before post"),
  kill("delivery", "D3 attempt counted", "after count attempt"),
  kill("delivery", "D4 post sent", "post sent"),
  kill("delivery", "D5 answered, before it is written", "before advance"),
  kill("delivery", "D6 written, before the log", "after advance"),
  kill("delivery", "D7 failed, before it is written", "before record failure", "failure"),
  kill("delivery", "D8 failure written, doorbell not hidden", "after record failure", "failure"),
  kill("delivery", "D9 before going idle", "before go idle"),
  kill("delivery", "D10 idle, doorbell not dropped", "before drop doorbell"),
  pause("delivery", "D1 paused with a claim", "after claim delivery"),
  pause("delivery", "D5 paused before the outcome", "before advance"),
]

export const phases = [...sends, ...arrivals, ...deliveries]
