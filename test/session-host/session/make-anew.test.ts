import "#test/support/store.ts"
import { expect, test } from "vitest"
import { markRestored } from "#core/bridge/after-restore.ts"
import { EventRow } from "#core/event/event-row.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import { Lease } from "#core/lease/lease.ts"
import { batchWrite, type Row } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aChat } from "#test/support/session/chat.ts"
import { aHost, sendText, statusOf } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

/** The rows of a bridge that sessions and deliveries write. */
async function allRowsOf(bridgeId: string): Promise<{ table: string; row: Row }[]> {
  const all = [tables.sessions, tables.events, tables.leases].map(async (table) =>
    (await rowsOf(table, bridgeId)).map((row) => ({ table, row })),
  )
  return (await Promise.all(all)).flat()
}

/** The numbers of a bridge's events, with the ids of the messages that they tell of. */
async function told(bridgeId: string): Promise<{ n: number; id: unknown }[]> {
  const keys = await DataKeys.get(bridgeId)
  const rows = (await allRowsOf(bridgeId)).filter(({ row }) => String(row.sk).startsWith("EVENT#"))
  return rows.map(({ row }) => {
    const event = EventRow.fromRow(row)
    return { n: event.n, id: JSON.parse(EventRow.bodyOf(event, keys!.delivery).toString()).message_id }
  })
}

/**
 * A bridge that has talked with Bob and a group, whose rows were copied, which then has talked on, and whose
 * rows are those of the copy again. Messages to it wait on the network.
 */
async function aBridgeFromACopy() {
  const { network, bob, phone, bridge, host } = await aChat()
  const { id } = bridge
  const { jid: group } = await network.group([bob, phone])
  let rounds = 0

  /** Both write to each other and into the group, and read what the other has written. */
  async function talk(): Promise<void> {
    const round = ++rounds
    for (const to of [bob.number, group])
      expect(await sendText(id, to, `${round} to ${to}`)).toMatchObject({ status: 200 })
    for (const to of [bob.number, group]) await bob.read({ text: `${round} to ${to}` })
    await arrived(await written())
  }

  /** Bob writes to the bridge's phone and into the group. */
  async function written(): Promise<string[]> {
    const sent = [await bob.send(phone.number, "to her"), await bob.send(group, "to them")]
    return sent.map((one) => one.id)
  }

  async function arrived(ids: string[]): Promise<void> {
    await until(async () => {
      const all = await told(id)
      return ids.every((one) => all.some((event) => event.id === one))
    })
  }

  const numbers = async () => (await told(id)).map(({ n }) => n)
  const deviceIds = async () => (await network.control.phone(phone.number)).devices.map((one) => one.id)
  const noted = async (event: string) => (await network.control.log({ event })).length

  await talk()
  const copiedMs = Date.now()
  const copy = await allRowsOf(id)
  for (let n = 0; n < 3; n++) await talk()
  const last = Math.max(...(await numbers()))
  const linked = await deviceIds()
  await host.stop()
  const waiting = await written()
  await batchWrite(
    (await allRowsOf(id)).map(({ table, row: { pk, sk } }) => ({
      table,
      remove: { pk: String(pk), sk: String(sk) },
    })),
  )
  await batchWrite(copy)
  return {
    id,
    copiedMs,
    last,
    talk,
    waitingArrived: () => arrived(waiting),
    numbers,
    isAsLinked: async () => expect(await deviceIds()).toEqual(linked),
    keysUsedTwice: async () => [await noted("key used twice"), await noted("prekey changed")],
    unread: async () => (await network.control.log({ event: "not decrypted" })).length,
    connected: async () => {
      await aHost(network)
      await until(async () => (await statusOf(id)) === "connected")
    },
  }
}

test("a session with keys from a copy uses none twice, is not linked again, and reads what waits for it", async () => {
  const bridge = await aBridgeFromACopy()
  const before = new Set(await bridge.numbers())
  expect(await markRestored(bridge.id, bridge.copiedMs)).toBe(true)
  await bridge.connected()
  await bridge.waitingArrived()
  await bridge.talk()

  expect(await bridge.keysUsedTwice()).toEqual([0, 0])
  expect(await bridge.unread()).toBe(0)
  await bridge.isAsLinked()
  const fresh = (await bridge.numbers()).filter((n) => !before.has(n))
  expect(Math.min(...fresh)).toBeGreaterThan(bridge.last + 1000)
  expect((await Lease.get(bridge.id))?.anew).toBeUndefined()
})

test("without that, the network sees keys used twice", async () => {
  const bridge = await aBridgeFromACopy()
  await Lease.stop(bridge.id, "operator")
  await Lease.wake(bridge.id, "operator")
  await bridge.connected()
  await bridge.talk()
  expect((await bridge.keysUsedTwice())[0]).toBeGreaterThan(0)
})
