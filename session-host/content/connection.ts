import type { Objection } from "#contract/status-and-objection.ts"
import type { Mapped } from "./mapped.ts"

/**
 * An occurrence without an id of the network is identified by the session's epoch and the number of its
 * connection.
 */
export interface OccurrenceNumbers {
  epoch: number
  connection: number
  /** The number of the stanza, for an occurrence that a stanza reports. */
  stanza?: number
}

export function connectedEvent(at: OccurrenceNumbers, phone: string): Mapped {
  return { identity: identity("connected", at), event: { event: "connected", phone } }
}

/** Why there is no connection. */
export interface WhyDisconnected {
  /** Set if the connection does not come back by itself. */
  reason?: "logged_out" | "stream_replaced"
  /** The network's reason. */
  objection?: Objection | undefined
  /** Who unlinked the phone, if the event is `logged_out`. */
  by?: "here" | "elsewhere" | undefined
}

const details = {
  logged_out: "unlinked on the phone or by the network: link it again",
  asked: "unlinked through the API, the dashboard or a link page: link it again",
  stream_replaced:
    "another place has taken over the session: PATCH the bridge with its webhook_url to take it back, or log it out",
  lost: "the connection to the network is lost: connecting again",
}

/** A sentence for customers about each objection: what happened, then what comes or what to do. */
export const objectionSentences: Record<Objection, string> = {
  locked:
    "the network has locked the account and unlinked this session: unlock the account on its phone, then link it again",
  banned: "the network has banned the account and unlinked this session: its phone says what can be done",
  temporarily_banned: "the network has banned the account for some time: connecting again when that is over",
  outdated:
    "the network rejected this client version as outdated: connecting again, and the operator must update the service if it persists",
  device_untrusted:
    "the network no longer trusts that the phone has linked this session, and has unlinked it: link it again",
  device_unknown: "the network no longer knows this session among the phone's linked devices: link it again",
  addresses_changed:
    "the network has moved the account to private addresses, and unlinked this session for it: link it again",
  proxy_unreachable:
    "the bridge's proxy does not answer: trying again. Check the proxy, or PATCH the bridge with another `proxy_url`",
  proxy_refused:
    "the bridge's proxy wants another password, or does not lead to the network: trying again. PATCH the bridge with a `proxy_url` that does",
  former_gateway:
    "the gateway that this number came from still runs, and has taken the session over: stop it, then PATCH the bridge with its webhook_url",
  unanswered:
    "the connection was open, and the network answered nothing on it for two minutes: connecting again",
}

/** Whether the obstacle is the bridge's proxy, not the network. */
export function isOfProxy(
  objection: Objection | undefined,
): objection is "proxy_unreachable" | "proxy_refused" {
  return objection === "proxy_unreachable" || objection === "proxy_refused"
}

/**
 * The event of a lost connection. Without a reason, the connection has been gone for some time and comes back
 * by itself.
 */
export function disconnectedEvent(
  at: OccurrenceNumbers,
  { reason, objection, by }: WhyDisconnected = {},
): Mapped {
  const detail = objection
    ? objectionSentences[objection]
    : details[by === "here" ? "asked" : (reason ?? "lost")]
  return {
    identity: identity("disconnected", at),
    event: { event: "disconnected", ...(reason && { reason }), detail },
  }
}

export function identity(event: string, at: OccurrenceNumbers): string[] {
  const stanza = at.stanza === undefined ? [] : [String(at.stanza)]
  return [event, String(at.epoch), String(at.connection), ...stanza]
}
