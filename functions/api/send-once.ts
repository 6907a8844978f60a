import { createHash } from "node:crypto"
import type { ErrorCode } from "#contract/error.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { type Call, type HostAnswer, outcomeUnknown } from "#core/lease/call-host.ts"
import { Idempotency } from "#core/message/idempotency.ts"
import { now } from "#core/platform/clock.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { askHost, hostHeaders } from "./ask-host.ts"

/** The JSON of a send's answer, and the headers that go with it. */
interface Answer {
  body: Uint8Array<ArrayBuffer>
  headers: Record<string, string>
}

/**
 * Sends a message under a key, or answers from the key's record if it was used before
 * (Contract, "Idempotency"). The API and the dashboard send like this.
 * @throws ApiError `idempotency_conflict`, or the reason why it was not sent
 */
export async function sendOnce(bridge: Bridge.Info, call: Call, key: string): Promise<Answer> {
  const fingerprint = fingerprintOf(call)
  const notAfter = now() + Idempotency.beginsWithin()
  const owner = { accountId: bridge.accountId, bridgeId: call.bridgeId }
  const outcome = await Idempotency.claim({ ...owner, key, fingerprint })
  switch (outcome.kind) {
    case "conflict":
      Metrics.add("IdemConflict")
      throw new ApiError("idempotency_conflict")
    case "replay": {
      Metrics.add("IdemReplay")
      const answer = JSON.stringify(outcome.answerUnder(await Bridge.deliveryKeyOf(bridge)))
      const headers = { "content-type": "application/json", ...replayed(outcome.mismatch) }
      return { body: new Uint8Array(Buffer.from(answer)), headers }
    }
    case "claimed": {
      const { claim, mismatch } = outcome
      const { messageId, isNew, record } = claim
      const sent = await settled(claim, { ...call, messageId, isNew, record, notAfter })
      // An earlier request's message was sent, whatever this request asks for.
      const isOld = sent.headers["x-send-repeated"] === "true"
      return {
        body: sent.body as Uint8Array<ArrayBuffer>,
        headers: { ...hostHeaders(sent.headers, "content-type"), ...(isOld && replayed(mismatch)) },
      }
    }
  }
}

/**
 * Sends, and settles the key according to the outcome: the host has recorded a success, a definite failure
 * frees the key, and after an unknown outcome the record keeps the message's id.
 */
async function settled(claim: Idempotency.Claim, call: Call): Promise<HostAnswer> {
  const { success, refusal } = await askHost(call, true).catch(async (error: unknown) => {
    // Only the host knows whether an earlier transmission of this message went out.
    await release(claim)
    throw error
  })
  // The host keeps the answer (of creating a group), and gives it to a retry: this record only keeps the id.
  if (success?.headers["x-send-kept"] === "true") await release(claim)
  if (success) return success
  if (!isDefinite(refusal)) await release(claim)
  // The key was taken over meanwhile: the message's outcome is no longer ours to report.
  else if (!(await Idempotency.free(claim))) throw outcomeUnknown()
  throw refusal
}

/** Refusals of the host after which the message may still have gone out, in this call or an earlier one. */
const maybeSent = new Set<ErrorCode>(["send_outcome_unknown", "session_unavailable", "idempotency_conflict"])

function isDefinite(refusal: ApiError): boolean {
  return !maybeSent.has(refusal.code)
}

/** If this write fails, the claim ends by itself. */
async function release(claim: Idempotency.Claim): Promise<void> {
  await Idempotency.release(claim).catch((error: unknown) => log.warn({ error }, "claim not released"))
}

function replayed(mismatch: boolean): Record<string, string> {
  return { "x-idempotency-replayed": "true", ...(mismatch && { "x-idempotency-mismatch": "true" }) }
}

/** Identifies a request by its method, path and body. */
function fingerprintOf(call: Call): string {
  const hash = createHash("sha256")
  return hash.update(`${call.method} ${call.path}\n${call.body ?? ""}`).digest("hex")
}
