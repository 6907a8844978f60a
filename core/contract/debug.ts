import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { proxy, refusals, reply, unreachable } from "./reply.ts"

/** Contract, "Debug figures": figures of the host's process. */
export const DebugStats = z
  .object({
    gc_cycles: z.number().openapi({ description: "Collections of garbage since its start." }),
    goroutines: z.number().openapi({
      description:
        "What keeps it busy: its open sockets, timers and requests; the name is another runtime's.",
    }),
    heap_alloc_mb: z.number().openapi({ description: "Heap in use." }),
    heap_objects: z.number().openapi({ description: "Entries in this session's caches." }),
    heap_sys_mb: z.number().openapi({ description: "Heap reserved." }),
    media_cache_size: z.number().openapi({
      description: "Media of this bridge that this process has put into the cache in the last three hours.",
    }),
    next_gc_mb: z.number().openapi({ description: "The most that the heap may take." }),
    total_alloc_mb: z.number().openapi({ description: "Memory that it occupies, all in all." }),
  })
  .openapi("DebugStats")

export const healthz = createRoute({
  method: "get",
  path: `${proxy}/healthz`,
  summary: "Whether the process of the session is up",
  request: { params: path },
  responses: { 200: reply("It is.", z.object({ ok: z.literal(true) })), ...refusals(...unreachable) },
})

export const debugStats = createRoute({
  method: "get",
  path: `${proxy}/debug/stats`,
  summary: "Figures of the process that holds the session",
  request: { params: path },
  responses: { 200: reply("The figures.", DebugStats), ...refusals(...unreachable) },
})
