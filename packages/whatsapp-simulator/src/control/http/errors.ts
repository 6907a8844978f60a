import type { Context } from "hono"
import { HTTPException } from "hono/http-exception"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { z } from "zod"
import { PairingError } from "../../devices/pairing.ts"
import type { Network } from "../../network/network.ts"
import * as Phones from "../../phone/create-phone.ts"

/** A refusal of the control API: a code for programs, and a sentence for people. */
export class ControlError extends Error {
  override name = "ControlError"
  readonly status: ContentfulStatusCode
  readonly code: string
  constructor(status: ContentfulStatusCode, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Answers what a request threw, as JSON with `code` and a sentence. */
export function onControlError(network: Network) {
  return (error: Error, c: Context) => {
    const [status, code] = statusOf(error)
    if (status === 500) network.log.note("control", "failed", { path: c.req.path, error: String(error) })
    return c.json({ error: sentenceOf(error), code }, status)
  }
}

function sentenceOf(error: Error): string {
  if (!(error instanceof z.ZodError)) return error.message
  return error.issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message))
    .join("; ")
}

const pairingStatus = {
  not_a_code: 422,
  wrong_code: 409,
  declined: 409,
  secret_retired: 409,
  passkey_required: 409,
  unknown_ref: 404,
  expired_ref: 410,
  wrong_key: 409,
  busy: 409,
  refused: 409,
  no_answer: 504,
  bad_signature: 409,
} as const

function statusOf(error: Error): [ContentfulStatusCode, string] {
  if (error instanceof ControlError) return [error.status, error.code]
  if (error instanceof z.ZodError) return [400, "invalid_request"]
  if (error instanceof Phones.NumberTaken) return [409, "number_taken"]
  if (error instanceof PairingError) return [pairingStatus[error.code], error.code]
  if (error instanceof HTTPException) return [error.status, "invalid_request"]
  return [500, "internal_error"]
}
