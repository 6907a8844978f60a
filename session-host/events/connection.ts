import type { Objection } from "../network.ts"
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

/** Why there is no connection. */
export interface Why {
  /** It does not come back by itself. */
  reason?: "logged_out" | "stream_replaced"
  /** What the network has said. */
  objection?: Objection | undefined
}

const details = {
  logged_out: "unlinked, on the phone, by the network or through the API: link it again",
  stream_replaced:
    "another place took the session over: another webhook_url takes it back, a logout gives it up",
  lost: "the connection to the network is lost: it is tried again",
}

const objections: Record<Objection, string> = {
  locked: "the network has locked the account and unlinked this: unlock it on its phone, then link it again",
  banned: "the network has banned the account and unlinked this: its phone says what can be done",
  temporarily_banned: "the network has banned the account for some time: it is tried again after that",
  outdated: "the network takes this service for outdated: it is tried again, its operator has to update it",
}

/** Without a reason: the connection has been gone for some time, and comes back by itself. */
export function disconnected(at: At, { reason, objection }: Why = {}): Mapped {
  const detail = objection ? objections[objection] : details[reason ?? "lost"]
  return {
    identity: identity("disconnected", at),
    event: { event: "disconnected", ...(reason && { reason }), detail },
  }
}

export function identity(event: string, at: At): string[] {
  const stanza = at.stanza === undefined ? [] : [String(at.stanza)]
  return [event, String(at.epoch), String(at.connection), ...stanza]
}
