/**
 * A store in a process of its own, which can be killed. Its arguments: the folder, and which rule is broken,
 * if any.
 */
import { CannotStart } from "#dynamodb-on-sqlite/cannot-start.ts"
import { Rows } from "#dynamodb-on-sqlite/rows/rows.ts"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import type { Break, ToStore } from "./store.ts"

const [folder, broken] = process.argv.slice(2) as [string, Break | undefined] // of store.ts

const limitPages = takeChange()
breakWrite(broken)
const store = await start()
process.send!({ endpoint: store.endpoint })

process.on("message", ({ pages }: ToStore) => {
  void limitPages(pages).then(() => process.send!({ pages }))
})
// The program that started it is gone.
process.once("disconnect", () => process.exit(2))
process.once("SIGTERM", () => {
  void store.close().then(() => process.exit(0))
})

async function start() {
  try {
    return await startDynamoDb({ at: { port: 0 }, path: folder })
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

/** Takes one rule out of the store. */
function breakWrite(rule: Break | undefined): void {
  const write = boundTo("write")
  if (rule === "early")
    Rows.prototype.write = async function (rows) {
      write(this, rows).catch(() => "it was confirmed already")
    }
  if (rule === "onward")
    Rows.prototype.write = async function (rows) {
      await write(this, rows).catch(() => "as if it had been written")
    }
}

/** The store keeps its rows to itself. @returns a function that limits how many pages their file may have */
function takeChange(): (pages: number) => Promise<void> {
  const change = boundTo("change")
  const taken = Promise.withResolvers<Rows>()
  Rows.prototype.change = async function (steps) {
    taken.resolve(this)
    await change(this, steps)
  }
  return async (pages) => {
    const limit = change(await taken.promise, [[`PRAGMA max_page_count = ${pages}`]])
    await limit.catch(() => "the limit holds, and has refused what came along with it")
  }
}

/** The method as it is now, for any rows. */
function boundTo<Name extends "write" | "change">(name: Name) {
  // A method of the class.
  const method = Object.getOwnPropertyDescriptor(Rows.prototype, name)!.value as Rows[Name]
  return (rows: Rows, ...given: Parameters<Rows[Name]>): Promise<void> =>
    Reflect.apply(method, rows, given) as Promise<void>
}
