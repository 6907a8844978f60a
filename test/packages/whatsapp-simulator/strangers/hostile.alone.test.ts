import { afterAll, beforeAll, expect, test } from "vitest"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import { until } from "#test/support/until.ts"
import { aNetwork, deviceOf, type Network } from "../../../support/network/network.ts"
import { aLinkedDevice, texts } from "../../../support/session/linked-device.ts"

let network: Network

beforeAll(async () => {
  network = await aNetwork()
  trustRoot(network.rootKey)
})
afterAll(() => network.close())

test("a reader of a text that leaves others out keeps a key for each of those", async () => {
  const { ada, bob, client } = await network.chat()
  const jump = (fresh: boolean) =>
    network.control.jump(bob.number, { to: ada.number, count: 2, skipped: 30, fresh })
  const kept = async () => {
    const name = `${bob.lid.split("@")[0]}_1.0`
    const { [name]: record } = await client.device.keys.get("session", [name])
    const { _sessions: sessions } = record as unknown as Record_
    const chains = Object.values(sessions).map(({ _chains }) => Object.values(_chains))
    return chains.map((some) =>
      some.reduce((sum, { messageKeys }) => sum + Object.keys(messageKeys).length, 0),
    )
  }
  await jump(false)
  await client.until("both", () => readBy(client, "30 were left out") === 2 || undefined)
  expect(await kept()).toEqual([60])
  await jump(true)
  await client.until("all four", () => readBy(client, "30 were left out") === 4 || undefined)
  expect(await kept()).toEqual([60, 30, 30])
})

test("in a group, too", async () => {
  const { ada, bob, client } = await network.chat()
  const { jid } = await network.group([bob, ada])
  const { ids } = await network.control.jump(bob.number, { to: jid, count: 2, skipped: 30 })
  expect(ids).toHaveLength(3)
  await client.until("both", () => readBy(client, "30 were left out") === 2 || undefined)
  const name = `${jid}::${bob.lid.split("@")[0]}_1::0`
  const { [name]: record } = await client.device.keys.get("sender-key", [name])
  const [state] = JSON.parse(Buffer.from(record as Uint8Array).toString()) as [
    { senderMessageKeys: unknown[] },
  ]
  expect(state.senderMessageKeys.length).toBeGreaterThanOrEqual(60)
})

test("a client refuses to leave out more than two thousand", async () => {
  const { ada, bob, client } = await network.chat()
  await network.control.jump(bob.number, { to: ada.number, skipped: 2001, fresh: true })
  await network.log({ who: deviceOf(client), kind: "in", tag: "receipt", attrs: { type: "retry" } })
  expect(readBy(client, "2001 were left out")).toBe(0)
})

test.for(["texts", "garbage", "unreadable", "calls", "receipts", "retries"] as const)(
  "a device is sent as many %s as are wanted",
  async (kind) => {
    const { ada, bob, device, connection } = await aLinkedDevice(network)
    const { ids } = await network.control.flood(bob.number, { to: ada.number, kind, count: 30 })
    expect(new Set(ids).size).toBe(30)
    const tag = { calls: "call", receipts: "receipt", retries: "receipt" }[kind as string] ?? "message"
    const from = new RegExp(`^${bob.lid.split("@")[0]}\\D`)
    const came = await network.control.log({ who: device, kind: "out", tag })
    const senders = came.map(({ stanza }) => stanza?.attrs.from ?? "")
    // The client asks again for a message that it cannot read.
    expect(senders.filter((each) => from.test(each)).length).toBeGreaterThanOrEqual(30)
    connection.close()
  },
)

test("statuses, too", async () => {
  const { ada, bob, vault, connection } = await aLinkedDevice(network)
  const viewers = [ada.number]
  await network.control.flood(bob.number, { to: "status@broadcast", kind: "texts", count: 30, viewers })
  await until(() => texts(vault).includes("number 30"))
  expect(texts(vault)).toHaveLength(30)
  connection.close()
})

test("stanzas that are built wrongly come in turn, and a host lives on", async () => {
  const { ada, bob, device, vault, connection } = await aLinkedDevice(network)
  const before = (await network.control.log({ who: device, kind: "out" })).length
  await network.control.flood(bob.number, { to: ada.number, kind: "malformed", count: 140 })
  expect((await network.control.log({ who: device, kind: "out" })).length).toBeGreaterThanOrEqual(
    before + 140,
  )
  await bob.send(ada.number, "still there?")
  await until(() => texts(vault).includes("still there?"))
  expect(connection.happenings.some(({ kind }) => kind === "closed")).toBe(false)
  connection.close()
})

/** As libsignal writes a record down. */
interface Record_ {
  _sessions: Record<string, { _chains: Record<string, { messageKeys: object }> }>
}

function readBy({ messages }: Awaited<ReturnType<typeof network.paired>>, text: string): number {
  return messages.filter(
    ({ message: { message } }) => (message?.conversation ?? message?.extendedTextMessage?.text) === text,
  ).length
}
