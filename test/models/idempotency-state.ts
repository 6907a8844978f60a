/**
 * Requests with one `Idempotency-Key`, as in `docs/reliability.md`: the record, the `SEND` rows, two hosts, the second
 * of which takes over from the first, and the network. Each step is one request to the store or one stanza.
 */
export interface Sends {
  record: {
    state: "none" | "inflight" | "done"
    /** The request that claimed it; 0 when it was given back. */
    holder: number
    /** `lease_until` is ahead. */
    isLeased: boolean
    /** `expires_at` has passed. */
    isExpired: boolean
    id: number
  }
  /** The ids given so far. */
  ids: number
  /** By message id, from 1. A request is given at most one. */
  sends: Send[]
  requests: Request[]
  /** The hosts' work in progress: one job of the old owner and one of the new. */
  jobs: Job[]
  /** 0 owns the lease until 1 has taken it. */
  owner: 0 | 1
  /** The host whose login the network knows: the newest. It drops the other's socket. */
  login: 0 | 1
  left: Faults
  harm: Harm | ""
}

export interface Send {
  row: "none" | "sent" | "acked" | "failed"
  /** The network's verdict on the stanza; `accepted` once means shown. */
  wire: "never" | "accepted" | "refused"
  /** Verdicts of the network that the host has not read yet. */
  ackUnread: boolean
  nackUnread: boolean
  /** It was given before the key expired: the key now has a new life and a new message. */
  isOld: boolean
}

export interface Request {
  at: "new" | "call" | "wait" | "answer" | "end"
  id: number
  answer: "none" | "sent" | "failed" | "unknown"
}

export interface Job {
  at: "none" | "start" | "prepare" | "wire" | "verdict" | "acked" | "complete" | "refused"
  id: number
  /** The request that waits for it; 0 when none does. */
  request: number
  /** It repeats what another job began, so a nack is not definite. */
  resolves: boolean
  /** The process stands still. */
  sleeps: boolean
}

export type Harm =
  | "two messages for one key"
  | "told sent, but not accepted"
  | "told failed, but shown"
  | "a request never ends"

/** How often each fault may happen. */
export interface Faults {
  hostCrashes: number
  /** A host stands still until another has taken over, and goes on. */
  hostSleeps: number
  apiCrashes: number
  /** The network refuses a stanza. */
  nacks: number
  /** Bytes or an ack are lost with their connection. */
  cuts: number
  /** A host finds the request impossible before it has written anything. */
  refusals: number
  /** 24 hours pass. */
  days: number
}

export interface Rules {
  /** A take-over keeps the message id. */
  keepsId: boolean
  /** An unknown outcome keeps the record. */
  keepsUnknown: boolean
  /** A call carries the end of its claim, after which a host does not begin. */
  refusesLateCalls: boolean
  /** The `SEND` row is written, together with the ratchet, before the stanza goes out. */
  writesFirst: boolean
  /** A host says "failed" only if there is no `SEND` row, or when a first transmission is nacked. */
  failsOnlyWhenSure: boolean
  /** The API says "failed" only if the record that it deletes is still its own. */
  failsOnlyAsHolder: boolean
}

export const asDesigned: Rules = {
  keepsId: true,
  keepsUnknown: true,
  refusesLateCalls: true,
  writesFirst: true,
  failsOnlyWhenSure: true,
  failsOnlyAsHolder: true,
}

export const noFaults: Faults = {
  hostCrashes: 0,
  hostSleeps: 0,
  apiCrashes: 0,
  nacks: 0,
  cuts: 0,
  refusals: 0,
  days: 0,
}

export function noJob(): Job {
  return { at: "none", id: 0, request: 0, resolves: false, sleeps: false }
}

export function noRecord(): Sends["record"] {
  return { state: "none", holder: 0, isLeased: false, isExpired: false, id: 0 }
}
