import { tables } from "#core/store/tables.ts"
import type { Operation, Part, StoreCommand } from "#test/support/wrap-client-calls.ts"

/** The subject of a command, in the words of the crash points. Beats and looks have none. */
export function stepNamesOf({ name, input }: StoreCommand): string[] {
  switch (name) {
    case "TransactWriteItems":
      return [...new Set((input.TransactItems ?? []).flatMap(wordOfOperation))]
    case "BatchGetItem":
    case "BatchWriteItem":
      return wordsOfBatch(input.RequestItems ?? {})
    case "Query":
      return input.TableName === tables.events && input.ScanIndexForward === undefined ? ["read ahead"] : []
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

const batches: Rows = [
  { table: tables.sessions, sk: "SEND#", word: "look up send" },
  { table: tables.sessions, sk: "MESSAGE#", word: "look up message" },
  { table: tables.events, sk: "ATTEMPT#", word: "log attempts" },
]
const puts: Rows = [{ table: tables.events, sk: "DELIVERY", word: "promise" }]
const removals: Rows = [{ table: tables.requests, sk: "IDEM", word: "free key" }]

/** By how they begin; the first that fits. */
const updates = [
  { table: tables.requests, says: "SET #state = :inflight", word: "claim key" },
  { table: tables.requests, says: "SET #state = :done", word: "complete key" },
  { table: tables.requests, says: "SET lease_until", word: "release key" },
  { table: tables.events, says: "SET due = :due, holder = :nobody", word: "promise" },
  { table: tables.events, says: "SET holder = :me", word: "claim delivery" },
  { table: tables.events, says: "SET head", word: "advance" },
  { table: tables.events, says: "SET failures =", word: "record failure" },
  { table: tables.events, says: "SET holder = :nobody", word: "pass on" },
]

function wordOfOperation({ Put, Update, ConditionCheck }: Operation): string[] {
  if (Put) return wordOfPut(Put)
  if (Update?.UpdateExpression?.startsWith("SET head")) return ["advance"]
  const isIdle =
    ConditionCheck?.TableName === tables.events && String(ConditionCheck.Key?.sk).startsWith("EVENT#")
  return isIdle ? ["go idle"] : []
}

function wordOfPut({ TableName, Item = {} }: Part): string[] {
  const sk = String(Item.sk)
  if (TableName === tables.events) return sk.startsWith("EVENT#") ? ["event commit"] : []
  if (TableName !== tables.sessions) return []
  if (sk === "CREDS") return ["credentials commit"]
  if (sk.startsWith("CREATED#")) return [wordOfGroup(sk)]
  if (!sk.startsWith("SEND#")) return []
  if (Item.delivered !== undefined || Item.read !== undefined) return ["status commit"]
  // Of `sent.ts`.
  return [{ sent: "send commit", acked: "ack commit", failed: "refusal commit" }[String(Item.state)]!]
}

/** The groups for which this process has asked. */
const askedFor = new Set<string>()

/** The row of a group is written before the network is asked for it, and when the network has answered. */
function wordOfGroup(sk: string): string {
  const word = askedFor.has(sk) ? "group answer commit" : "group question commit"
  askedFor.add(sk)
  return word
}

/** Keys in a batch may be in DynamoDB's JSON already. */
function wordsOfBatch(asked: object): string[] {
  const text = JSON.stringify(asked)
  return batches.filter(({ table, sk }) => table in asked && text.includes(`"${sk}`)).map(({ word }) => word)
}

function wordsOfKey(table: string | undefined, sk: unknown, rows: Rows): string[] {
  return rows
    .filter((row) => row.table === table && String(sk).startsWith(row.sk))
    .slice(0, 1)
    .map(({ word }) => word)
}
