import { createHmac, timingSafeEqual } from "node:crypto"
import { z } from "zod"
import { now } from "../platform/clock.ts"
import { config, need } from "../platform/config.ts"

/** How long after signing a host accepts a call, in seconds. */
const validFor = 30
/** Clocks that differ by no more than this, in seconds, are taken for the same. */
export const sameClock = 2

/** A call of the API to a host, signed so that no other caller can make one. */
export const HostCall = z.object({
  method: z.string(),
  /** The path at the host: the suffix of the proxy route, with its query. */
  path: z.string(),
  bridgeId: z.string(),
  /** The lease's epoch as the API knows it; a host in another epoch answers 421. */
  epoch: z.number().int(),
  /** The id for the message that this call may send. */
  messageId: z.string().optional(),
  /** No earlier call used that message id, so the host need not look for a row of it. */
  isNew: z.boolean().optional(),
  /** The idempotency record that the host completes once the message is acknowledged. */
  record: z.string().optional(),
  /**
   * How much longer the caller waits for the session, in milliseconds; if absent, as long as the host waits.
   */
  waitMs: z.number().optional(),
  requestId: z.string(),
})
export type HostCall = z.infer<typeof HostCall>

/** Both times are by the host's clock. */
const Signed = HostCall.extend({ signedAt: z.number().int(), expiresAt: z.number().int() })

/**
 * The value of the `authorization` header for a call to a host whose clock is `ahead` of ours by so many
 * seconds. `notAfter` (Unix seconds) makes it expire sooner: a call under a claim must not begin once the
 * claim may have been taken over.
 */
export function signCall(call: HostCall, { notAfter = Infinity, ahead = 0 } = {}): string {
  const signedAt = now() + ahead
  const expiresAt = Math.min(signedAt + validFor, notAfter + ahead)
  const payload = Buffer.from(JSON.stringify({ ...call, signedAt, expiresAt })).toString("base64url")
  return `Host ${[payload, ...macs(payload)].join(".")}`
}

/**
 * The call that a header authorises; undefined when the header is not ours, or is for another request. A call
 * outside its time (`isTimely`) must not begin: if it is read too late, its caller may have stopped waiting;
 * if it was signed later than now, the clocks differ, and it is unknown when it is too late.
 */
export function verifyCall(
  header: string | undefined,
  request: { method: string; path: string },
): (HostCall & { isTimely: boolean }) | undefined {
  const [payload, ...given] = header?.startsWith("Host ") ? header.slice("Host ".length).split(".") : []
  if (!payload || given.length > 2) return undefined
  const ours = macs(payload)
  if (!given.some((theirs) => ours.some((one) => isSame(one, theirs)))) return undefined

  const { signedAt, expiresAt, ...call } = Signed.parse(
    JSON.parse(Buffer.from(payload, "base64url").toString()),
  )
  if (call.method !== request.method || call.path !== request.path) return undefined
  return { ...call, isTimely: signedAt <= now() + sameClock && now() <= expiresAt }
}

/**
 * A MAC under the present secret and, while that is being replaced, one under the previous secret. So one of
 * them is valid whichever secret the other side knows.
 */
function macs(payload: string): string[] {
  const before = config.HOST_TOKEN_SECRET_BEFORE
  return [need("HOST_TOKEN_SECRET"), ...(before ? [before] : [])].map((secret) =>
    createHmac("sha256", secret).update(payload).digest("base64url"),
  )
}

function isSame(ours: string, theirs: string): boolean {
  const [one, other] = [Buffer.from(ours), Buffer.from(theirs)]
  return one.length === other.length && timingSafeEqual(one, other)
}
