/** A command of the store's client, as far as its words are looked at. */
export interface StoreCommand {
  constructor: { name: string }
  input: {
    TableName?: string
    Key?: Key
    Item?: Key
    UpdateExpression?: string
    ConditionExpression?: string
    ScanIndexForward?: boolean
    TransactItems?: Operation[]
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
}
export interface Operation {
  Put?: Part
  Delete?: Part
  Update?: Part & { UpdateExpression?: string }
  ConditionCheck?: Part & { ConditionExpression?: string }
}

type Send = (this: unknown, command: StoreCommand, ...rest: unknown[]) => Promise<unknown>
type Wrap = (command: StoreCommand, go: () => Promise<unknown>) => Promise<unknown>

/** Puts something around every call of an SDK client (or of all of its kind, given the prototype). */
export function around(client: object, wrap: Wrap): void {
  const plain = Reflect.get(client, "send") as Send // of an SDK client
  const wrapped: Send = function (command, ...rest) {
    return wrap(command, () => plain.call(this, command, ...rest))
  }
  Reflect.set(client, "send", wrapped)
}
