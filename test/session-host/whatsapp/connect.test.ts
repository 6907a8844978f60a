import { setImmediate as nextTurn } from "node:timers/promises"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import { inTransmission } from "#session-host/whatsapp/send/transmission.ts"
import { aNetwork, type Network } from "#test/support/network/network.ts"
import { aScriptedNetwork } from "#test/support/network/scripted-network.ts"
import { aLinkedDevice, outgoing, texts } from "#test/support/session/linked-device.ts"
import { aConnection } from "#test/support/session/recorded-connection.ts"
import { aTransmission } from "#test/support/session/transmission.ts"
import { aVault } from "#test/support/session/vault.ts"
import { until } from "#test/support/until.ts"

let network: Network

beforeAll(async () => {
  network = await aNetwork()
  trustRoot(network.rootKey)
})

afterAll(() => network.close())

test("it pairs by a code, is told to restart, opens, and texts both ways", async () => {
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  const vault = aVault()

  const linking = aConnection({ url: network.url, vault })
  const code = await linking.happens("qr")
  expect(Math.abs(code.expiresAt - 60 - Date.now() / 1000)).toBeLessThan(5)
  await ada.scan(code.text)
  expect((await linking.happens("closed")).reason).toBe("restart")
  expect(linking.happenings.map(({ kind }) => kind)).toEqual(["qr", "paired", "closed"])

  const connection = aConnection({ url: network.url, vault })
  const { me } = await connection.happens("open")
  expect(me).toMatchObject({ jid: ada.jid, lid: ada.lid, phone: ada.number })

  const message = outgoing(bob.jid, "hello Bob")
  const { timestamp } = await connection.send(message)
  expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(60)
  const read = { id: message.messageId, from: ada.number, times: 1 }
  expect(await bob.read({ text: "hello Bob" })).toMatchObject([read])

  await bob.send(ada.number, "hello Ada")
  await expect.poll(() => texts(vault)).toEqual(["hello Ada"])
  expect(vault.taken().at(-1)?.attrs).toMatchObject({ from: bob.lid, sender_pn: bob.jid, notify: "Bob" })
  connection.close()
})

test("a code that is typed on the phone at the end of its three minutes links", async () => {
  const ada = await network.phone()
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
  const linking = aConnection({ url: network.url, vault: aVault() })
  try {
    await linking.happens("qr")
    const code = await linking.linkCode(ada.number)
    await vi.advanceTimersByTimeAsync(179_000)
    await ada.typeCode(code)
    expect((await linking.happens("closed")).reason).toBe("restart")
  } finally {
    vi.useRealTimers()
    linking.close()
  }
})

test("the network hears that it is paired only when the credentials are kept", async () => {
  const ada = await network.phone()
  const vault = aVault()
  const linking = aConnection({ url: network.url, vault })
  const { text } = await linking.happens("qr")
  const release = vault.hold()
  const signatures = async () =>
    JSON.stringify(await network.call("GET", "/log?kind=in&tag=iq")).split("pair-device-sign").length
  const before = await signatures()
  const scanning = ada.scan(text)
  // The account is in what waits to become durable.
  await expect.poll(() => vault.changes.some(({ creds }) => creds?.includes(ada.number))).toBe(true)
  expect(await signatures()).toBe(before)
  expect(linking.happenings.map(({ kind }) => kind)).toEqual(["qr"])

  release()
  await scanning
  await linking.happens("closed")
  expect(await signatures()).toBe(before + 1)
  expect(vault.creds).toContain(ada.number)
})

test("a connection that is dialled in the course of a message that was given up sends all the same", async () => {
  const { vault, connection } = await aLinkedDevice(network)
  connection.close()
  const message = aTransmission()
  message.giveUp(new Error("its connection was lost"), false)
  const next = inTransmission(message, () => aConnection({ url: network.url, vault }))
  expect(await next.happens("open")).toMatchObject({ kind: "open" })
  next.close()
})

test("another login of the same device replaces the connection", async () => {
  const { vault, connection } = await aLinkedDevice(network)
  const second = aConnection({ url: network.url, vault })
  expect((await connection.happens("closed")).reason).toBe("replaced")
  await second.happens("open")
  second.close()
})

test.for([
  ["device_removed", "logged_out"],
  ["replaced", "replaced"],
  ["restart", "restart"],
  ["unavailable", "lost"],
  ["cut", "lost"],
] as const)("a connection ended by %s is %s", async ([how, reason]) => {
  const { connection, device } = await aLinkedDevice(network)
  await network.control.end(device, how)
  expect((await connection.happens("closed")).reason).toBe(reason)
})

test("a device that the network does not know is logged out", async () => {
  const { vault, connection } = await aLinkedDevice(network)
  connection.close()
  const stranger = await aNetwork()
  trustRoot(stranger.rootKey)
  try {
    const refused = aConnection({ url: stranger.url, vault })
    expect((await refused.happens("closed")).reason).toBe("logged_out")
  } finally {
    trustRoot(network.rootKey)
    await stranger.close()
  }
})

test("a logout removes the device from the account", async () => {
  const { ada, connection } = await aLinkedDevice(network)
  await connection.logout()
  expect((await connection.happens("closed")).reason).toBe("logged_out")
  const { devices } = await network.control.phone(ada.number)
  expect(devices.filter(({ id }) => id === 1)).toEqual([])
})

test("an upgrade that is answered by HTTP ends the connection", async () => {
  await network.fault({ kind: "refuse_upgrade", times: 1 })
  const connection = aConnection({ url: network.url, vault: aVault() })
  expect(await connection.happens("closed")).toMatchObject({
    reason: "lost",
    detail: "HTTP 503 to the upgrade",
  })
})

test("a connection without a server ends", async () => {
  const scripted = await aScriptedNetwork()
  await scripted.close()
  const connection = aConnection({ url: scripted.url, vault: aVault() })
  expect((await connection.happens("closed")).reason).toBe("lost")
})

test("it knows the phone number behind a LID it has met, and none behind a stranger's", async () => {
  const { bob, connection } = await aLinkedDevice(network)
  expect(await connection.phonesOf([bob.lid])).toEqual(new Map())
  expect(await connection.registered([bob.number, "19999999999"])).toEqual(
    new Map([[bob.number, { jid: bob.jid, lid: bob.lid, isBusiness: false, verifiedName: "" }]]),
  )
  expect(await connection.phonesOf([bob.lid])).toEqual(new Map([[bob.lid, bob.jid]]))
  connection.close()
})

test("a caller on a socket that breaks hears of it after the session has: it is not an error of ours", async () => {
  const { connection, device, ada } = await aLinkedDevice(network)
  const asked: { failed: boolean; over: boolean }[] = []
  const ask = async () => {
    const failed = await connection.watch(ada.jid).then(
      () => false,
      () => true,
    )
    asked.push({ failed, over: connection.happenings.some(({ kind }) => kind === "closed") })
  }
  const asking = (async () => {
    while (!asked.some(({ failed }) => failed)) {
      await ask()
      await nextTurn()
    }
  })()
  await network.control.end(device, "cut")
  await asking
  expect(asked.filter(({ failed, over }) => failed && !over)).toEqual([])
})

test("an address book is read with each login until it is durable, and then no more", async () => {
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  const person = { number: bob.number, full_name: "Bob the Builder" }
  await network.call("POST", `/phones/${ada.number}/contacts`, person)
  const vault = aVault()
  const linking = aConnection({ url: network.url, vault })
  await ada.scan((await linking.happens("qr")).text)
  await linking.happens("closed")

  const login = async (learns: boolean) => {
    await vault.settled()
    const connection = aConnection({ url: network.url, vault, learns })
    await connection.happens("open")
    const names = () =>
      connection.happenings
        .flatMap((one) => (one.kind === "people" ? one.people : []))
        .map((one) => one.fullName)
    return { ...connection, knowsBob: async () => names().includes(person.full_name) }
  }
  for (const learns of [false, false, true]) {
    const connection = await login(learns)
    await until(connection.knowsBob)
    if (learns) await until(async () => vault.ofType("app-state-sync-version").length === 2)
    connection.close()
    // The other login reports no contacts.
    expect(vault.ofType("app-state-sync-version")).toHaveLength(learns ? 2 : 1)
  }
  const last = await login(true)
  // Its answer comes after those to whatever the login asked by itself.
  await last.registered([bob.number])
  expect(await last.knowsBob()).toBe(false)
  last.close()
})
