import { z } from "@hono/zod-openapi"

/** Contract, "Kept messages": for how many days. */
export const Keep = z.literal([7, 30, 90], "must be 7, 30 or 90, or null")

/** How a schema of `Keep` or null is shown. */
export const openapiOfKeepOrNull = {
  type: ["integer", "null"] as ["integer", "null"], // zod-openapi takes no longer list
  enum: [7, 30, 90, null],
}
