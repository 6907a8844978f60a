import { createHmac, timingSafeEqual } from "node:crypto"
import { z } from "zod"
import { now } from "./clock.ts"
import { need } from "./config.ts"

/** How long a call may be under way before the host refuses it, in seconds. */
const validFor = 30

/** What the API asks of a host, signed so that nobody else can. */
export const HostCall = z.object({
  method: z.string(),
  /** The path at the host: the suffix of the proxy route, with its query. */
  path: z.string(),
  bridgeId: z.string(),
  /** The lease as the API knows it; a host in another epoch answers 421. */
  epoch: z.number().int(),
  /** The id of the message that this call may send. */
  messageId: z.string().optional(),
  /** No earlier call was made under that id: no row of it is looked for. */
  isNew: z.boolean().optional(),
  /** The idempotency record that the host completes once the message is acknowledged. */
  record: z.string().optional(),
  /** How long the caller still waits for the session to be there, in milliseconds; absent: as long as the host waits. */
  waitMs: z.number().optional(),
  requestId: z.string(),
})
export type HostCall = z.infer<typeof HostCall>

const Signed = HostCall.extend({ expiresAt: z.number().int() })

/**
 * The value of the `authorization` header of a call to a host. `notAfter` (Unix seconds) ends it earlier: a call under
 * a claim must not begin when the claim may have been taken over.
 */
export function signCall(call: HostCall, notAfter = Infinity): string {
  const expiresAt = Math.min(now() + validFor, notAfter)
  const payload = Buffer.from(JSON.stringify({ ...call, expiresAt })).toString("base64url")
  return `Host ${payload}.${mac(payload)}`
}

/**
 * The call that a header authorises; undefined when it is not ours, or for another request. One that is read too late
 * must not begin: whoever made it may have stopped waiting.
 */
export function verifyCall(
  header: string | undefined,
  request: { method: string; path: string },
): (HostCall & { isLate: boolean }) | undefined {
  const [payload, given] = header?.startsWith("Host ") ? header.slice("Host ".length).split(".") : []
  if (!payload || !given) return undefined
  const [ours, theirs] = [Buffer.from(mac(payload)), Buffer.from(given)]
  if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) return undefined

  const { expiresAt, ...call } = Signed.parse(JSON.parse(Buffer.from(payload, "base64url").toString()))
  if (call.method !== request.method || call.path !== request.path) return undefined
  return { ...call, isLate: expiresAt < now() }
}

function mac(payload: string): string {
  return createHmac("sha256", need("HOST_TOKEN_SECRET")).update(payload).digest("base64url")
}
