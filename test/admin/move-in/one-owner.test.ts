import "#test/support/store.ts"
import { randomInt } from "node:crypto"
import { readdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { exporting, importing, takeBack } from "#admin/move.ts"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { knownStateOf } from "#core/bridge/known-state.ts"
import { sentenceOf } from "#core/bridge/state-words.ts"
import { Lease } from "#core/lease/lease.ts"
import type { StoreWithoutHttp } from "#core/store/client.ts"
import { useStoreWithoutHttp } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aFolder, aGateway, letRest, start } from "#test/support/network/gateway.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { anAccount } from "#test/support/service/bridge.ts"
import { aDevice } from "#test/support/session/baileys-folder.ts"
import { aHost, call, eventsOfType, sendText, statusOf } from "#test/support/session/host.ts"
import { aPairedSession } from "#test/support/session/paired.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

async function moveIn(folder: string, account?: string): Promise<string> {
  const into = account ?? (await anAccount()).id
  const [row] = await importing({}).run(["baileys", folder], { account: into })
  return String(row?.imported ?? row?.here_already)
}

const connected = async (id: string) => await until(async () => (await statusOf(id)) === "connected")

test("if the old gateway runs after all, the session stops for good, sends nothing, and says which", async () => {
  const network = await aNetwork()
  const { folder, die } = await aGateway(network)
  const bob = await network.phone("Bob")
  await die()
  const id = await moveIn(folder)
  await aHost(network)
  await connected(id)

  renameSync(join(folder, "creds.json.moved"), join(folder, "creds.json"))
  const again = await start(network, folder)
  await again.open()
  await until(async () => (await statusOf(id)) === "replaced")
  expect(await (await call(id, "GET", "/status")).json()).toMatchObject({ objection: "former_gateway" })
  expect(await sendText(id, bob.number, "from here")).toMatchObject({
    status: 503,
    error: expect.stringContaining("the gateway that this number came from still runs"),
  })
  const bridge = (await Bridge.byId(id))!
  expect(sentenceOf(await knownStateOf(bridge))).toContain(
    "The gateway that this number came from still runs",
  )
  const [event] = await eventsOfType(id, "disconnected")
  expect(event).toMatchObject({ reason: "stream_replaced", detail: expect.stringContaining("still runs") })

  // Another host knows it, too, and does not throw the old gateway out.
  await Lease.stop(id, "operator")
  await Lease.wake(id, "operator")
  await until(async () => (await statusOf(id)) === "replaced")
  expect(await (await call(id, "GET", "/status")).json()).toMatchObject({ objection: "former_gateway" })
  again.close()
  await call(id, "POST", "/restart", { body: {} })
  await connected(id)
  expect(await sendText(id, bob.number, "at last")).toMatchObject({ status: 200 })
})

class PowerCut extends Error {}

/** A store behind which the power is cut: the last request is done, and its answer lost. */
function cut(answer: StoreWithoutHttp, after: number): StoreWithoutHttp {
  let asked = 0
  return async (...request) => {
    if (asked++ >= after) throw new PowerCut()
    const answered = await answer(...request)
    if (asked > after) throw new PowerCut()
    return answered
  }
}

test("power cut at any request leaves nothing that runs; repeated, it comes, once and whole", async () => {
  const { id: account } = await anAccount()
  await Account.setBridgeLimit(account, 1000)
  const names = new Set<string>()
  for (let n = 1, isDone = false; !isDone; n++) {
    const folder = aDevice(join(aFolder(), `shop-${n}`), `4917${randomInt(1e8, 1e9)}`)
    const end = useStoreWithoutHttp(cut(dynamoDb.answer, n))
    isDone = await moveIn(folder, account).then(
      () => true,
      (error: unknown) => {
        expect(error).toBeInstanceOf(PowerCut)
        return false
      },
    )
    end()
    const begun = (await Bridge.list(account)).find((one) => one.customerRef === `shop-${n}`)
    const runs = begun && (await Lease.get(begun.id))?.host === Lease.FREE
    expect([n, runs]).toEqual([n, begun && true])
    const id = await moveIn(folder, account)
    names.add(id)
    expect([n, (await rowsOf(tables.sessions, id)).length]).toEqual([n, 6])
    expect(await Lease.get(id)).toMatchObject({ host: Lease.FREE, anew: true, stopped: [] })
    expect(readdirSync(folder)).toContain("creds.json.moved")
    expect(await Bridge.list(account)).toHaveLength(n)
  }
  expect(names.size).toBe((await Bridge.list(account)).length)
}, 120_000)

test("a number leaves for a program with Baileys, goes on there, and comes back, with no key used twice", async () => {
  const network = await aNetwork()
  const { bridge, phone, host } = await aPairedSession(network)
  const bob = await network.phone("Bob")
  const { jid: group } = await network.group([bob, phone])
  for (const to of [bob.number, group]) await sendText(bridge.id, to, `from here to ${to}`)
  await bob.send(phone.number, "to here")
  await eventsOfType(bridge.id, "message", 1)

  const folder = join(aFolder(), "till")
  const [row] = await exporting({}).run(["baileys", bridge.customerRef, folder])
  expect(row).toMatchObject({ moved: bridge.id })
  expect(await Lease.get(bridge.id)).toMatchObject({ stopped: ["moved"], movedMs: expect.any(Number) })
  const waits = await bob.send(group, "waits")
  const program = await start(network, folder)
  await program.open()
  expect((await program.message("waits")).message.key.id).toBe(waits.id)
  await program.sock.sendMessage(`${bob.number}@s.whatsapp.net`, { text: "from there" })
  await bob.read({ text: "from there" })
  await expect(exporting({}).run(["baileys", bridge.id, folder])).rejects.toThrow("is there already")
  program.close()
  letRest(folder)

  const id = await moveIn(folder)
  await until(async () => (await statusOf(id)) === "connected")
  await sendText(id, bob.number, "back here")
  await bob.read({ text: "back here" })
  const noted = async (event: string) => (await network.control.log({ event })).length
  expect([
    await noted("key used twice"),
    await noted("prekey changed"),
    await noted("not decrypted"),
  ]).toEqual([0, 0, 0])
  expect(host.sessions.has(bridge.id)).toBe(false)
})

test("a bridge without a phone does not leave for Baileys: it runs as before", async () => {
  const { id: account } = await anAccount()
  const { bridge } = await Bridge.create({ accountId: account, customerRef: "empty" })
  const folder = join(aFolder(), "empty")
  await expect(exporting({}).run(["baileys", bridge.id, folder])).rejects.toThrow(
    "there is nothing to take along",
  )
  expect(await Lease.get(bridge.id)).toMatchObject({ host: Lease.FREE, stopped: [] })
  expect(readdirSync(join(folder, ".."))).toEqual([])
  await expect(takeBack.run([bridge.id])).rejects.toThrow("has not left")
})
