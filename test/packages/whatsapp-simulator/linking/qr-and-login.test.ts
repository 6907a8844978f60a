import { randomBytes } from "node:crypto"
import { deflateSync } from "node:zlib"
import type { BinaryNode } from "@whiskeysockets/baileys"
import QRCode from "qrcode"
import { afterAll, expect, test } from "vitest"
import { WebSocket } from "ws"
import { child, el, type Node } from "#simulator/wire/node.ts"
import * as Raw from "#simulator/wire/raw-client.ts"
import { connect, newDevice } from "../../../support/network/baileys-client.ts"
import { aNetwork } from "../../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())

test("a companion is linked by the QR code it shows, sent off with 515, and logs in as that device", async () => {
  const ada = await network.phone("Ada")
  const device = newDevice()
  const unlinked = network.client(device)
  expect(await ada.scan(await unlinked.qr())).toEqual({
    device: `${ada.number}:1`,
    jid: `${ada.number}:1@s.whatsapp.net`,
  })
  expect(await unlinked.closed()).toBe(515)
  expect(device.creds.me).toMatchObject({
    id: `${ada.number}:1@s.whatsapp.net`,
    lid: ada.lid.replace("@", ":1@"),
  })

  await network.client(device).online()
})

test("a phone reads the code from a picture", async () => {
  const ada = await network.phone()
  const unlinked = network.client()
  const body = new Uint8Array(await QRCode.toBuffer(await unlinked.qr()))
  const response = await fetch(`${network.controlUrl}/phones/${ada.number}/scan`, {
    method: "POST",
    body,
    headers: { "content-type": "image/png" },
  })
  expect(response.status).toBe(200)
  expect(await unlinked.closed()).toBe(515)
})

test("a companion has six codes, each of which links it, and no seventh", async () => {
  const ada = await network.phone()
  const unlinked = network.client(newDevice(), { qrTimeout: 60 })
  expect(await unlinked.closed()).toBe(408)
  const codes = unlinked.updates.flatMap(({ qr }) => qr ?? [])
  expect(new Set(codes).size).toBe(6)
  await expect(ada.scan(codes[0]!)).rejects.toThrow("unknown_ref")

  const again = network.client(newDevice(), { qrTimeout: 100 })
  const second = await again.until("the second code", () => again.updates.flatMap(({ qr }) => qr ?? [])[1])
  await ada.scan(second)
  expect(await again.closed()).toBe(515)
})

test("a companion that was linked is not hung up on before it can read so, and its code links no other", async () => {
  const [ada, eve] = [await network.phone(), await network.phone()]
  const device = Raw.newDevice()
  const [code, answer] = [Promise.withResolvers<string>(), Promise.withResolvers<Node>()]
  const connection = await Raw.connect(network.url, device, (node, back) => {
    const asked = child(node)
    if (asked?.tag === "pair-device") code.resolve(Raw.qrTextOf(device, asked))
    if (asked?.tag === "pair-success") back.send(Raw.signedIdentity(device, node))
    if (node.tag === "stream:error") back.send(el("iq", { id: "AFTER", type: "get", xmlns: "w:p" }))
    if (node.attrs.id === "AFTER") answer.resolve(node)
  })
  await ada.scan(await code.promise)
  expect(await Promise.race([answer.promise, connection.closed])).toMatchObject({ attrs: { id: "AFTER" } })
  await expect(eve.scan(await code.promise)).rejects.toThrow("unknown_ref")
  connection.close()
})

test("two companions of one phone are two devices", async () => {
  const ada = await network.phone()
  const first = await network.paired(ada)
  const second = await network.paired(ada)
  expect(first.device.creds.me?.id).toBe(`${ada.number}:1@s.whatsapp.net`)
  expect(second.device.creds.me?.id).toBe(`${ada.number}:2@s.whatsapp.net`)
})

test("a companion that signs with another key than its own is not linked", async () => {
  const ada = await network.phone()
  const device = newDevice()
  const unlinked = network.client(device)
  const qr = await unlinked.qr()
  Object.assign(device.creds.signedIdentityKey, { private: newDevice().creds.signedIdentityKey.private })
  await expect(ada.scan(qr)).rejects.toThrow("bad_signature")
  await unlinked.closed()
  expect(await network.call("GET", `/phones/${ada.number}`)).toMatchObject({ devices: [{ id: 0 }] })
})

test("a companion refuses a phone that does not know its secret", async () => {
  const ada = await network.phone()
  const unlinked = network.client()
  const fields = (await unlinked.qr()).split(",")
  fields[3] = randomBytes(32).toString("base64")
  await expect(ada.scan(fields.join(","))).rejects.toThrow("refused")
})

test("a code with the keys of another companion is refused", async () => {
  const ada = await network.phone()
  const one = (await network.client().qr()).split(",")
  const other = (await network.client().qr()).split(",")
  await expect(ada.scan([other[0], ...one.slice(1)].join(","))).rejects.toThrow("wrong_key")
})

test("a login with another noise key is refused with 401", async () => {
  const client = await network.paired(await network.phone())
  client.close()
  Object.assign(client.device.creds.noiseKey, newDevice().creds.noiseKey)
  expect(await network.client(client.device).closed()).toBe(401)
})

test("a Noise key whose halves do not belong together ends the connection in the handshake", async () => {
  const device = newDevice()
  Object.assign(device.creds.noiseKey, { public: newDevice().creds.noiseKey.public })
  expect(await network.client(device).closed()).toBe(428)
  const [failed] = await network.log({ kind: "note", event: "connection failed" })
  expect(failed?.who).toMatch(/^connection \d+$/)
})

test("a login as a device that was never linked is refused with 401", async () => {
  const device = newDevice()
  device.creds.me = { id: "15550000000:3@s.whatsapp.net" }
  expect(await network.client(device).closed()).toBe(401)
})

test("a second login of one device replaces the first, which hears 440", async () => {
  const first = await network.paired(await network.phone())
  const second = network.client(first.device)
  expect(await first.closed()).toBe(440)
  await second.open()
})

test("a companion that logs out is forgotten, and cannot log in again", async () => {
  const ada = await network.phone()
  const client = await network.paired(ada)
  await client.sock.logout()
  await network.log({ event: "device removed", who: `${ada.number}:1` })
  expect(await network.client(client.device).closed()).toBe(401)
})

test("bytes that are no handshake end that connection and nothing else", async () => {
  const ada = await network.phone()
  const client = await network.paired(ada)
  for (const bytes of ["GET / HTTP", Buffer.from("WA\x06\x03\x00\x00\x04oops"), randomBytes(500)]) {
    const socket = new WebSocket(network.url)
    await new Promise((resolve) => socket.once("open", resolve))
    socket.send(bytes)
    await new Promise((resolve) => socket.once("close", resolve))
  }
  await client.sock.sendMessage(ada.lid, { text: "still here" })
  expect(await ada.read({ text: "still here" })).toHaveLength(1)
})

test("a frame that unpacks to more than a frame may hold ends its connection", async () => {
  const client = await network.paired(await network.phone())
  const bomb = deflateSync(Buffer.alloc(1 << 26))
  await client.sock.sendRawMessage(Buffer.concat([Buffer.from([2]), bomb]))
  expect(await client.closed()).toBe(428)
})

test("stanzas that make no sense end their connection at most", async () => {
  const ada = await network.phone()
  const other = await network.paired(await network.phone())
  const client = await network.paired(ada)
  const nonsense: BinaryNode[] = [
    { tag: "message", attrs: {} },
    { tag: "message", attrs: { id: "1", to: "nobody" } },
    {
      tag: "message",
      attrs: { id: "1", to: "status@broadcast" },
      content: [{ tag: "participants", attrs: {} }],
    },
    { tag: "receipt", attrs: { id: "1" } },
    { tag: "receipt", attrs: { to: ada.jid } },
    { tag: "iq", attrs: { type: "set", xmlns: "encrypt" }, content: [{ tag: "registration", attrs: {} }] },
    { tag: "iq", attrs: { type: "get", xmlns: "encrypt" }, content: [{ tag: "key", attrs: {} }] },
    { tag: "iq", attrs: { type: "get", xmlns: "usync" } },
    { tag: "iq", attrs: {} },
    { tag: "ack", attrs: {} },
    { tag: "whatever", attrs: { a: "b" } },
  ]
  for (const node of nonsense) await client.sock.sendNode(node)
  await client.sock.sendRawMessage(randomBytes(40))
  await client.closed()
  await other.sock.sendMessage(ada.jid, { text: "alive" })
  expect(await ada.read({ text: "alive" })).toHaveLength(1)
})

/** What a client that says this of itself is told first. */
const refusal = async (says: Raw.Device["says"]) => {
  const answer = Promise.withResolvers<string>()
  const device = { ...Raw.newDevice(), ...(says && { says }) }
  const connection = await Raw.connect(network.url, device, ({ tag, attrs }) =>
    answer.resolve(attrs.reason ?? tag),
  )
  const said = await answer.promise
  connection.close()
  return said
}

test("a client that does not say what each says of itself is refused", async () => {
  expect(await refusal(undefined)).toBe("iq")
  expect(await refusal((whole) => delete whole.userAgent)).toBe("409")
  for (const part of ["buildHash", "deviceProps", "eSkeyId"] as const)
    expect([part, await refusal((whole) => delete whole.devicePairingData![part])]).toEqual([part, "400"])
})

test("a client whose version is too old is refused with 405", async () => {
  const client = await network.paired(await network.phone())
  client.close()
  await network.fault({ kind: "outdated", times: 1 })
  expect(await network.client(client.device).closed()).toBe(405)
  await network.client(client.device).open()
})

test("a network that answers 503 does not upgrade the connection", async () => {
  await network.fault({ kind: "refuse_upgrade", times: 1, code: 503 })
  const refused = connect(network)
  const response = await new Promise<{ statusCode?: number }>((resolve) => {
    refused.sock.ws.on("unexpected-response", (_request: unknown, answer: { statusCode?: number }) =>
      resolve(answer),
    )
  })
  expect(response.statusCode).toBe(503)
  await network.client().qr()
})
