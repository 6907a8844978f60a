import { onTestFinished } from "vitest"
import { dynamoDb } from "./store.ts"

/** Records the store's transactions from now on: the keys of each one's rows, and its size. */
export function transactions() {
  const asked: { rows: string[]; bytes: number }[] = []
  const remove = dynamoDb.faults.add({
    fault: "slow",
    operation: "TransactWriteItems",
    when: (request) => {
      asked.push({ rows: rowsOf(request), bytes: JSON.stringify(request).length })
      return false
    },
  })
  onTestFinished(remove)
  return asked
}

/** Records the writes about this bridge from now on. */
export function writesOf(bridgeId: string) {
  const asked: object[] = []
  const remove = dynamoDb.faults.add({
    fault: "slow",
    when: (request) => {
      const isRead = "KeyConditionExpression" in request || "ConsistentRead" in request
      if (!isRead && JSON.stringify(request).includes(bridgeId)) asked.push(request)
      return false
    },
  })
  onTestFinished(remove)
  return asked
}

interface Asked {
  TransactItems: Record<string, { Key?: Keyed; Item?: Keyed }>[]
}
interface Keyed {
  sk: { S: string }
}

function rowsOf(request: object): string[] {
  const { TransactItems } = request as Asked // as the client sends it
  return TransactItems.flatMap((item) => Object.values(item)).map((one) => (one.Key ?? one.Item)!.sk.S)
}
