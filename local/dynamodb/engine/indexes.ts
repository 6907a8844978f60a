import scan from "dynalite/actions/scan.js"
import * as dynalite from "dynalite/db/index.js"
import type { Item, Store, Table } from "dynalite/db/index.js"
import { z } from "zod"
import { act, tableOf } from "./draft.ts"

const Index = z.looseObject({
  IndexName: z.string(),
  KeySchema: z.array(z.looseObject({ AttributeName: z.string() })),
})

/** An UpdateTable that adds and removes global indexes. dynalite's own handles only changes of throughput. */
export const ChangeOfIndexes = z.object({
  TableName: z.string(),
  AttributeDefinitions: z.array(z.unknown()),
  GlobalSecondaryIndexUpdates: z.array(
    z.union([
      z.strictObject({ Create: Index }),
      z.strictObject({ Delete: z.object({ IndexName: z.string() }) }),
    ]),
  ),
})

/** Resolves when the new indexes hold what the table does. Nobody may write to the table meanwhile. */
export async function changeIndexes(
  store: Store,
  change: z.infer<typeof ChangeOfIndexes>,
): Promise<{ TableDescription: Table }> {
  const table = await tableOf(store, change.TableName)
  const changes = change.GlobalSecondaryIndexUpdates
  const gone = changes.flatMap((one) => ("Delete" in one ? [one.Delete.IndexName] : []))
  const added = changes.flatMap((one) => ("Create" in one ? [{ ...one.Create, IndexStatus: "ACTIVE" }] : []))
  const kept = (table.GlobalSecondaryIndexes ?? []).filter(({ IndexName }) => !gone.includes(IndexName))
  const described = { ...table, AttributeDefinitions: change.AttributeDefinitions }

  for (const name of gone) await called((done) => store.deleteIndexDb("Global", table.TableName, name, done))
  await fill(store, { ...described, GlobalSecondaryIndexes: added })
  const changed = { ...described, GlobalSecondaryIndexes: [...kept, ...added] }
  await called((done) => store.tableDb.put(table.TableName, changed, done))
  return { TableDescription: changed }
}

/** Writes every item of the table into its new indexes. */
async function fill(store: Store, table: Table): Promise<void> {
  const Page = z.object({ Items: z.array(z.custom<Item>()), LastEvaluatedKey: z.custom<Item>().optional() })
  let from: Item | undefined
  do {
    const page = Page.parse(
      await act(scan, store, { TableName: table.TableName, ...(from && { ExclusiveStartKey: from }) }),
    )
    for (const item of page.Items)
      await called((done) => dynalite.updateIndexes(store, table, undefined, item, done))
    from = page.LastEvaluatedKey
  } while (from)
}

function called(call: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())))
}
