import { askHere } from "#test/support/dynamodb.ts"

/** All that is true of the store by HTTP, for whoever asks it in its own process. */
askHere()
await import("./faults.test.ts")
await import("./shapes.test.ts")
await import("./transactions.test.ts")
await import("./writes.test.ts")
