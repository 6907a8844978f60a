import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { configure } from "#core/platform/config.ts"
import type { Stage } from "./scene.ts"

const count = 10_000

/**
 * Gives the operator's account ten thousand numbers, in the store itself, and opens their list. Comes last:
 * all other pages would have them, too.
 * @returns seconds until a hundred of them are on the page with the counts of all, and until the page's first
 * look has put those with troubles first
 */
export async function manyNumbers({ service, base, page }: Stage, bridgeId: string) {
  // The store's address is read when it is asked first.
  configure({ ...process.env, ...service.environment })
  const [{ Account }, { Bridge }, { Delivery }, { Lease }, { batchWrite, getRow, updateRow }, { tables }] =
    await Promise.all([
      import("#core/account/account.ts"),
      import("#core/bridge/bridge.ts"),
      import("#core/event/delivery.ts"),
      import("#core/lease/lease.ts"),
      import("#core/store/store.ts"),
      import("#core/store/tables.ts"),
    ])
  const like = (await Bridge.byId(bridgeId))!
  const rows = await Promise.all([
    getRow(tables.accounts, Bridge.key(like.accountId, like.customerRef)),
    getRow(tables.leases, Lease.key(like.id)),
    getRow(tables.events, Delivery.key(Delivery.first(like.id))),
  ])
  const [bridge, lease, delivery] = rows.map((row) => row!)
  const made = Array.from({ length: count }, (_, i) => ({ id: randomUUID(), ref: `number-${i}` }))
  // No host is to take them.
  const stopped = { host: Lease.STOPPED, stopped: ["customer"], addr: "" }
  await batchWrite(
    made.flatMap(({ id, ref }) => [
      { table: tables.accounts, row: { ...bridge, id, customer_ref: ref, sk: `BRIDGE#${ref}` } },
      { table: tables.leases, row: { ...lease, ...stopped, pk: `BRIDGE#${id}` } },
      { table: tables.events, row: { ...delivery, pk: `BRIDGE#${id}` } },
    ]),
  )
  await updateRow({
    TableName: tables.accounts,
    Key: Account.key(like.accountId),
    UpdateExpression: "ADD bridges :more",
    ExpressionAttributeValues: { ":more": count },
  })
  const rowsShown = `document.querySelectorAll("tr[id^=number-]").length >= 100`
  const counted = `${rowsShown} && document.body.textContent.includes("Down (")`
  const numbers_10000_ordered_s = await opened(counted)
  await sleep(1000)
  const numbers_10000_s = await opened(counted)
  return { numbers_10000_s, numbers_10000_ordered_s }

  async function opened(condition: string): Promise<number> {
    const start = performance.now()
    await page.goto(`${base}/numbers`, { waitUntil: "domcontentloaded" })
    await page.waitForFunction(condition, { polling: 20, timeout: 60_000 })
    return Math.round((performance.now() - start) / 10) / 100
  }
}
