import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { PhoneNumber } from "./chat.ts"
import { optionalBody, refusals, reply } from "./reply.ts"

/** Contract, "Link sessions" */
export const createLinkSession = createRoute({
  method: "post",
  path: "/api/instances/{customer_ref}/link-sessions",
  summary: "Make a page on which somebody links their phone, without an account of their own",
  description:
    "Give the URL to the person whose number it is. It lives for an hour, until a phone is linked. Whoever has it can link " +
    "a phone to this bridge, so treat it as a secret.",
  request: {
    params: path,
    body: optionalBody(
      z.object({
        expected_phone: PhoneNumber.optional().openapi({
          description: "The number that has to be linked; another one is refused on the page.",
        }),
        return_url: z
          .string()
          .max(2048)
          .refine(
            (url) => /^https?:\/\/[^\s#\p{Cc}\p{Cs}]+$/iu.test(url) && URL.canParse(url),
            "must be a URL that begins with http:// or https://, without spaces and fragment",
          )
          .optional()
          .openapi({ description: "Where the page leads when a phone is linked." }),
      }),
    ),
  },
  responses: {
    201: reply(
      "The page.",
      z
        .object({
          url: z.string(),
          expires_at: z.number().int().openapi({ description: "Unix seconds." }),
        })
        .openapi("LinkSession"),
    ),
    ...refusals("not_found"),
  },
})
