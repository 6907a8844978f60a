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

type End = "logged_out" | "stream_replaced"

const details: Record<End, string> = {
  logged_out: "unlinked, on the phone, by the network or through the API: link it again",
  stream_replaced:
    "another place took the session over: another webhook_url takes it back, a logout gives it up",
}

/** Without a reason: the connection has been gone for some time, and comes back by itself. */
export function disconnected(at: At, reason?: End): Mapped {
  const detail = reason ? details[reason] : "the connection to the network is lost: it is tried again"
  return {
    identity: identity("disconnected", at),
    event: { event: "disconnected", ...(reason && { reason }), detail },
  }
}

export function identity(event: string, at: At): string[] {
  const stanza = at.stanza === undefined ? [] : [String(at.stanza)]
  return [event, String(at.epoch), String(at.connection), ...stanza]
}
