import type { ClosedReason } from "../network.ts"

export interface End {
  reason: ClosedReason
  detail: string
}

/** `<failure>` at login: the device is unknown, the account's main device is gone, or logged out for reasons untold (whatsmeow `ConnectFailureReason.IsLoggedOut`). */
const loggedOutFailures = new Set([401, 403, 406])

/** Why Baileys ended the connection, from its error. */
export function endOf(error: unknown): End {
  if (!(error instanceof Error)) return { reason: "lost", detail: "closed" }
  const code = codeOf(error)
  const detail = code ? `${error.message} (${code})` : error.message
  // A proxy's HTTP 401 has the same number but says nothing about the device.
  if (error.message === "Connection Failure" && loggedOutFailures.has(code))
    return { reason: "logged_out", detail }
  if (error.message === "QR refs attempts ended") return { reason: "refs_ended", detail }
  if (!error.message.startsWith("Stream Errored")) return { reason: "lost", detail }
  if (isRemoved(error)) return { reason: "logged_out", detail }
  switch (code) {
    case 401:
      return { reason: "logged_out", detail }
    case 440:
      return { reason: "replaced", detail }
    case 515:
      return { reason: "restart", detail }
    default:
      return { reason: "lost", detail }
  }
}

function codeOf(error: Error): number {
  const output = "output" in error ? error.output : undefined
  if (typeof output !== "object" || output === null || !("statusCode" in output)) return 0
  return Number(output.statusCode)
}

/** `<conflict type="device_removed"/>`, which Baileys takes for another login when it comes without a code. */
function isRemoved(error: Error): boolean {
  if (!("data" in error) || typeof error.data !== "object" || error.data === null) return false
  const { attrs } = error.data as { attrs?: Record<string, string> }
  return attrs?.type === "device_removed"
}
