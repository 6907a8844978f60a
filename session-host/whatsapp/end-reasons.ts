import type { Objection } from "#contract/status-and-objection.ts"
import { ProxyError } from "#core/fetch/proxy-tunnel.ts"
import type { End } from "../network/happening.ts"

/**
 * `<failure>`s at login after which the device does not belong to the account any more (whatsmeow
 * `ConnectFailureReason.IsLoggedOut`).
 */
const loggedOutFailures = new Set([401, 403, 406])

/** The meaning of these and other codes (whatsmeow `ConnectFailureReason`). */
const objections = new Map<number, Objection>([
  [402, "temporarily_banned"],
  [403, "locked"],
  [405, "outdated"],
  [406, "banned"],
])

/**
 * How long a session whose logins are rate-limited waits, ms: four to eight minutes, so that sessions do not
 * dial at once.
 */
const rateLimitedMs = () => 4 * 60_000 * (1 + Math.random())

/** Why Baileys ended the connection, from its error. */
export function endOf(error: unknown): End {
  if (!(error instanceof Error)) return { reason: "lost", detail: "closed" }
  const code = codeOf(error)
  const detail = code ? `${error.message} (${code})` : error.message
  // A proxy's HTTP 401 has the same number, but says nothing about the device.
  if (error.message === "Connection Failure") return { ...refused(code, error), detail }
  const { data } = error as { data?: unknown }
  if (data instanceof ProxyError)
    return {
      reason: "lost",
      detail: data.message,
      objection: data.isRefusal ? "proxy_refused" : "proxy_unreachable",
    }
  if (error.message === "QR refs attempts ended") return { reason: "refs_ended", detail }
  if (!error.message.startsWith("Stream Errored")) return { reason: "lost", detail }
  const removed = removedIn(error)
  if (removed) return removedFor(removed.reason, detail)
  switch (code) {
    case 401:
      return { reason: "logged_out", detail }
    case 440:
      return { reason: "replaced", detail }
    case 429:
      return { reason: "lost", detail, refusedForMs: rateLimitedMs() }
    case 515:
      return { reason: "restart", detail }
    default:
      return { reason: "lost", detail }
  }
}

/** A `<failure>`, whose attributes Baileys puts into `data`. */
function refused(code: number, error: Error): Omit<End, "detail"> {
  const objection = objections.get(code)
  const { expire } = ("data" in error && error.data ? error.data : {}) as { expire?: string }
  const refusedForMs = Number(expire) * 1000
  return {
    reason: loggedOutFailures.has(code) ? "logged_out" : "lost",
    ...(objection && { objection }),
    ...(objection === "temporarily_banned" && refusedForMs > 0 && { refusedForMs }),
  }
}

function codeOf(error: Error): number {
  const output = "output" in error ? error.output : undefined
  if (typeof output !== "object" || output === null || !("statusCode" in output)) return 0
  return Number(output.statusCode)
}

/**
 * The attributes of `<conflict type="device_removed"/>`, which Baileys takes for another login if it has no
 * code.
 */
function removedIn(error: Error): { reason?: string } | undefined {
  if (!("data" in error) || typeof error.data !== "object" || error.data === null) return undefined
  const { attrs } = error.data as { attrs?: Record<string, string> }
  return attrs?.type === "device_removed" ? attrs : undefined
}

/** Why the network removed the device, if it says so (zapo 259). */
const removals = new Map<string, Objection>([
  ["invalid_adv_status", "device_untrusted"],
  ["unknown_companion", "device_unknown"],
])

function removedFor(why: string | undefined, detail: string): End {
  if (!why) return { reason: "logged_out", detail }
  const objection = why.startsWith("lid_migration_") ? "addresses_changed" : removals.get(why)
  return { reason: "logged_out", detail: `${detail}: ${why}`, ...(objection && { objection }) }
}
