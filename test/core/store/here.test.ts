import { dynamoDb } from "#test/support/store.ts"
import { useHere } from "#core/store.ts"

/** All that is true of a store that is asked by HTTP, for one in the same process. */
useHere(dynamoDb.answer)
await import("../store.test.ts")
