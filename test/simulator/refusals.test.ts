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

/** The keys that a device leaves with the network. */
const keysOf = (identity: Uint8Array, signature: Uint8Array): BinaryNode[] => {
  const { registrationId, signedPreKey } = client.device.creds
  return [
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
  ]
}

const upload = (identity: Uint8Array, signature: Uint8Array) =>
  refusal("encrypt", "set", keysOf(identity, signature))

test("keys that are not the device's own are not taken", async () => {
  const { signedPreKey } = client.device.creds
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

/** The node without an attribute, a part or its content: `path` leads there by tags. */
function without(node: BinaryNode, path: string): BinaryNode {
  const [at = "", ...further] = path.split(" ")
  const inside = Array.isArray(node.content) ? node.content : []
  const { [at]: _, ...attrs } = node.attrs
  if (further.length === 0 && at in node.attrs) return { ...node, attrs }
  if (at === "content") return { tag: node.tag, attrs: node.attrs }
  const content = inside.flatMap((part) => {
    if (part.tag !== at) return [part]
    return further.length > 0 ? [without(part, further.join(" "))] : []
  })
  return { ...node, content }
}

const node = (tag: string, attrs: Record<string, string>, content?: BinaryNode["content"]): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content }

const parts = (of: BinaryNode) => of.content as BinaryNode[] // each of these has some

test("what every client says is required: each part that is left out makes a message, an upload or a question wrong", async () => {
  const bob = await network.phone("Bob")
  const whole = node(
    "iq",
    {},
    keysOf(client.device.creds.signedIdentityKey.public, client.device.creds.signedPreKey.signature),
  )
  const uploaded = async (path = "") => await refusal("encrypt", "set", parts(without(whole, path)))
  expect(await uploaded()).toBe("answered")
  for (const path of ["type", "identity", "skey", "skey id", "skey value", "skey signature"])
    expect([path, await uploaded(path)]).toEqual([path, "400"])

  const question = node("iq", {}, [
    node("usync", { sid: "1", mode: "query", context: "message", index: "0", last: "true" }, [
      node("query", {}, [node("devices", { version: "2" })]),
      node("list", {}, [node("user", { jid: bob.lid })]),
    ]),
  ])
  const asked = async (path = "") => await refusal("usync", "get", parts(without(question, path)))
  expect(await asked()).toBe("answered")
  for (const part of [
    "sid",
    "mode",
    "context",
    "index",
    "last",
    "query",
    "query devices",
    "query devices version",
  ])
    expect([part, await asked(`usync ${part}`)]).toEqual([part, "400"])

  const acks: Record<string, BinaryNode> = {}
  client.sock.ws.on("CB:ack,class:message", (ack: BinaryNode) => {
    acks[ack.attrs.id!] = ack
    client.changed()
  })
  const enc = node("enc", { v: "2", type: "msg" }, randomBytes(40))
  const message = node("message", { to: bob.lid, type: "text" }, [
    node("participants", {}, [node("to", { jid: bob.lid }, [enc])]),
  ])
  const sent = async (stanza: BinaryNode) => {
    const id = randomBytes(8).toString("hex").toUpperCase()
    await client.sock.sendNode({ ...stanza, attrs: { ...stanza.attrs, id } })
    return (await client.until("an ack", () => acks[id])).attrs.error
  }
  expect(await sent(message)).toBeUndefined()
  for (const path of [
    "type",
    "participants",
    ...["jid", "enc", "enc v", "enc type", "enc content"].map((part) => `participants to ${part}`),
  ])
    expect([path, await sent(without(message, path))]).toEqual([path, "479"])
  const own = node("message", { to: client.device.creds.me!.id, type: "text", category: "peer" }, [enc])
  const token = node("tctoken", {}, randomBytes(12))
  expect(await sent({ ...own, content: [enc, token] })).toBe("479")
})
