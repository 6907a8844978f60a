import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { inQuery } from "./field-types.ts"
import { codesOfBridge, refusals } from "./route-parts.ts"

export const streamLogs = createRoute({
  method: "get",
  path: "/api/instances/{customer_ref}/logs",
  summary: "The bridge's log: its last lines, then new ones as they come",
  description:
    "At most 2 streams of a bridge and 10 of an account are open at once. Beyond that the answer is 429 until one has ended.",
  request: {
    params: path,
    query: z.object({
      tail: inQuery(0, 10_000).default(100).openapi({
        description: "How many earlier lines to begin with.",
      }),
    }),
  },
  responses: {
    200: {
      description: "Server-sent events; each `data:` is one line: time, level, message.",
      content: { "text/event-stream": { schema: z.string() } },
    },
    ...refusals(...codesOfBridge),
  },
})
