import { onTestFinished } from "vitest"
import { dynamoDb } from "./store.ts"

/** Counts the requests of this operation to the store, from now on until the test ends. */
export function countRequests(operation: string): () => number {
  let count = 0
  const when = () => {
    count++
    return false
  }
  onTestFinished(dynamoDb.faults.add({ fault: "slow", operation, when }))
  return () => count
}
