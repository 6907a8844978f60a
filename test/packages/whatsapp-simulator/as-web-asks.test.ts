import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildren,
} from "@whiskeysockets/baileys"
import { afterAll, beforeAll, expect, test } from "vitest"
import { bigEndian } from "#simulator/wire/node.ts"
import type { Client } from "../../support/network/baileys-client.ts"
import { aNetwork, deviceOf } from "../../support/network/network.ts"

/** What WhatsApp Web, zapo, whatsmeow or whatsapp-rust ask, and Baileys does not. */

const network = await aNetwork()
let ada: Awaited<ReturnType<typeof network.phone>>
let bob: Awaited<ReturnType<typeof network.phone>>
let client: Client
beforeAll(async () => {
  ;[ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  client = await network.paired(ada)
})
afterAll(() => network.close())

const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode["content"]) => ({
  tag,
  attrs,
  ...(content !== undefined && { content }),
})

const ask = (xmlns: string, type: string, content: BinaryNode[], to = "@s.whatsapp.net") =>
  client.sock.query({ tag: "iq", attrs: { to, xmlns, type }, content }) as Promise<BinaryNode>

/** The answer about one person, by a protocol of usync. */
async function usync(protocol: string, who: BinaryNode): Promise<BinaryNode | undefined> {
  const { content } = await ask("usync", "get", [
    node("usync", { sid: "1", mode: "query", context: "interactive", index: "0", last: "true" }, [
      node("query", {}, [node(protocol)]),
      node("list", {}, [who]),
    ]),
  ])
  const list = getBinaryNodeChild((content as BinaryNode[])[0], "list")
  return getBinaryNodeChild(list, "user")
}

const own = () => client.device.creds

/** The tags of a node's parts. */
const parts = (of: BinaryNode | undefined) =>
  Array.isArray(of?.content) ? of.content.map(({ tag }) => tag) : []

const count = (answer: BinaryNode) => Number(getBinaryNodeChild(answer, "count")?.attrs.value)

/** The people who do not see when the account was last there. */
async function disallowed() {
  const asked = node("privacy", {}, [node("list", { name: "last", value: "contact_blacklist" })])
  return getBinaryNodeChild(getBinaryNodeChild(await ask("privacy", "get", [asked]), "privacy"), "list")
}

test("prekeys are taken in whatever order the parts of their upload are", async () => {
  const { registrationId, signedIdentityKey, signedPreKey } = own()
  const before = await ask("encrypt", "get", [node("count")])
  const key = [
    node("id", {}, bigEndian(9_000_000, 3)),
    node("value", {}, client.device.creds.noiseKey.public),
  ]
  await ask("encrypt", "set", [
    node("identity", {}, signedIdentityKey.public),
    node("registration", {}, bigEndian(registrationId, 4)),
    node("type", {}, Buffer.from([5])),
    node("list", {}, [node("key", {}, key)]),
    node("skey", {}, [
      node("id", {}, bigEndian(signedPreKey.keyId, 3)),
      node("value", {}, signedPreKey.keyPair.public),
      node("signature", {}, signedPreKey.signature),
    ]),
  ])
  expect(count(await ask("encrypt", "get", [node("count")]))).toBe(count(before) + 1)
})

test("keys of devices that have lost a session are given for each device that is named", async () => {
  const answer = await ask("encrypt", "get", [
    node("key_fetch", {}, [
      node("user", { jid: bob.lid, reason: "identity" }, [
        node("device", { id: "0" }, [node("registration", {}, bigEndian(7, 4))]),
        node("device", { id: "77" }, [node("registration", {}, bigEndian(7, 4))]),
      ]),
      node("user", { jid: "123456789012345@lid" }, []),
    ]),
  ])
  const [known, unknown] = getBinaryNodeChildren(getBinaryNodeChild(answer, "list"), "user")
  const devices = getBinaryNodeChildren(known, "device")
  expect(devices.map(({ attrs }) => attrs.id)).toEqual(["0"])
  expect(parts(devices[0])).toEqual(["registration", "type", "identity", "key", "skey"])
  expect(getBinaryNodeChild(unknown, "error")?.attrs.code).toBe("404")
})

test("a group keeps the settings that only some clients have, and shows them", async () => {
  const group = await network.group([ada, bob])
  const change = (...content: BinaryNode[]) => ask("w:g2", "set", content, group.jid)
  for (const tag of ["group_history", "allow_admin_reports", "no_frequently_forwarded"])
    await change(node(tag))
  await change(node("member_link_mode", {}, "all_member_link"))
  await change(node("frequently_forwarded_ok"))
  const answer = await ask("w:g2", "get", [node("query", { request: "interactive" })], group.jid)
  const shown = parts(getBinaryNodeChild(answer, "group"))
  expect(shown).toContain("group_history")
  expect(shown).toContain("allow_admin_reports")
  expect(shown).toContain("member_link_mode")
  expect(shown).not.toContain("no_frequently_forwarded")
})

test("the timer of new chats is kept, and told to a client that asks", async () => {
  await client.sock.updateDefaultDisappearingMode(86_400)
  const answer = await usync("disappearing_mode", node("user", { jid: ada.lid }))
  expect(getBinaryNodeChild(answer, "disappearing_mode")?.attrs).toMatchObject({ duration: "86400" })
})

test("an about text comes with its emoji to a client that asks for the text status", async () => {
  const input = { text: "away", emoji: { content: "🌊" }, ephemeral_duration_sec: 60 }
  const content = Buffer.from(JSON.stringify({ variables: { input } }))
  await ask("w:mex", "get", [node("query", { query_id: "9152604461510864" }, content)])
  const answer = getBinaryNodeChild(await usync("text_status", node("user", { jid: ada.lid })), "text_status")
  expect(answer?.attrs).toMatchObject({ text: "away", ephemeral_duration_sec: "60" })
  expect(getBinaryNodeChild(answer, "emoji")?.attrs.content).toBe("🌊")
})

test("a list of people who do not see something is kept, and changed only by a client that knows it", async () => {
  const change = (dhash: string, action: string) =>
    ask("privacy", "set", [
      node("privacy", {}, [
        node("category", { name: "last", value: "contact_blacklist", dhash }, [
          node("user", { jid: bob.lid, action }),
        ]),
      ]),
    ])
  await change("none", "add")
  const list = await disallowed()
  expect(getBinaryNodeChildren(list, "user").map(({ attrs }) => attrs.jid)).toEqual([bob.lid])
  await expect(change("none", "remove")).rejects.toThrow("conflict")
  await change(list?.attrs.dhash ?? "", "remove")
  expect(getBinaryNodeChildren(await disallowed(), "user")).toEqual([])
})

test("a person with a username is found by it, and their number is told to no one", async () => {
  const cleo = await network.phone("Cleo")
  await network.control.change(cleo.number, { username: "cleo.1", username_pin: "1234" })
  const find = (attrs: Record<string, string>) =>
    usync("contact", node("user", {}, [node("contact", { username: "cleo.1", ...attrs })]))
  expect((await find({}))?.attrs.jid).toBeUndefined()
  expect((await find({ pin: "1234" }))?.attrs.jid).toBe(cleo.lid)
  const nobody = await usync("contact", node("user", {}, [node("contact", { username: "nobody" })]))
  expect(getBinaryNodeChild(nobody, "contact")?.attrs.type).toBe("out")

  const found: BinaryNode[] = []
  client.sock.ws.on("CB:message", (one: BinaryNode) => found.push(one))
  await cleo.send(ada.number, "who am I?")
  await client.message("who am I?")
  const group = await network.group([cleo, ada])
  await cleo.send(group.jid, "and here?")
  await client.message("and here?")
  const [alone, together] = found.filter(({ attrs }) => attrs.id)
  expect(alone?.attrs).toMatchObject({ from: cleo.lid, username: "cleo.1" })
  expect(together?.attrs).toMatchObject({ participant: cleo.lid, participant_username: "cleo.1" })
  expect(JSON.stringify([alone, together])).not.toContain(cleo.number)
})

test("an account is told its own username", async () => {
  await network.control.change(ada.number, { username: "ada.1" })
  const answer = await ask("w:mex", "get", [
    node("query", { query_id: "25347099718279209" }, Buffer.from('{"variables":{}}')),
  ])
  const { data } = JSON.parse(getBinaryNodeChildBuffer(answer, "result")!.toString()) as { data: unknown }
  expect(data).toMatchObject({ xwa2_username_get: { username_info: { username: "ada.1" } } })
  await network.control.change(ada.number, { username: null })
})

test("a username that is taken cannot be taken again", async () => {
  const [first, second] = [await network.phone(), await network.phone()]
  await network.control.change(first.number, { username: "unique" })
  const take = () => network.control.change(second.number, { username: "unique" })
  await expect(take()).rejects.toThrow("username_taken")
  await network.control.change(first.number, { username: null })
  await take()
})

test("a business's name is given with its certificate, and a private person has none", async () => {
  const shop = await network.phone("Shop")
  await network.control.change(shop.number, { business: { name: "Shop & Co" } })
  const [ofShop, ofBob] = [shop, bob].map(({ jid }) => [node("verified_name", { jid })])
  expect(parts(await ask("w:biz", "get", ofShop!))).toEqual(["verified_name"])
  expect(parts(await ask("w:biz", "get", ofBob!))).toEqual([])
})

test("a sender who writes to a private id that is out of date is told so with the ack", async () => {
  const dana = await network.phone("Dana")
  await client.sock.sendMessage(dana.lid, { text: "before" })
  await network.control.change(dana.number, { new_lid: true })
  const acks: BinaryNode[] = []
  client.sock.ws.on("CB:ack,class:message", (ack: BinaryNode) => {
    acks.push(ack)
    client.changed()
  })
  await client.sock.sendMessage(dana.lid, { text: "after" })
  expect((await client.until("an ack", () => acks[0])).attrs).toMatchObject({
    from: dana.lid,
    refresh_lid: "true",
  })
  expect(await dana.read({ text: "after" })).toHaveLength(1)
})

test("a phone has no session under a person's other private id, and asks for the message again", async () => {
  const [dana, eva] = [await network.phone("Dana"), await network.phone("Eva")]
  const evas = await network.paired(eva)
  await evas.sock.sendMessage(dana.lid, { text: "before" })
  expect(await dana.read({ text: "before" })).toHaveLength(1)
  await dana.send(eva.number, "an answer")
  await evas.message("an answer")
  await evas.sock.sendMessage(dana.jid, { text: "by number" })
  expect(await dana.read({ text: "by number" })).toMatchObject([{ times: 1 }])
  const unread = async () =>
    Object.values((await network.control.phone(dana.number)).not_decrypted).reduce((sum, n) => sum + n, 0)
  expect(await unread()).toBe(0)
  await network.control.change(eva.number, { new_lid: true })
  await evas.sock.sendMessage(dana.lid, { text: "after" })
  expect(await dana.read({ text: "after" })).toMatchObject([{ times: 1 }])
  expect(await unread()).toBe(1)
})

test("a phone warns of a companion that was not available for fifteen days", async () => {
  const device = deviceOf(client)
  const inactive = async () =>
    (await network.control.phone(ada.number)).devices.find(({ id }) => id === 1)?.inactive
  await network.call("POST", `/devices/${device}/absence`, { days: 14 })
  expect(await inactive()).toBe(false)
  await network.call("POST", `/devices/${device}/absence`, { days: 15 })
  expect(await inactive()).toBe(true)
  await client.sock.sendPresenceUpdate("available")
  await network.log({ who: device, kind: "in", tag: "presence", attrs: { type: "available" } })
  expect(await inactive()).toBe(false)
})

test("the network's ping is a question, with an id", async () => {
  const pings: BinaryNode[] = []
  client.sock.ws.on("CB:iq,xmlns:urn:xmpp:ping", (ping: BinaryNode) => {
    pings.push(ping)
    client.changed()
  })
  const { id } = await network.control.notice(deviceOf(client), { kind: "ping", about: bob.number })
  expect((await client.until("a ping", () => pings[0])).attrs).toMatchObject({ id, type: "get" })
})

test("what a dead session sends is dropped, and what is for it comes with the next connection", async () => {
  const device = deviceOf(client)
  const revive = await network.fault({ kind: "dead", device })
  await bob.send(ada.number, "to the dead")
  await client.sock.sendNode({ tag: "presence", attrs: { type: "available", name: "in vain" } })
  await expect(
    client.sock.query({ tag: "iq", attrs: { to: "@s.whatsapp.net", xmlns: "w:p", type: "get" } }, 300),
  ).rejects.toThrow("Timed Out")
  await revive()
  client.close()
  client = network.client(client.device)
  await client.message("to the dead")
  expect((await network.control.phone(ada.number)).name).toBe("Ada")
})

test("a phone that stays silent answers no question of its companion's", async () => {
  const device = deviceOf(client)
  const cure = await network.fault({ kind: "silent_phone", device })
  await network.fault({ kind: "unavailable", device, times: 1 })
  const { id } = await bob.send(ada.number, "a secret")
  await network.log({ who: device, kind: "out", tag: "message", attrs: { id } })
  await client.sock.requestPlaceholderResend({ id, remoteJid: bob.lid, fromMe: false })
  await network.log({ who: device, kind: "in", tag: "message", attrs: { category: "peer" } })
  await network.control.settled(`${ada.number}:0`, 10_000)
  expect(client.messages.some(({ message }) => message.message?.conversation === "a secret")).toBe(false)
  await cure()
})

test("a storm of requests asks for the last messages of a group again, and around", async () => {
  const group = await network.group([bob, ada])
  const texts = ["one", "two"]
  for (const text of texts) await client.sock.sendMessage(group.jid, { text })
  const sent = await bob.read({ chat: group.jid, count: 2 })
  const asked = await network.control.flood(bob.number, { to: group.jid, kind: "asks", count: 5 })
  const [first, second] = sent.map(({ id }) => id)
  expect(asked.ids).toEqual([second, first, second, first, second])
  const receipts = await network.control.log({
    who: deviceOf(client),
    kind: "out",
    tag: "receipt",
    attrs: { type: "retry", from: group.jid },
    count: 5,
    wait: 10_000,
  })
  expect(receipts).toHaveLength(5)
})

test("a companion that is rate-limited is told so (429)", async () => {
  await network.control.end(deviceOf(client), "rate_limited")
  expect(await client.closed()).toBe(429)
})
