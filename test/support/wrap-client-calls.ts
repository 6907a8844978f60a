/** A command of the store's client; only the parts that tests look at. */
export interface StoreCommand {
  name: string
  input: Part & {
    ScanIndexForward?: boolean
    Limit?: number
    TransactItems?: Operation[]
    RequestItems?: object
  }
}

/** The SDK names its commands by their classes. */
type SdkCommand = Pick<StoreCommand, "input"> & { constructor: { name: string } }

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

type Send = (this: unknown, command: StoreCommand | SdkCommand, ...rest: unknown[]) => Promise<unknown>
export type Wrap = (command: StoreCommand, go: () => Promise<unknown>) => Promise<unknown>

/**
 * Puts a wrapper around every call of the store or an SDK client (all clients of its class, given the
 * prototype).
 */
export function wrapClientCalls(client: object, wrap: Wrap): void {
  const plain = Reflect.get(client, "send") as Send // an SDK client's
  const wrapped: Send = function (command, ...rest) {
    const name = "name" in command ? command.name : command.constructor.name
    return wrap({ name, input: command.input }, () => plain.call(this, command, ...rest))
  }
  Reflect.set(client, "send", wrapped)
}
