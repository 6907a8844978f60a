import type { Store } from "dynalite/db/index.js"
import type { Commits } from "./commits.ts"
import type { Faults } from "../faults.ts"
import type { ItemLocks } from "./item-locks.ts"
import type { Partitions } from "./partitions.ts"
import type { Rows } from "./rows.ts"
import type { Tokens } from "./tokens.ts"

/** The parts that all requests to one store share. */
export interface Engine {
  store: Store
  rows: Rows
  locks: ItemLocks
  tokens: Tokens
  commits: Commits
  faults: Faults
  partitions: Partitions
}
