import { askHere } from "#test/support/dynamodb.ts"

/**
 * What holds for the store over HTTP also holds for a caller in its own process: its faults, and what it
 * keeps.
 */
askHere()
await import("./faults.test.ts")
await import("./transactions.test.ts")
await import("./writes.test.ts")
