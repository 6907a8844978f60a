import { z } from "@hono/zod-openapi"

export const Status = z
  .enum(["unpaired", "connecting", "connected", "disconnected", "replaced", "passkey_required"])
  .openapi({
    description:
      "`unpaired`: no phone is linked. `connecting`: the session starts. `connected`: it is up. `disconnected`: a phone is " +
      "linked, the connection is lost, and the session connects again by itself. `replaced`: another login took its place. " +
      "`passkey_required`: the account is linked with a passkey only; `passkey` has the request.",
  })
export type Status = z.infer<typeof Status>

/**
 * The network's objection to an account, to this device of it, or to the version of its protocol that is
 * spoken here; or how a proxy is in the way; or `unanswered`: the connection was open, and nothing on it was
 * answered for minutes; or `former_gateway`: the gateway that the number was taken over from still runs.
 */
export const Objection = z.enum([
  "locked",
  "banned",
  "temporarily_banned",
  "outdated",
  "device_untrusted",
  "device_unknown",
  "addresses_changed",
  "proxy_unreachable",
  "proxy_refused",
  "unanswered",
  "former_gateway",
])
export type Objection = z.infer<typeof Objection>

/** A limit that the network has put on an account, the strictest first. */
export const RestrictionKind = z.enum(["new_chats", "new_chats_quota"])
