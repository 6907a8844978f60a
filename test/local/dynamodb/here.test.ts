import { askHere } from "#test/support/dynamodb.ts"

/** Everything that holds for the store over HTTP also holds for a caller in its own process. */
askHere()
await import("./as-amazon.test.ts")
await import("./faults.test.ts")
await import("./transactions.test.ts")
await import("./writes.test.ts")
