import { events, requests, sessions } from "#core/tables.ts"
import type { Operation, Part, StoreCommand } from "#test/support/around.ts"

/** What a command is about, in the words of the crash tables; nothing of beats and looks. */
export function wordsOf({ name, input }: StoreCommand): string[] {
  switch (name) {
    case "TransactWriteItems":
      return [...new Set((input.TransactItems ?? []).flatMap(wordOfOperation))]
    case "GetItem":
      return wordsOfKey(input.TableName, input.Key?.sk, reads)
    case "Query":
      return input.TableName === events && input.ScanIndexForward === undefined ? ["read ahead"] : []
    case "PutItem":
      return wordsOfKey(input.TableName, input.Item?.sk, puts)
    case "DeleteItem":
      return wordsOfKey(input.TableName, input.Key?.sk, removals)
    case "UpdateItem":
      return updates
        .filter(({ table, says }) => table === input.TableName && input.UpdateExpression?.startsWith(says))
        .slice(0, 1)
        .map(({ word }) => word)
    default:
      return []
  }
}

type Rows = { table: string; sk: string; word: string }[]

const reads: Rows = [
  { table: sessions, sk: "SEND#", word: "look up send" },
  { table: sessions, sk: "SEEN#", word: "look up seen" },
]
const puts: Rows = [{ table: events, sk: "DELIVERY", word: "promise" }]
const removals: Rows = [{ table: requests, sk: "IDEM", word: "free key" }]

/** By how they begin; the first that fits. */
const updates = [
  { table: requests, says: "SET #state = :inflight", word: "claim key" },
  { table: requests, says: "SET #state = :done", word: "complete key" },
  { table: requests, says: "SET lease_until", word: "release key" },
  { table: events, says: "SET due = :due, holder = :nobody", word: "promise" },
  { table: events, says: "SET holder = :me", word: "claim delivery" },
  { table: events, says: "SET head", word: "advance" },
  { table: events, says: "SET failures =", word: "record failure" },
  { table: events, says: "SET holder = :nobody", word: "pass on" },
]

function wordOfOperation({ Put, Delete, Update, ConditionCheck }: Operation): string[] {
  if (Put) return wordOfPut(Put)
  if (Delete)
    return wordsOfKey(Delete.TableName, Delete.Key?.sk, [{ table: sessions, sk: "JOURNAL#", word: "drain" }])
  if (Update?.UpdateExpression?.startsWith("SET head")) return ["advance"]
  const isIdle = ConditionCheck?.TableName === events && String(ConditionCheck.Key?.sk).startsWith("EVENT#")
  return isIdle ? ["go idle"] : []
}

function wordOfPut({ TableName, Item = {} }: Part): string[] {
  const sk = String(Item.sk)
  if (TableName === events) return sk.startsWith("EVENT#") ? ["append"] : []
  if (TableName !== sessions) return []
  if (sk.startsWith("JOURNAL#")) return ["journal"]
  if (sk.startsWith("PARKED#")) return ["set aside"]
  if (sk === "CREDS") return ["credentials"]
  return sk.startsWith("SEND#") ? [`send ${String(Item.state)}`] : []
}

function wordsOfKey(table: string | undefined, sk: unknown, rows: Rows): string[] {
  return rows
    .filter((row) => row.table === table && String(sk).startsWith(row.sk))
    .slice(0, 1)
    .map(({ word }) => word)
}
