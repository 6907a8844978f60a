import type { Faults } from "./faults.ts"
import type { Keeper } from "./keeper.ts"
import type { Tables } from "./tables.ts"
import type { Throughput } from "./throughput.ts"

/** What an operation works on. */
export interface EngineParts {
  tables: Tables
  keeper: Keeper
  faults: Faults
  partitions: Throughput
}
