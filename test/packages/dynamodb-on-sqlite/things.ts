import { GetCommand, PutCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb"
import type { DynamoDBDocumentClient, TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb"
import type { Options } from "#dynamodb-on-sqlite/server.ts"
import { aDynamoDb, aTable } from "#test/support/dynamodb.ts"

export const TableName = "Things"
export type Member = NonNullable<TransactWriteCommandInput["TransactItems"]>[number]
export type Item = Record<string, unknown>

export const keyOf = (pk: string) => ({ pk, sk: "THING" })

/** A store with one table, and shortcuts for these tests' requests. */
export async function aStoreOfThings(options: Options = {}) {
  const store = await aDynamoDb(options)
  await aTable(store.client)
  return { ...store, ...wordsFor(store.client) }
}

export function wordsFor(client: DynamoDBDocumentClient) {
  return {
    put: (pk: string, item: Item = {}) =>
      client.send(new PutCommand({ TableName, Item: { ...keyOf(pk), ...item } })),

    get: async (pk: string) => {
      const answer = await client.send(new GetCommand({ TableName, Key: keyOf(pk), ConsistentRead: true }))
      return answer.Item
    },

    transact: (members: Member[], ClientRequestToken?: string) =>
      client.send(new TransactWriteCommand({ TransactItems: members, ClientRequestToken })),

    /** The keys of this host's things, by the index. */
    ofHost: async (host: string) => {
      const answer = await client.send(
        new QueryCommand({
          TableName,
          IndexName: "byHost",
          KeyConditionExpression: "host = :host",
          ExpressionAttributeValues: { ":host": host },
        }),
      )
      return (answer.Items ?? []).map((item) => String(item.pk))
    },
  }
}

export const putting = (pk: string, item: Item = {}): Member => ({
  Put: { TableName, Item: { ...keyOf(pk), ...item } },
})

/** Creates a thing only if it does not exist. */
export const creating = (pk: string, item: Item = {}): Member => ({
  Put: {
    TableName,
    Item: { ...keyOf(pk), ...item },
    ConditionExpression: "attribute_not_exists(pk)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  },
})

export const adding = (pk: string, amount: number): Member => ({
  Update: {
    TableName,
    Key: keyOf(pk),
    UpdateExpression: "ADD n :amount",
    ExpressionAttributeValues: { ":amount": amount },
  },
})
