import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { integer } from "./field-types.ts"
import { proxy, refusals, reply, codesOfSession } from "./route-parts.ts"

/** Figures of the host's process, under the names of Go's runtime, for compatibility. */
const DebugStats = z
  .object({
    client_expires_at: integer(
      "When the network will reject the version of its protocol that this process speaks, in Unix seconds; 0: it has named no day.",
    ),
    gc_cycles: z.number().openapi({ description: "Garbage collections since the process started." }),
    goroutines: z.number().openapi({
      description: "Its open sockets, timers and requests; the name comes from another runtime.",
    }),
    heap_alloc_mb: z.number().openapi({ description: "Heap in use." }),
    heap_objects: z.number().openapi({ description: "Entries in this session's caches." }),
    heap_sys_mb: z.number().openapi({ description: "Heap reserved." }),
    media_cache_size: z.number().openapi({
      description: "Files of this bridge that this process has cached in the last three hours.",
    }),
    next_gc_mb: z.number().openapi({ description: "The limit of the heap." }),
    total_alloc_mb: z.number().openapi({ description: "All memory that the process occupies." }),
  })
  .openapi("DebugStats")

export const healthz = createRoute({
  method: "get",
  path: `${proxy}/healthz` as const,
  summary: "Whether the session's process is up",
  request: { params: path },
  responses: { 200: reply("It is.", z.object({ ok: z.literal(true) })), ...refusals(...codesOfSession) },
})

export const debugStats = createRoute({
  method: "get",
  path: `${proxy}/debug/stats` as const,
  summary: "Figures of the process that holds the session",
  request: { params: path },
  responses: { 200: reply("The figures.", DebugStats), ...refusals(...codesOfSession) },
})
