import { spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import type { DynamoDb } from "#dynamodb-on-sqlite/server.ts"

/** What a test is told that controls the embedded store, or looks into it, while there is another. */
export const looksIntoTheStore = "this looks into the embedded store, and another stands in its place"

/**
 * Starts another DynamoDB on this machine, in memory, from its program (dynoxide's command line).
 * @returns what leads to it; all that only the embedded store can do throws `looksIntoTheStore`
 */
export async function startOtherStore(program: string, port: number): Promise<DynamoDb> {
  const args = ["serve", "--host", "127.0.0.1", "--port", String(port)]
  const server = spawn(program, args, { stdio: "ignore" })
  const ended = once(server, "exit")
  const endpoint = `http://127.0.0.1:${port}`
  while (!(await answers(endpoint))) {
    if (server.exitCode !== null) throw new Error(`${program} ended with ${server.exitCode}`)
    await sleep(20)
  }
  const there: Pick<DynamoDb, "endpoint" | "close"> = {
    endpoint,
    close: async () => {
      server.kill()
      await ended
    },
  }
  return new Proxy(there as DynamoDb, {
    get: (store, name) => {
      // A promise's value is asked for it.
      if (name in store || name === "then") return store[name as keyof DynamoDb]
      throw new Error(looksIntoTheStore)
    },
  })
}

async function answers(endpoint: string): Promise<boolean> {
  return await fetch(endpoint).then(
    () => true,
    () => false,
  )
}
