/** Asks its parent's store for what its argument lists (a function of the store, its arguments), and prints what each gave. */
import { put, transact } from "#core/store/store.ts"

const calls = { put, transact }
const asked = JSON.parse(process.argv[2]!) as [keyof typeof calls, never][]
for (const [name, input] of asked) {
  const said = await calls[name](input).catch((error: Error) => ({ error: error.name }))
  console.log(JSON.stringify(said ?? null))
}
process.exit()
