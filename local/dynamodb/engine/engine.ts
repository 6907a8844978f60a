import type { Store } from "dynalite/db/index.js"
import type { Hold } from "#core/platform/locks.ts"
import type { Commits } from "./commit-drafts.ts"
import type { Faults } from "../faults.ts"
import type { Throughput } from "./throughput.ts"
import type { Rows } from "./durable-rows.ts"
import type { Tokens } from "./tokens.ts"

/** The parts that all requests to one store share. */
export interface Engine {
  store: Store
  rows: Rows
  /** Serialises the writes of each item, whether alone or in a transaction. */
  hold: Hold
  tokens: Tokens
  commits: Commits
  faults: Faults
  partitions: Throughput
}
