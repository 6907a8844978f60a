import { dynamoDb } from "#test/support/store.ts"
import { useHere } from "#core/store/store.ts"

/** Everything that holds for a store asked over HTTP also holds for one in the same process. */
useHere(dynamoDb.answer)
await import("../store.test.ts")
