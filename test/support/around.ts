/** A command of the store's client, as far as its words are looked at. */
export interface StoreCommand {
  constructor: { name: string }
  input: Part & {
    ScanIndexForward?: boolean
    Limit?: number
    TransactItems?: Operation[]
    RequestItems?: object
  }
}

interface Key {
  pk?: unknown
  sk?: unknown
}
export interface Part {
  TableName?: string
  Key?: Key
  Item?: Record<string, unknown>
  UpdateExpression?: string
  ConditionExpression?: string
  ExpressionAttributeValues?: Record<string, unknown>
}
export interface Operation {
  Put?: Part
  Delete?: Part
  Update?: Part
  ConditionCheck?: Part
}

type Send = (this: unknown, command: StoreCommand, ...rest: unknown[]) => Promise<unknown>
export type Wrap = (command: StoreCommand, go: () => Promise<unknown>) => Promise<unknown>

/** Puts something around every call of an SDK client (or of all of its kind, given the prototype). */
export function around(client: object, wrap: Wrap): void {
  const plain = Reflect.get(client, "send") as Send // of an SDK client
  const wrapped: Send = function (command, ...rest) {
    return wrap(command, () => plain.call(this, command, ...rest))
  }
  Reflect.set(client, "send", wrapped)
}
