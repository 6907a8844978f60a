import { hash, randomBytes } from "node:crypto"
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildBuffer, proto } from "@whiskeysockets/baileys"
import { afterAll, beforeAll, expect, test } from "vitest"
import { bigEndian } from "#simulator/wire/node.ts"
import type { Client } from "../../support/network/baileys-client.ts"
import { aNetwork } from "../../support/network/network.ts"

const network = await aNetwork()
let client: Client
beforeAll(async () => {
  client = await network.paired(await network.phone("Ada"))
})
afterAll(() => network.close())

const iq = (xmlns: string, type: string, content?: BinaryNode[], to = "@s.whatsapp.net") =>
  client.sock.query({
    tag: "iq",
    attrs: { to, xmlns, type },
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
    { tag: "registration", attrs: {}, content: bigEndian(registrationId, 4) },
    { tag: "type", attrs: {}, content: Buffer.from([5]) },
    { tag: "identity", attrs: {}, content: identity },
    { tag: "list", attrs: {}, content: [] },
    {
      tag: "skey",
      attrs: {},
      content: [
        { tag: "id", attrs: {}, content: bigEndian(signedPreKey.keyId, 3) },
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

test("every part that clients say is required makes a message, upload or question wrong if left out", async () => {
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

const device = () => client.device.creds.me!.id.split("@")[0]!

test("an ack settles what it names whole, and nothing else", async () => {
  const bob = await network.phone("Bob")
  const stanza = {
    tag: "appdata",
    attrs: { id: "A1", from: bob.lid, participant: bob.lid, recipient: bob.lid },
  }
  await network.control.stanza(device(), { ...stanza, attrs: { ...stanza.attrs, t: "1" } })
  const { from: to, ...named } = stanza.attrs
  const ack = node("ack", { class: "appdata", to, ...named })
  for (const part of ["class", "id", "to", "participant", "recipient"])
    await client.sock.sendNode(without(ack, part))
  await iq("w:p", "get", [node("ping", {})])
  expect(await network.control.settled(device(), 0)).toBe(false)
  await client.sock.sendNode(ack)
  expect(await network.control.settled(device(), 10_000)).toBe(true)
})

test("a receipt's ack need not name its recipient, and a call's offer may get a receipt naming the call", async () => {
  const { sock, device } = await network.paired(await network.phone("Bob"))
  for (const event of ["CB:receipt", "CB:call"]) sock.ws.removeAllListeners(event)
  const [from, name] = [client.device.creds.me!.lid!.replace(/:\d+/, ""), device.creds.me!.id.split("@")[0]!]
  const receipt = node("receipt", { id: "B1", from, type: "sender", recipient: from, t: "1" })
  const offer = node("offer", { "call-id": "C1", "call-creator": from })
  await network.control.stanza(name, receipt)
  await network.control.stanza(name, node("call", { id: "B2", from, t: "1" }, [offer]))
  expect(await network.control.settled(name, 0)).toBe(false)
  await sock.sendNode(node("ack", { class: "receipt", id: "B1", to: from, type: "sender" }))
  await sock.sendNode(node("receipt", { id: "B2", to: from }, [offer]))
  expect(await network.control.settled(name, 10_000)).toBe(true)
})

const retriesAnswered = (wait: number) =>
  network.log({ kind: "out", who: device(), tag: "ack", attrs: { class: "receipt", type: "retry" }, wait })

test("a receipt that lacks a part is not answered", async () => {
  const { id: group } = await client.sock.groupCreate("Receipts", [])
  const registration = node("registration", {}, bigEndian(1, 4))
  const again = node("retry", { count: "1", id: "R1", t: "1", v: "1" })
  const attrs = { id: "R1", to: group, participant: client.device.creds.me!.lid!, type: "retry" }
  const whole = node("receipt", attrs, [again, registration])
  const parts = ["id", "to", "participant", "retry", "registration", "registration content"]
  for (const part of [...parts, ...["count", "id", "t", "v"].map((name) => `retry ${name}`)])
    await client.sock.sendNode(without(whole, part))
  await iq("w:p", "get", [node("ping", {})])
  expect(await retriesAnswered(0)).toEqual([])
  await client.sock.sendNode(whole)
  expect(await retriesAnswered(10_000)).toHaveLength(1)
})

test("a question about groups is whole, and to the groups or to one of them", async () => {
  const made = node("create", { subject: "Whole", key: "K" })
  const answer = await iq("w:g2", "set", [made], "@g.us")
  const group = `${getBinaryNodeChild(answer, "group")!.attrs.id}@g.us`
  const body = node("body", {}, Buffer.from("What for"))
  const asked = node("participating", {}, [node("participants", {}), node("description", {})])
  const rows: [type: string, to: string, whole: BinaryNode, ...parts: string[]][] = [
    ["set", "@g.us", made, "subject"],
    ["get", "@g.us", asked],
    ["get", "g.us", asked],
    ["get", group, node("query", {})],
    ["set", group, node("description", { id: "D1" }, [body])],
    ["set", group, node("description", { delete: "true", prev: "D1" }), "delete"],
    ["set", "@g.us", node("leave", {}, [node("group", { id: group })])],
  ]
  for (const [type, to, whole, ...parts] of rows) {
    for (const part of parts)
      expect([part, await refusal("w:g2", type, [without(whole, part)], to)]).toEqual([part, "400"])
    const elsewhere = await refusal("w:g2", type, [whole])
    expect([whole.tag, elsewhere]).toEqual([whole.tag, to.startsWith("1") ? "404" : "400"])
    expect([whole.tag, await refusal("w:g2", type, [whole], to)]).toEqual([whole.tag, "answered"])
  }
  const accept = node("accept", { code: "C", admin: client.device.creds.me!.lid!, expiration: "1" })
  expect(await refusal("w:g2", "set", [accept], group)).toBe("410")
  for (const part of ["code", "admin", "expiration"]) {
    expect([part, await refusal("w:g2", "set", [without(accept, part)], group)]).toEqual([part, "400"])
  }
})

test("the cards of all groups have members only for a client that asks for them", async () => {
  await client.sock.groupCreate("Cards", [])
  const asked = node("participating", {}, [node("participants", {}), node("description", {})])
  expect(await tagsIn(asked)).toContain("participant")
  expect(await tagsIn(without(asked, "participants"))).not.toContain("participant")
})

/** What the cards of groups have. */
async function tagsIn(asked: BinaryNode): Promise<string[]> {
  const groups = getBinaryNodeChild(await iq("w:g2", "get", [asked], "@g.us"), "groups")!
  return parts(groups).flatMap((card) => parts(card).map(({ tag }) => tag))
}

test("a collection of settings is asked for by name and version, and a patch proves what it holds", async () => {
  const code = async (collection: BinaryNode) => {
    const answer = await iq("w:sync:app:state", "set", [node("sync", {}, [collection])])
    const found = getBinaryNodeChild(getBinaryNodeChild(answer, "sync"), "collection")
    return getBinaryNodeChild(found, "error")?.attrs.code
  }
  const whole = node("collection", { name: "regular", version: "0", return_snapshot: "false" })
  expect(await code(whole)).toBeUndefined()
  for (const part of ["name", "version", "return_snapshot"])
    expect([part, await code(without(whole, part))]).toEqual([part, "400"])
  expect(await code({ ...whole, attrs: { ...whole.attrs, name: "irregular" } })).toBe("400")
  const [keyId, mac] = [{ id: randomBytes(6) }, randomBytes(32)]
  const sealed = { keyId, snapshotMac: mac, patchMac: mac }
  const patched = (patch: Uint8Array) => code({ ...whole, content: [node("patch", {}, patch)] })
  for (const part of ["keyId", "snapshotMac", "patchMac"] as const)
    expect([part, await patched(proto.SyncdPatch.encode({ ...sealed, [part]: null }).finish())]).toEqual([
      part,
      "400",
    ])
  expect(await patched(Buffer.of(0xff))).toBe("400")
})
