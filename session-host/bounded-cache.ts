import { LRUCache } from "lru-cache"

/**
 * A session's memory of at most `most` entries, from which the one unused for longest goes first. `ttl` is in
 * milliseconds. `LRUCache` sets the places of its `max` aside at once: for thousands of sessions in a
 * process, gigabytes that few ever fill.
 */
export function boundedCache<Value extends {}>(most: number, { ttl = 0 } = {}): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize: most, sizeCalculation: () => 1, ttl })
}
