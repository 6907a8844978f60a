import { z } from "@hono/zod-openapi"

/** Every code an error may carry, with its status (Contract, "Errors"). */
export const errorStatus = {
  invalid_request: 400,
  invalid_customer_ref: 400,
  invalid_webhook_url: 400,
  invalid_idempotency_key: 400,
  url_not_allowed: 400,
  unauthorized: 401,
  no_subscription: 402,
  payment_required: 402,
  bridge_limit_reached: 403,
  forbidden: 403,
  not_admin: 403,
  join_refused: 403,
  not_found: 404,
  method_not_allowed: 405,
  bridge_paused: 409,
  bridge_suspended: 409,
  bridge_moved: 409,
  idempotency_conflict: 409,
  not_paired: 409,
  already_paired: 409,
  not_own_message: 409,
  presence_unavailable: 409,
  not_waiting: 409,
  passkey_required: 409,
  passkey_not_awaited: 409,
  secret_overlap: 409,
  webhook_limit_reached: 409,
  not_kept: 409,
  new_chat: 409,
  group_full: 409,
  group_conflict: 409,
  media_expired: 410,
  invite_revoked: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  media_fetch_failed: 422,
  media_type_mismatch: 422,
  conversion_unavailable: 422,
  recipient_not_found: 422,
  passkey_refused: 422,
  rate_limited: 429,
  pacing: 429,
  internal_error: 500,
  network_rejected: 502,
  orchestrator_failed: 502,
  session_unavailable: 503,
  storage_full: 503,
  send_outcome_unknown: 504,
} as const

export type ErrorCode = keyof typeof errorStatus

const codes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]] // the keys of the object above, no others

export const ErrorBody = z
  .object({
    error: z.string().openapi({ description: "What happened, and what to do." }),
    code: z.enum(codes),
    request_id: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    dashboard_url: z.string().optional(),
    billing_url: z.string().optional(),
    message_id: z
      .string()
      .optional()
      .openapi({ description: "With `send_outcome_unknown`: the message, for `getMessage`." }),
    network_code: z
      .number()
      .int()
      .optional()
      .openapi({ description: 'With `network_rejected`: the network\'s own code, see "Send".' }),
  })
  .openapi("Error")
