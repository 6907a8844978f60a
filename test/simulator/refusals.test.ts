import { hash, randomBytes } from "node:crypto"
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildBuffer } from "@whiskeysockets/baileys"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Client } from "../support/network/baileys-client.ts"
import { big } from "#simulator/wire/node.ts"
import { aNetwork } from "../support/network/network.ts"

const network = await aNetwork()
let client: Client
beforeAll(async () => {
  client = await network.paired(await network.phone("Ada"))
})
afterAll(() => network.close())

const iq = (xmlns: string, type: string, content?: BinaryNode[]) =>
  client.sock.query({
    tag: "iq",
    attrs: { to: "@s.whatsapp.net", xmlns, type },
    ...(content && { content }),
  }) as Promise<BinaryNode>

/** The code of the error that an iq is answered with. */
const refusal = async (...asked: Parameters<typeof iq>) => {
  try {
    await iq(...asked)
    return "answered"
  } catch (error) {
    return String((error as { data?: unknown }).data)
  }
}

test.for([
  ["encrypt", "get"],
  ["encrypt", "set"],
  ["usync", "get"],
  ["privacy", "get"],
  ["privacy", "set"],
  ["blocklist", "set"],
  ["w:biz", "get"],
  ["w:g2", "get"],
  ["w:g2", "set"],
  ["w:qr", "set"],
  ["status", "set"],
  ["w:m", "set"],
  ["w:sync:app:state", "set"],
  ["md", "set"],
] as const)("an iq of %s %s without its child is a bad request", async ([xmlns, type]) => {
  expect(await refusal(xmlns, type)).toBe("400")
})

test.for([
  ["encrypt", "get", "key"],
  ["usync", "get", "usync"],
  ["privacy", "set", "privacy"],
  ["w:biz", "get", "business_profile"],
  ["w:sync:app:state", "set", "sync"],
  ["encrypt", "set", "registration"],
] as const)("so is one of %s %s whose %s is empty", async ([xmlns, type, tag]) => {
  expect(await refusal(xmlns, type, [{ tag, attrs: {} }])).toBe("400")
})

test("the network says so when it does not know a question", async () => {
  expect(await refusal("teleport", "get", [{ tag: "beam", attrs: {} }])).toBe("501")
})

test("keys that are not the device's own are not taken", async () => {
  const { registrationId, signedPreKey } = client.device.creds
  const upload = (identity: Uint8Array, signature: Uint8Array) =>
    refusal("encrypt", "set", [
      { tag: "registration", attrs: {}, content: big(registrationId, 4) },
      { tag: "type", attrs: {}, content: Buffer.from([5]) },
      { tag: "identity", attrs: {}, content: identity },
      { tag: "list", attrs: {}, content: [] },
      {
        tag: "skey",
        attrs: {},
        content: [
          { tag: "id", attrs: {}, content: big(signedPreKey.keyId, 3) },
          { tag: "value", attrs: {}, content: signedPreKey.keyPair.public },
          { tag: "signature", attrs: {}, content: signature },
        ],
      },
    ])
  const own = Buffer.from(client.device.creds.signedIdentityKey.public)
  expect(await upload(randomBytes(32), signedPreKey.signature)).toBe("406")
  expect(await upload(own, randomBytes(64))).toBe("406")
  expect(await upload(own, signedPreKey.signature)).toBe("answered")
})

test("the digest of a device's keys is what the device has", async () => {
  await client.sock.digestKeyBundle()
  const digest = getBinaryNodeChild(await iq("encrypt", "get", [{ tag: "digest", attrs: {} }]), "digest")
  const { creds } = client.device
  expect(getBinaryNodeChildBuffer(digest, "registration")).toEqual(
    Buffer.from([0, 0, creds.registrationId >> 8, creds.registrationId & 0xff]),
  )
  expect(getBinaryNodeChildBuffer(digest, "identity")).toEqual(Buffer.from(creds.signedIdentityKey.public))
  const skey = getBinaryNodeChild(digest, "skey")
  expect(getBinaryNodeChildBuffer(skey, "value")).toEqual(Buffer.from(creds.signedPreKey.keyPair.public))
  const { content } = getBinaryNodeChild(digest, "list")!
  const ids = (content as BinaryNode[]).map((id) => Buffer.from(id.content as Uint8Array).readUIntBE(0, 3))
  const kept = await client.device.keys.get("pre-key", ids.map(String))
  expect(ids.length).toBeGreaterThan(100)
  expect(Object.keys(kept)).toHaveLength(ids.length)
  const { keyPair, signature } = creds.signedPreKey
  const preKeys = ids.map((id) => kept[id]!.public)
  const all = [creds.signedIdentityKey.public, keyPair.public, signature, ...preKeys]
  expect(getBinaryNodeChildBuffer(digest, "hash")).toEqual(hash("sha1", Buffer.concat(all), "buffer"))
})
