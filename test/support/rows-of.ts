import { query, type Row } from "#core/store/store.ts"

/** The rows that a bridge has in this table, of those that begin like this. */
export async function rowsOf(table: string, bridgeId: string, prefix?: string): Promise<Row[]> {
  const rows = query({
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: prefix === undefined ? "pk = :pk" : "pk = :pk AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: {
      ":pk": `BRIDGE#${bridgeId}`,
      ...(prefix !== undefined && { ":prefix": prefix }),
    },
  })
  return await Array.fromAsync(rows)
}
