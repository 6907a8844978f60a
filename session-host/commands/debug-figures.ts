import { PerformanceObserver } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import * as contract from "#contract/debug-figures.ts"
import { clientExpiresAt } from "../network/client-expiration.ts"
import { command } from "./command.ts"

let collections = 0
new PerformanceObserver((list) => {
  collections += list.getEntries().length
}).observe({ entryTypes: ["gc"] })

export const debugFigures = {
  healthz: command(contract.healthz, () => ({ ok: true })),

  /** Figures of this process, under the names that the contract gives them. */
  debugStats: command(contract.debugStats, ({ session }) => {
    const heap = getHeapStatistics()
    return {
      client_expires_at: clientExpiresAt(),
      gc_cycles: collections,
      goroutines: process.getActiveResourcesInfo().length,
      heap_alloc_mb: mb(heap.used_heap_size),
      heap_objects: session.cached,
      heap_sys_mb: mb(heap.total_heap_size),
      media_cache_size: session.storedMedia.size,
      next_gc_mb: mb(heap.heap_size_limit),
      total_alloc_mb: mb(process.memoryUsage.rss()),
    }
  }),
}

function mb(bytes: number): number {
  return Math.round((bytes / 1024 / 1024) * 100) / 100
}
