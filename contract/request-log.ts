import { createRoute, z } from "@hono/zod-openapi"
import { integer, limit, string } from "./field-types.ts"
import { refusals, reply } from "./route-parts.ts"

/** Contract, "Requests" */
const ApiRequest = z
  .object({
    request_id: string("As `X-Request-Id` of the answer said it."),
    timestamp: z.iso.datetime().openapi({ description: "When it was answered." }),
    method: z.string(),
    path: string("Without its query; at most 300 characters of it."),
    status: z.int(),
    code: string("The error's code, if the call was refused.").optional(),
    error: string("The error's sentence, if the call was refused.").optional(),
    key_id: string("The key, as `listKeys` gives it."),
    key_name: string("Its name; absent once it is revoked.").optional(),
    ms: integer("How long the answer took."),
    left_out: integer("How many calls just before it were left out, since there were too many; usually 0."),
  })
  .openapi("ApiRequest")
export type ApiRequest = z.infer<typeof ApiRequest>

export const listRequests = createRoute({
  method: "get",
  path: "/api/requests",
  summary: "List calls of the account's programs: those that were refused, and those that changed something",
  description:
    "Newest first, for 7 days, without bodies. A call that only read is not here, nor one to a session that succeeded: `listSent` has " +
    "what was sent. A call with a key that has expired, or was revoked in the last 30 days, is here; one with any other wrong key belongs to no account. After a hundred calls at once one in five seconds is kept, and says " +
    "how many were left out.",
  request: {
    query: z.object({
      refused: z
        .enum(["true", "false"])
        .optional()
        .openapi({ description: "Only refused ones, or only others." }),
      after: z
        .string()
        .regex(/^[0-9]{13}\.[0-9a-f]{8}$/, "not the `X-Next-After` of a page before")
        .optional()
        .openapi({ description: "The `X-Next-After` of the page before." }),
      limit: limit.default(50),
    }),
  },
  responses: {
    200: reply(
      "A page. The header `X-Next-After` is there while there may be more: give it as `after`.",
      z.array(ApiRequest),
    ),
    ...refusals(),
  },
})
