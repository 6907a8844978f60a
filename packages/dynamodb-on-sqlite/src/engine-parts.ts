import type { BelievedClock } from "./believed-clock.ts"
import type { DraftWriter } from "./draft-writer.ts"
import type { Faults } from "./faults.ts"
import type { Hold } from "./locks.ts"
import type { Rows } from "./rows/rows.ts"
import type { Tables } from "./tables.ts"
import type { Throughput } from "./throughput.ts"
import type { Tokens } from "./tokens.ts"

/** What an operation works on. */
export interface EngineParts {
  tables: Tables
  rows: Rows
  /** Holds a row by its name (`rowName`) while it is judged and written. */
  hold: Hold
  writer: DraftWriter
  tokens: Tokens
  believedClock: BelievedClock
  faults: Faults
  partitions: Throughput
}
