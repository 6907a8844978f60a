import { useStoreWithoutHttp } from "#core/store/store.ts"
import { dynamoDb } from "#test/support/store.ts"

/** Everything that holds for a store asked over HTTP also holds for one in the same process. */
useStoreWithoutHttp(dynamoDb.answer)
await import("../store.test.ts")
