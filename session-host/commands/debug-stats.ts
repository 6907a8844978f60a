import { PerformanceObserver } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import type { z } from "@hono/zod-openapi"
import * as contract from "#core/contract/debug.ts"
import type { Command } from "./command.ts"

let collections = 0
new PerformanceObserver((list) => {
  collections += list.getEntries().length
}).observe({ entryTypes: ["gc"] })

/** Figures of this process under the names of the contract (Contract, "Debug figures"). */
export const debugStats: Command = {
  route: contract.debugStats,
  run: (c) => {
    const heap = getHeapStatistics()
    const stats: z.infer<typeof contract.DebugStats> = {
      gc_cycles: collections,
      goroutines: process.getActiveResourcesInfo().length,
      heap_alloc_mb: mb(heap.used_heap_size),
      heap_objects: c.var.session.cached,
      heap_sys_mb: mb(heap.total_heap_size),
      media_cache_size: c.var.session.storedMedia.size,
      next_gc_mb: mb(heap.heap_size_limit),
      total_alloc_mb: mb(process.memoryUsage.rss()),
    }
    return c.json(stats, 200)
  },
}

function mb(bytes: number): number {
  return Math.round((bytes / 1024 / 1024) * 100) / 100
}
