import { z } from "@hono/zod-openapi"
import { errors } from "./error-codes.ts"
import { integer, string } from "./field-types.ts"

export type ErrorCode = keyof typeof errors

/** The status of each error. */
export const errorStatus = Object.fromEntries(
  Object.entries(errors).map(([code, [status]]) => [code, status]),
) as { readonly [Code in ErrorCode]: (typeof errors)[Code][0] } // the keys of that object, no others

const codes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]] // its keys, no others

export const ErrorBody = z
  .object({
    error: string("What happened, and what to do."),
    code: z.enum(codes),
    request_id: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    dashboard_url: z.string().optional(),
    billing_url: z.string().optional(),
    message_id: string("With `send_outcome_unknown`: the message, for `getMessage`.").optional(),
    network_code: integer('With `network_rejected`: the network\'s own code, see "Send".').optional(),
  })
  .openapi("Error")
