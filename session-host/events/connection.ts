import type { Mapped } from "./mapped.ts"

/** What has no id of the network's is told apart by the session's epoch and the number of its connection. */
export interface At {
  epoch: number
  connection: number
  /** Of a stanza: the how-manieth of its connection. */
  stanza?: number
}

export function connected(at: At, phone: string): Mapped {
  return { identity: identity("connected", at), event: { event: "connected", phone } }
}

/** Without a reason: the connection has been gone for some time, and comes back by itself. */
export function disconnected(at: At, reason?: "logged_out" | "stream_replaced"): Mapped {
  return {
    identity: identity("disconnected", at),
    event: { event: "disconnected", ...(reason && { reason }) },
  }
}

export function identity(event: string, at: At): string[] {
  const stanza = at.stanza === undefined ? [] : [String(at.stanza)]
  return [event, String(at.epoch), String(at.connection), ...stanza]
}
