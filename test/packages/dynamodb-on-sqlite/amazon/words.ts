import type { Command } from "./play.ts"

/** A request, as the AWS client takes it. */
export interface Request {
  operation: Command
  input: object
}

/** What is asked in turn, by the name of the case. */
export type Cases = Record<string, Request[]>

/**
 * Stands for a text that only one case has, wherever it is the whole value: its partition key, a token, a
 * table.
 */
export const own = "own"
export const TableName = "Things"

/** A plain value; one that JavaScript has no other word for is written as `raw`. */
type Plain = string | number | boolean | null | Uint8Array | Raw | Plain[] | { [name: string]: Plain }
export type Attributes = Record<string, Plain>

class Raw {
  readonly value: object
  constructor(value: object) {
    this.value = value
  }
  toJSON() {
    return this.value
  }
}
/** A number in DynamoDB's own spelling. */
export const number = (text: string) => new Raw({ N: text })
export const raw = (value: object) => new Raw(value)
export const bytes = (...of: number[]) => Uint8Array.from(of)

export const item = (attributes: Attributes) =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, toValue(value)]))

function toValue(value: Plain): object {
  if (typeof value === "string") return { S: value }
  if (typeof value === "number") return { N: String(value) }
  if (typeof value === "boolean") return { BOOL: value }
  if (value === null) return { NULL: true }
  if (value instanceof Uint8Array) return { B: value }
  if (value instanceof Raw) return value.value
  return Array.isArray(value) ? { L: value.map(toValue) } : { M: item(value) }
}

/** What stands behind `#names` and `:values`. */
function given(placeholders: Attributes): object {
  const of = (mark: string) => Object.entries(placeholders).filter(([name]) => name.startsWith(mark))
  const [names, values] = [of("#"), of(":")]
  return {
    ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names) }),
    ...(values.length > 0 && { ExpressionAttributeValues: item(Object.fromEntries(values)) }),
  }
}

export const Key = item({ pk: own, sk: "a" })
export const keyOf = (sk: string) => item({ pk: own, sk })

/** The members of a write, alone or in a transaction. The row is `a` unless they say otherwise. */
export const aPut = (attributes: Attributes = {}, more: object = {}) => ({
  TableName,
  Item: item({ pk: own, sk: "a", ...attributes }),
  ...more,
})
export const anUpdate = (UpdateExpression: string, placeholders: Attributes = {}, more: object = {}) => ({
  TableName,
  Key,
  UpdateExpression,
  ...given(placeholders),
  ...more,
})
export const aDelete = (more: object = {}) => ({ TableName, Key, ...more })
export const condition = (ConditionExpression: string, placeholders: Attributes = {}) => ({
  ConditionExpression,
  ...given(placeholders),
})
export const tellWhy = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" }

export const ask = (operation: Command, input: object): Request => ({ operation, input })
export const put = (...of: Parameters<typeof aPut>) => ask("PutItem", aPut(...of))
/** Answers with the row as it is then. */
export const update = (expression: string, placeholders: Attributes = {}, more: object = {}) =>
  ask("UpdateItem", anUpdate(expression, placeholders, { ReturnValues: "ALL_NEW", ...more }))
export const remove = (...of: Parameters<typeof aDelete>) => ask("DeleteItem", aDelete(...of))
export const get = (sk = "a") => ask("GetItem", { TableName, Key: keyOf(sk), ConsistentRead: true })
export const transact = (TransactItems: object[], ClientRequestToken?: string) =>
  ask("TransactWriteItems", { TransactItems, ClientRequestToken })
export const query = (KeyConditionExpression: string, placeholders: Attributes = {}, more: object = {}) =>
  ask("Query", {
    TableName,
    KeyConditionExpression: `pk = :own${KeyConditionExpression}`,
    ...given({ ":own": own, ...placeholders }),
    ...more,
  })
