import { query } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import type { LinkedBridge } from "../cluster/linked-cluster.ts"
import type { Evidence } from "./evidence.ts"

/** The largest row of each bridge's session, as it lies in the store. */
export async function largestRows(lines: LinkedBridge[]): Promise<Evidence["rows"]> {
  const found: Evidence["rows"] = []
  for (const { bridge, id } of lines) {
    const rows = query({
      TableName: tables.sessions,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :bridge",
      ExpressionAttributeValues: { ":bridge": `BRIDGE#${id}` },
    })
    let largest = { bridge, name: "", bytes: 0 }
    for await (const { sk, sealed } of rows) {
      const bytes = sealed instanceof Uint8Array ? sealed.length : 0
      if (bytes > largest.bytes) largest = { bridge, name: kindOf(String(sk)), bytes }
    }
    found.push(largest)
  }
  return found
}

/** Without whose it is. */
function kindOf(sk: string): string {
  return sk.split("#").slice(0, 3).join("#")
}
