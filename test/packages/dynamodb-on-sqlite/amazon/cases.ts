import { conditions } from "./conditions.ts"
import { queries } from "./queries.ts"
import { rows } from "./rows.ts"
import { tables } from "./tables.ts"
import { transactions } from "./transactions.ts"
import { updates } from "./updates.ts"
import type { Cases } from "./words.ts"

/** What both Amazon's DynamoDB Local and the embedded store are asked. */
export const cases: Cases = { ...rows, ...conditions, ...updates, ...queries, ...transactions, ...tables }
