import { z } from "zod"
import { config } from "../platform/config.ts"

/** The five tables, split by who may read them. Their shape is data, for `infra/` and for running on one machine. */
export const accounts = config.ACCOUNTS_TABLE
export const leases = config.LEASES_TABLE
export const sessions = config.SESSIONS_TABLE
export const events = config.EVENTS_TABLE
export const requests = config.REQUESTS_TABLE

/** The bridge's id in a key such as `BRIDGE#<id>`: a `pk`, or the `sk` of a row that belongs to something else. */
export function bridgeIdOf(key: unknown): string {
  return z.string().parse(key).slice("BRIDGE#".length)
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

/** Each table has the string keys `pk` and `sk`, and `expires_at` as its time to live. */
export const tables: Table[] = [
  { name: accounts, indexes: [] },
  {
    name: leases,
    indexes: [
      { name: "byHost", hash: { name: "host", type: "S" }, range: { name: "pk", type: "S" }, holds: "ALL" },
    ],
  },
  { name: sessions, indexes: [] },
  {
    name: events,
    indexes: [
      {
        // Holds `DELIVERY` rows while something waits: `since` is set from the first promise until then.
        name: "bySince",
        hash: { name: "shard", type: "N" },
        range: { name: "since", type: "N" },
        holds: "KEYS_ONLY",
      },
    ],
  },
  { name: requests, indexes: [] },
]
