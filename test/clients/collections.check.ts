import { createRequire } from "node:module"
import { expect, test } from "vitest"
import type { Document } from "#functions/docs/openapi.ts"
import { service, shop } from "./shop.ts"

interface Item {
  name: string
  item: Item[]
}
interface Executed {
  item: { name: string }
  response?: { code: number; stream: Buffer }
}
interface Newman {
  run(
    options: object,
    done: (error: Error | null, summary: { run: { executions: Executed[] } }) => void,
  ): void
}

/** Postman's own runner of collections: `clients:check` installs it. */
const newman = createRequire(import.meta.url)("../../.data-clients/node_modules/newman") as Newman

/** What these end is needed by the others. */
const last = ["logout", "removeKey", "removeBridge"]

async function json<Of>(path: string): Promise<Of> {
  return (await (await fetch(`${service.baseUrl}${path}`)).json()) as Of
}

test("Postman sends each request of the collection, and each gets an answer that the contract knows, and no `invalid_request`", async () => {
  const document = await json<Document>("/api/openapi.json")
  const collection = await json<Item>("/api/docs/postman.json")
  const all = collection.item.flatMap(({ item }) => item).filter(({ name }) => name !== "streamLogs")
  collection.item = all.toSorted((a, b) => last.indexOf(a.name) - last.indexOf(b.name))
  const executions = await new Promise<Executed[]>((resolve, reject) => {
    const envVar = [{ key: "key", value: shop.key }]
    newman.run({ collection, envVar, timeoutRequest: 60_000 }, (error, { run }) =>
      error ? reject(error) : resolve(run.executions),
    )
  })
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  expect(executions).toHaveLength(operations.length - 1)
  for (const { item, response } of executions) {
    const operation = operations.find(({ operationId }) => operationId === item.name)!
    const said = response?.stream.toString()
    expect([item.name, response?.code]).toEqual([
      item.name,
      expect.toSatisfy((code: number) => code in operation.responses),
    ])
    expect(`${item.name}: ${said}`).not.toContain('"invalid_request"')
  }
}, 300_000)
