import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb"
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb"
import { onTestFinished } from "vitest"
import { startDynamoDb, type Options } from "#local/dynamodb/server.ts"

/** A store of this test's own and the real client, which does not repeat: faults are to be seen. */
export async function aDynamoDb(options: Options = {}) {
  const store = await startDynamoDb(options)
  const client = clientOf(store.endpoint)
  onTestFinished(async () => {
    client.destroy()
    await store.close()
  })
  return { ...store, client }
}

export function clientOf(endpoint: string) {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" }
  return DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint, region: "us-east-1", credentials, maxAttempts: 1 }),
  )
}

/** A table of `pk` and `sk` with an index `byHost` of `host` and `pk`. */
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
