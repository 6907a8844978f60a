import { randomBytes } from "node:crypto"
import { afterAll, expect, test } from "vitest"
import { newDevice } from "../../../support/network/baileys-client.ts"
import { aNetwork, deviceOf } from "../../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())

test("a companion is linked by the code it shows, typed with or without its dash", async () => {
  const ada = await network.phone("Ada")
  const device = newDevice()
  const unlinked = network.client(device)
  await unlinked.qr()
  const code = await unlinked.sock.requestPairingCode(ada.number)
  await network.log({ event: "link code shown", who: ada.number })
  await ada.typeCode(`${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase())
  expect(await unlinked.closed()).toBe(515)
  const client = network.client(device)
  await client.online()
  expect(deviceOf(client)).toBe(`${ada.number}:1`)
  const bob = await network.phone()
  await client.sock.sendMessage(bob.jid, { text: "linked by code" })
  await bob.read({ text: "linked by code" })
})

test("a wrong code does not link, and the right one does afterwards", async () => {
  const ada = await network.phone()
  const unlinked = network.client()
  await unlinked.qr()
  await unlinked.sock.requestPairingCode(ada.number, "ABCD2345")
  await network.log({ event: "link code shown", who: ada.number })
  await expect(ada.typeCode("ABCD2346")).rejects.toThrow("wrong_code")
  await ada.typeCode("ABCD2345")
  expect(await unlinked.closed()).toBe(515)
})

test("a code that no companion shows is refused", async () => {
  const ada = await network.phone()
  await expect(ada.typeCode("ABCD2345")).rejects.toThrow("unknown_ref")
})

test("a client that asked for a code and comes back without being linked is refused with 401", async () => {
  const ada = await network.phone()
  const device = newDevice()
  const unlinked = network.client(device)
  await unlinked.qr()
  await unlinked.sock.requestPairingCode(ada.number)
  unlinked.close()
  expect(await network.client(device).closed()).toBe(401)
})

test.for(["companion_reg_refresh", "pair-device-rotate-qr"] as const)(
  "after %s only a code with a new secret links, on the same ref",
  async (obstacle) => {
    const ada = await network.phone()
    const device = newDevice()
    const unlinked = network.client(device)
    const qr = await unlinked.qr()
    const asked = new Promise((resolve) => {
      unlinked.sock.ws.on("CB:notification,type:companion_reg_refresh", resolve)
    })
    await expect(ada.scan(qr, obstacle)).rejects.toThrow("secret_retired")
    expect(await asked).toMatchObject({ content: [{ tag: obstacle }] })
    await expect(ada.scan(qr)).rejects.toThrow("secret_retired")

    device.creds.advSecretKey = randomBytes(32).toString("base64")
    const fields = qr.split(",")
    fields[3] = device.creds.advSecretKey
    await ada.scan(fields.join(","))
    expect(await unlinked.closed()).toBe(515)
  },
)

test.for([{ hellos: 3 }, { refreshes: true }])(
  "a companion is linked by a code whose phone says hello again, or when told to refresh meanwhile: %o",
  async (how) => {
    const ada = await network.phone()
    const unlinked = network.client()
    await unlinked.qr()
    const code = await unlinked.sock.requestPairingCode(ada.number)
    const who = (await network.log({ kind: "in", tag: "iq", attrs: { xmlns: "md", type: "set" } })).at(
      -1,
    )?.who
    await network.call("POST", `/phones/${ada.number}/link-code`, { code, ...how })
    expect(await unlinked.closed()).toBe(515)
    const told = await network.log({ who: who!, kind: "out", tag: "notification" })
    expect(told.map(({ stanza }) => stanza?.attrs.type)).toEqual(
      "hellos" in how
        ? Array(3).fill("link_code_companion_reg")
        : ["link_code_companion_reg", "companion_reg_refresh"],
    )
  },
)

test("a phone that declines, and one that wants a passkey first, leave the companion unlinked", async () => {
  const ada = await network.phone()
  const unlinked = network.client()
  const qr = await unlinked.qr()
  await expect(ada.scan(qr, "decline")).rejects.toThrow("declined")
  const asked = new Promise((resolve) => {
    unlinked.sock.ws.on("CB:notification,type:passkey_prologue_request", resolve)
  })
  await expect(ada.scan(qr, "passkey")).rejects.toThrow("passkey_required")
  expect(await asked).toMatchObject({ content: [{ tag: "passkey_request_options" }] })
  expect(await network.call("GET", `/phones/${ada.number}`)).toMatchObject({ devices: [{ id: 0 }] })
})

test("a phone that removes a companion ends it with 401, for good", async () => {
  const ada = await network.phone()
  const client = await network.paired(ada)
  await network.call("DELETE", `/phones/${ada.number}/devices/1`)
  expect(await client.closed()).toBe(401)
  expect(await network.client(client.device).closed()).toBe(401)
})
