import type { StoreCommand } from "./words.ts"

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
