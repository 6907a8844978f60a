export * as MoveApiKey from "./move-api-key.ts"

import { z } from "zod"
import { getRow, transact } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { ApiKey } from "./api-key.ts"
import { pepperOf, sealedPepper } from "./pepper.ts"

/** A key on its way to another service, where it opens the same account. */
export const Info = z.object({
  row: ApiKey.Stored.omit({ account_id: true, hmac: true, pepper: true, last_used_at: true }),
  hmac: z.base64(),
  pepper: z.base64(),
})
export type Info = z.infer<typeof Info>

/** The keys of an account, for another service. */
export async function leaving(accountId: string): Promise<Info[]> {
  const found: Info[] = []
  for (const { keyId } of await ApiKey.list(accountId)) {
    const row = await getRow(tables.accounts, ApiKey.rowKey(keyId))
    if (!row) continue
    const stored = ApiKey.Stored.parse(row)
    const [hmac, pepper] = [stored.hmac, pepperOf(keyId, ApiKey.rowKey(keyId), stored.pepper)].map((bytes) =>
      Buffer.from(bytes).toString("base64"),
    )
    found.push(Info.parse({ row, hmac, pepper }))
  }
  return found
}

/** A key that comes from another service. One that is here already stays as it is. */
export async function arrive(accountId: string, { row, hmac: given, pepper }: Info): Promise<void> {
  const at = ApiKey.rowKey(row.key_id)
  const sealed = sealedPepper(at, Buffer.from(pepper, "base64"))
  const about = { account_id: accountId, hmac: Buffer.from(given, "base64"), pepper: sealed }
  await transact([
    {
      Put: {
        TableName: tables.accounts,
        Item: { ...at, ...row, ...about },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    { Put: { TableName: tables.accounts, Item: { ...ApiKey.listKey(accountId, row.key_id), ...row } } },
  ])
}
