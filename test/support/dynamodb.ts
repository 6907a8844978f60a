import { randomUUID } from "node:crypto"
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb"
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb"
import postgres from "postgres"
import { onTestFinished } from "vitest"
import { type DynamoDb, startDynamoDb, type Options } from "#dynamodb-on-sqlite/server.ts"
import { closeAtEnd } from "./sharing/close-leftovers.ts"

/** A store for this test alone, and the real client, without retries so that faults can be seen. */
export async function aDynamoDb(options: Options = {}) {
  const store = await startDynamoDb({ at: { port: 0 }, ...(await onPostgres()), ...options })
  const client = isHere ? clientHere(store) : clientOf(store.endpoint)
  onTestFinished(async () => {
    client.destroy()
    await store.close()
  })
  return { ...store, client }
}

/**
 * While there is a `POSTGRES_URL` (`npm run postgres:check`), each store keeps its rows there, in a schema of
 * its own.
 */
async function onPostgres(): Promise<Pick<Options, "postgres">> {
  const { POSTGRES_URL: url } = process.env
  return url === undefined ? {} : { postgres: { url: await newSchema(url), service: "test" } }
}

/** The URL of a new, empty schema there. */
export async function newSchema(url: string): Promise<string> {
  const name = `s${randomUUID().replaceAll("-", "")}`
  const sql = postgres(url, { max: 1 })
  await sql.unsafe(`CREATE SCHEMA ${name}`)
  await sql.end()
  return `${url}?search_path=${name}`
}

const own = {
  region: "us-east-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
  maxAttempts: 1,
}

export function clientOf(endpoint: string) {
  return DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, ...own }))
}

let isHere = false

/** Until its file ends `aDynamoDb` is asked within this process instead of over HTTP. */
export function askHere(): void {
  isHere = true
  closeAtEnd(async () => {
    isHere = false
  })
}

function clientHere({ answer }: DynamoDb) {
  async function handle({ headers, body }: { headers: Record<string, string>; body: Uint8Array }) {
    const operation = String(headers["x-amz-target"]).split(".").at(-1)!
    const said = await answer(operation, JSON.parse(new TextDecoder().decode(body)) as object)
    const bytes = Buffer.from(JSON.stringify(said.body))
    return { response: { statusCode: said.status, headers: {}, body: bytes } }
  }
  return DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint: "http://127.0.0.1:1", ...own, requestHandler: { handle } as never }),
  )
}

/** A table with `pk` and `sk`, and an index `byHost` on `host` and `pk`. */
export function aTable(client: DynamoDBDocumentClient, name = "Things") {
  const strings = ["pk", "sk", "host"]
  return client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: strings.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: "byHost",
          KeySchema: [
            { AttributeName: "host", KeyType: "HASH" },
            { AttributeName: "pk", KeyType: "RANGE" },
          ],
          Projection: { ProjectionType: "ALL" },
        },
      ],
    }),
  )
}
