import { expect, test } from "vitest"
import { boundedCache } from "#session-host/bounded-cache.ts"

test("a full cache forgets the entry that was unused for longest", () => {
  const cache = boundedCache<number>(2)
  cache.set("one", 1).set("two", 2)
  cache.get("one")
  cache.set("three", 3)
  expect(["one", "two", "three"].filter((key) => cache.has(key))).toEqual(["one", "three"])
})

test("an empty cache takes no room for what it may hold", () => {
  const before = process.memoryUsage()
  const caches = Array.from({ length: 20 }, () => boundedCache<true>(1_000_000, { ttl: 1000 }))
  const after = process.memoryUsage()
  const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
  expect(grown / caches.length).toBeLessThan(100_000)
})
