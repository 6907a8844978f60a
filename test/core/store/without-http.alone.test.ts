import { dynamoDb } from "#test/support/store.ts"
import { useStoreWithoutHttp } from "#core/store/store.ts"

/** Everything that holds for a store asked over HTTP also holds for one in the same process. */
useStoreWithoutHttp(dynamoDb.answer)
await import("../store.test.ts")
