import "#test/support/store.ts"
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { importing } from "#admin/move.ts"
import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { refOfName } from "#core/bridge/ref-of-name.ts"
import { Lease } from "#core/lease/lease.ts"
import { aFolder, aGateway, letRest } from "#test/support/network/gateway.ts"
import { aNetwork, deviceOf, type Network } from "#test/support/network/network.ts"
import { anAccount } from "#test/support/service/bridge.ts"
import { aHost, eventsOfType, sendText, statusOf } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

const moveIn = async (kind: string, folder: string) => {
  const { id } = await anAccount()
  return await importing({}).run([kind, folder], { account: id })
}

/** How often the network has seen a key used twice, a prekey changed, and a message that was not read. */
async function wrongs(network: Network): Promise<number[]> {
  const noted = async (event: string) => (await network.control.log({ event })).length
  return [await noted("key used twice"), await noted("prekey changed"), await noted("not decrypted")]
}

test("a number of a killed Baileys goes on here: what waited comes in order, and no key is used twice", async () => {
  const network = await aNetwork()
  const { phone, folder, send, die } = await aGateway(network)
  const bob = await network.phone("Bob")
  const { jid: group } = await network.group([bob, phone])
  const talk = async (round: number) => {
    await send(bob.number, `${round} to Bob`)
    await bob.read({ text: `${round} to Bob` })
    await bob.send(phone.number, `${round} from Bob`)
    await bob.send(group, `${round} to all`)
  }
  await talk(1)
  // A copy that is behind what was sent: it was killed before it had written that.
  const behind = join(aFolder(), "shop")
  cpSync(folder, behind, { recursive: true })
  await talk(2)
  await die()
  letRest(behind)
  const waiting: string[] = []
  for (let n = 0; n < 5; n++) waiting.push((await bob.send(n % 2 ? group : phone.number, `waits ${n}`)).id)

  const [row] = await moveIn("baileys", behind)
  expect(row).toMatchObject({ customer_ref: "shop", was: "shop" })
  const id = String(row?.imported)
  await aHost(network)
  await until(async () => (await statusOf(id)) === "connected")
  await until(async () =>
    (await eventsOfType(id, "message")).some((event) => event.message_id === waiting.at(-1)),
  )
  const came = (await eventsOfType(id, "message")).map((event) => event.message_id)
  expect(came.filter((one) => waiting.includes(one))).toEqual(waiting)
  expect(await sendText(id, bob.number, "from here")).toMatchObject({ status: 200 })
  expect(await sendText(id, group, "to all from here")).toMatchObject({ status: 200 })
  await bob.read({ text: "from here" })
  await bob.read({ text: "to all from here" })
  expect(await wrongs(network)).toEqual([0, 0, 0])
  expect((await Lease.get(id))?.anew).toBeUndefined()
  expect(await BridgesOfPhone.find(phone.number)).toMatchObject([{ bridgeId: id }])
  expect(existsSync(join(behind, "creds.json"))).toBe(false)
  expect(JSON.parse(readFileSync(join(behind, "creds.json.moved"), "utf8"))).toHaveProperty("noiseKey")
  expect(readdirSync(behind).length).toBeGreaterThan(500)
})

test("what the old program has read, and died before it said so, is asked for once more and comes once", async () => {
  const network = await aNetwork()
  const { phone, folder, client, die } = await aGateway(network)
  const bob = await network.phone("Bob")
  await bob.send(phone.number, "hello")
  await client.message("hello")
  const { jid: group } = await network.group([bob, phone])
  await bob.send(group, "hello all")
  await client.message("hello all")
  await network.control.settled(deviceOf(client), 10_000)
  const settleAgain = await network.fault({ kind: "unsettled", device: deviceOf(client) })
  const read: string[] = []
  for (const to of [phone.number, group]) read.push((await bob.send(to, `read, and not said, ${to}`)).id)
  for (const id of read)
    await network.control.log({ kind: "in", tag: "receipt", attrs: { id }, wait: 10_000 })
  await die()
  await settleAgain()
  const { id: waiting } = await bob.send(phone.number, "waits")

  const [row] = await moveIn("baileys", folder)
  const id = String(row?.imported)
  await Lease.choose(id, { events: ["message"], ignore: [] })
  await aHost(network)
  const came = async () => (await eventsOfType(id, "message")).map((event) => event.message_id)
  await until(async () => (await came()).length >= 3)
  expect((await came()).toSorted()).toEqual([...read, waiting].toSorted())
  expect(await wrongs(network)).toEqual([0, 0, 0])
})

test("WAHA's session `default` becomes the bridge that programs of WAHA's mean by it", async () => {
  const { folder, die } = await aGateway(await aNetwork())
  await die()
  const noweb = join(aFolder(), "noweb")
  cpSync(folder, join(noweb, "default"), { recursive: true })
  letRest(join(noweb, "default"))
  const [row] = await moveIn("waha", noweb)
  expect(row).toMatchObject({ customer_ref: refOfName("default"), was: "default" })
})
