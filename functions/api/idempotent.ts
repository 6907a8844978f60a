import { createHash } from "node:crypto"
import type { HttpBindings } from "@hono/node-server"
import type { Context } from "hono"
import { now } from "#core/clock.ts"
import type { ErrorCode } from "#core/contract/error.ts"
import { IdempotencyKey } from "#core/contract/message.ts"
import { ApiError } from "#core/error.ts"
import { Idempotency } from "#core/idempotency.ts"
import { Metrics } from "#core/metrics.ts"
import { log } from "#core/log.ts"
import { type Call, type HostAnswer, outcomeUnknown } from "./call-host.ts"
import { ask, hostHeaders } from "./forward.ts"
import type { ApiEnv } from "../http/router.ts"

/** The key under which a message is to be sent at most once. @throws ApiError `invalid_idempotency_key` */
export function keyOf(c: Context<ApiEnv>): string | undefined {
  const given = c.req.header("idempotency-key")
  if (given === undefined) return undefined
  const { success, data } = IdempotencyKey.safeParse(given)
  if (success && !isTwice(c)) return data
  throw new ApiError("invalid_idempotency_key", "Idempotency-Key: once, 1 to 255 printable characters")
}

/** Two headers come joined by a comma, which one may have, too. Only Node tells them apart: Lambda has joined them. */
function isTwice(c: Context<ApiEnv>): boolean {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings> // what the door passes along
  const names = incoming?.rawHeaders?.filter((_, at) => at % 2 === 0) ?? []
  return names.filter((name) => name.toLowerCase() === "idempotency-key").length > 1
}

/**
 * Has a message sent under a key, or answers what became of it when the key was used before (§8.2).
 * @throws ApiError `idempotency_conflict`, and why it was not sent
 */
export async function sendOnce(c: Context<ApiEnv>, call: Call, key: string): Promise<Response> {
  const fingerprint = fingerprintOf(call)
  const notAfter = now() + Idempotency.beginsWithin
  const owner = { accountId: c.var.accountId, bridgeId: call.bridgeId }
  const outcome = await Idempotency.claim({ ...owner, key, fingerprint })
  switch (outcome.kind) {
    case "conflict":
      Metrics.add("IdemConflict")
      throw new ApiError(
        "idempotency_conflict",
        "a request with this Idempotency-Key is still under way: try again when it has ended",
      )
    case "replay":
      Metrics.add("IdemReplay")
      return c.json(outcome.answer, 200, replayed(outcome.mismatch))
    case "claimed": {
      const { claim, mismatch } = outcome
      const { messageId, isNew, record } = claim
      const sent = await settled(claim, { ...call, messageId, isNew, record, notAfter })
      // The earlier request's message went out, whatever this one asks for.
      const isOld = sent.headers["x-send-repeated"] === "true"
      return c.body(sent.body as Uint8Array<ArrayBuffer>, 200, {
        ...hostHeaders(sent.headers, "content-type"),
        ...(isOld && replayed(mismatch)),
      })
    }
  }
}

/**
 * Sends, and lets go of the key as the outcome wants: a success was recorded by the host, a definite failure frees
 * the key, and of what nobody knows the record keeps the message's id.
 */
async function settled(claim: Idempotency.Claim, call: Call): Promise<HostAnswer> {
  const { success, refusal } = await ask(call, true).catch(async (error: unknown) => {
    // Only the host knows whether an older transmission of this message is out.
    await release(claim)
    throw error
  })
  if (success) return success
  if (!isDefinite(refusal)) await release(claim)
  // Taken over meanwhile: what became of the message is not ours to say.
  else if (!(await Idempotency.free(claim))) throw outcomeUnknown()
  throw refusal
}

/** The host's refusals that leave open whether the message went out, at this call or an earlier one. */
const open = new Set<ErrorCode>(["send_outcome_unknown", "session_unavailable", "idempotency_conflict"])

function isDefinite(refusal: ApiError): boolean {
  return !open.has(refusal.code)
}

/** Unwritten, the claim ends by itself. */
async function release(claim: Idempotency.Claim): Promise<void> {
  await Idempotency.release(claim).catch((error: unknown) => log.warn({ error }, "claim not released"))
}

function replayed(mismatch: boolean): Record<string, string> {
  return { "x-idempotency-replayed": "true", ...(mismatch && { "x-idempotency-mismatch": "true" }) }
}

/** Tells one request from another. */
function fingerprintOf(call: Call): string {
  const hash = createHash("sha256")
  return hash.update(`${call.method} ${call.path}\n${call.body ?? ""}`).digest("hex")
}
