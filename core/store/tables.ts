import { z } from "zod"
import { config } from "../platform/config.ts"
import { lazily } from "../platform/lazily.ts"

/** The names of the five tables, split by who may read them. */
export const tables = lazily(() => ({
  accounts: config.ACCOUNTS_TABLE,
  leases: config.LEASES_TABLE,
  sessions: config.SESSIONS_TABLE,
  events: config.EVENTS_TABLE,
  requests: config.REQUESTS_TABLE,
}))

const Key = z.string()

/**
 * The bridge's id in a key such as `BRIDGE#<id>`: a `pk`, or the `sk` of a row that belongs to something
 * else.
 */
export function bridgeIdOf(key: unknown): string {
  return Key.parse(key).slice("BRIDGE#".length)
}

interface Index {
  name: string
  hash: { name: string; type: "S" | "N" }
  range: { name: string; type: "S" | "N" }
  /** Which attributes the index holds: each change of one of them costs another write. */
  holds: "ALL" | "KEYS_ONLY"
}

interface Table {
  name: string
  indexes: Index[]
}

/**
 * The tables' shape, for `infra/` and for running on one machine. Each table has the string keys `pk` and
 * `sk`, and `expires_at` as its time to live.
 */
export const tableShapes = lazily((): Table[] => [
  { name: tables.accounts, indexes: [] },
  {
    name: tables.leases,
    indexes: [
      { name: "byHost", hash: { name: "host", type: "S" }, range: { name: "pk", type: "S" }, holds: "ALL" },
      // Holds leases whose phone was linked, and was last reported as not connected.
      {
        name: "byDown",
        hash: { name: "down", type: "N" },
        range: { name: "pk", type: "S" },
        holds: "KEYS_ONLY",
      },
    ],
  },
  { name: tables.sessions, indexes: [] },
  {
    name: tables.events,
    indexes: [
      {
        // Holds `DELIVERY` rows while something waits: `since` is set from the first promise until then.
        name: "bySince",
        hash: { name: "shard", type: "N" },
        range: { name: "since", type: "N" },
        holds: "KEYS_ONLY",
      },
      {
        // Holds those whose receiver fails.
        name: "byFailing",
        hash: { name: "shard", type: "N" },
        range: { name: "failing_since", type: "N" },
        holds: "KEYS_ONLY",
      },
    ],
  },
  { name: tables.requests, indexes: [] },
])
