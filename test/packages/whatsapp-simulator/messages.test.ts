import { hash } from "node:crypto"
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from "@whiskeysockets/baileys"
import { afterAll, expect, test } from "vitest"
import { aNetwork, deviceOf } from "../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())
/** For what leaves a chat as it was. */
const { ada, bob, client, device } = await network.chat()

test.for(["lid", "pn"] as const)("text goes both ways in a chat addressed by %s", async (addressing) => {
  const jid = addressing === "lid" ? bob.lid : bob.jid
  const sent = await client.sock.sendMessage(jid, { text: `hello ${jid}` })
  const [read] = await bob.read({ text: `hello ${jid}` })
  expect(read).toMatchObject({ id: sent?.key.id, from: ada.number, from_me: false, times: 1 })

  const answer = await bob.send(ada.number, `hello from ${jid}`, { addressing })
  const { message, type } = await client.message(`hello from ${jid}`)
  expect(type).toBe("notify")
  expect(message.pushName).toBe("Bob")
  expect(message.key).toMatchObject({
    id: answer.id,
    fromMe: false,
    remoteJid: jid,
    remoteJidAlt: addressing === "lid" ? bob.jid : bob.lid,
  })
})

test("a message from a phone is seen by its companion as the account's own", async () => {
  await ada.send(bob.number, "from my phone")
  const { message } = await client.message("from my phone")
  expect(message.key).toMatchObject({ fromMe: true, remoteJid: bob.lid })
})

test("a message for a phone that is off is taken, and delivered when it is on again", async () => {
  const turn = (on: boolean) => network.call("PATCH", `/phones/${bob.number}`, { on })
  await turn(false)
  const acks: string[] = []
  client.sock.ws.on("CB:ack,class:message", ({ attrs }: { attrs: Record<string, string> }) => {
    acks.push(attrs.id!)
    client.changed()
  })
  const sent = await client.sock.sendMessage(bob.jid, { text: "later" })
  await client.until("the ack", () => acks[0])
  expect(client.statuses.filter(({ key }) => key.id === sent?.key.id)).toEqual([])
  await turn(true)
  await client.status(sent!.key.id!, 3)
  expect(await bob.read({ text: "later" })).toMatchObject([{ offline: true }])
})

test("a message to an unknown number is refused with a nack", async () => {
  const id = client.sock.generateMessageTag()
  const ack = client.sock.waitForMessage(id)
  await client.sock.sendNode({
    tag: "message",
    attrs: { id, to: "15550000001@s.whatsapp.net", type: "text" },
    content: [{ tag: "enc", attrs: { v: "2", type: "msg" }, content: Buffer.from("x") }],
  })
  expect(await ack).toMatchObject({ tag: "ack", attrs: { class: "message", error: "404" } })
})

/** The `phash` of these devices, as clients compute it. */
function hashOf(...devices: [user: string, id: number][]): string {
  const addresses = devices.map(([user, id]) => user.replace("@", `.0:${id}@`))
  return `2:${hash("sha256", addresses.toSorted().join(""), "buffer").subarray(0, 6).toString("base64")}`
}

test("an ack names a chat's devices, the sender's too, if the message was not for all; a group's always", async () => {
  const { ada, bob, client } = await network.chat()
  const group = await network.group([ada, bob])
  const named = async (jid: string) => {
    const sent = await client.sock.sendMessage(jid, { text: "who gets this?" })
    const ack = { kind: "out", who: deviceOf(client), tag: "ack", attrs: { id: sent!.key.id! } } as const
    return (await network.log(ack))[0]!.stanza!.attrs.phash
  }
  expect(await named(bob.lid)).toBeUndefined()
  expect(await named(group.jid)).toBe(hashOf([ada.lid, 0], [ada.lid, 1], [bob.lid, 0]))

  const silent = await network.fault({ kind: "silent_devices" })
  await network.paired(bob)
  await silent()
  const all = hashOf([ada.lid, 0], [ada.lid, 1], [bob.lid, 0], [bob.lid, 1])
  expect(await named(bob.lid)).toBe(all)
  expect(await named(group.jid)).toBe(all)
})

test("an account's devices are told of one that comes or goes with the lists that remain, and their hashes", async () => {
  const bob = await network.phone("Bob")
  const client = await network.paired(bob)
  const told = async (type: string, count: number) => {
    const notices = { kind: "out", who: deviceOf(client), tag: "notification", attrs: { type } } as const
    return (await network.log({ ...notices, count })).at(-1)!.stanza as BinaryNode
  }
  const hashes = (...ids: number[]) => ({
    device_hash: hashOf(...ids.map((id): [string, number] => [bob.jid, id])),
    device_lid_hash: hashOf(...ids.map((id): [string, number] => [bob.lid, id])),
  })
  const listed = async (count: number) => {
    const list = getBinaryNodeChild(await told("account_sync", count), "devices")
    return [list?.attrs.dhash, getBinaryNodeChildren(list, "device").map(({ attrs }) => attrs.jid)]
  }
  const other = await network.paired(bob)
  const [first, second] = [1, 2].map((id) => bob.jid.replace("@", `:${id}@`))
  expect(await told("devices", 1)).toMatchObject({ content: [{ tag: "add", attrs: hashes(0, 1, 2) }] })
  expect(await listed(1)).toEqual([hashes(0, 1, 2).device_hash, [bob.jid, first, second]])
  await other.sock.logout()
  expect(await told("devices", 2)).toMatchObject({ content: [{ tag: "remove", attrs: hashes(0, 1) }] })
  expect(await listed(2)).toEqual([hashes(0, 1).device_hash, [bob.jid, first]])
})

test("messages without a receipt come back, in order and marked offline, until they have one", async () => {
  const { ada, bob, client } = await network.chat()
  await bob.send(ada.number, "seen")
  await client.message("seen")
  await network.log({ kind: "in", who: `${ada.number}:1`, tag: "receipt" })

  await network.fault({ kind: "cut_before_receipt", device: `${ada.number}:1`, times: 1 })
  await bob.send(ada.number, "one")
  expect(await client.closed()).toBe(428)
  for (const text of ["two", "three"]) await bob.send(ada.number, text)

  // The ratchet has already moved past "one", so that is a repetition to Baileys; the others are new.
  const stanzas: Record<string, string>[] = []
  const again = network.client(client.device)
  again.sock.ws.on("CB:message", ({ attrs }: { attrs: Record<string, string> }) => stanzas.push(attrs))
  await again.message("three")
  expect(stanzas.map(({ offline }) => offline)).toEqual(["0", "1", "2"])
  expect(again.messages.map(({ message, type }) => [message.message?.conversation, type])).toEqual([
    ["two", "append"],
    ["three", "append"],
  ])
})

test("a client hears how much waits for it, and when that is over; where nothing waits, that it is over", async () => {
  const { ada, bob, client } = await network.chat()
  client.close()
  await client.closed()
  for (const text of ["one", "two", "three"]) await bob.send(ada.number, text)

  const told: [string, string | undefined][] = []
  const again = network.client(client.device)
  for (const what of ["offline_preview", "offline"])
    again.sock.ws.on(`CB:ib,,${what}`, (node: { content: { attrs: Record<string, string> }[] }) =>
      told.push([what, node.content[0]?.attrs.count]),
    )
  await again.message("three")
  expect(told).toEqual([
    ["offline_preview", "3"],
    ["offline", "3"],
  ])
  await network.control.settled(deviceOf(client), 10_000)
  again.close()
  await again.closed()
  const last = network.client(client.device)
  await last.until("the end of the backlog", () =>
    last.updates.find(({ receivedPendingNotifications }) => receivedPendingNotifications),
  )
})

test("a message and its receipt survive a connection that is cut after the receipt", async () => {
  const { ada, bob, client } = await network.chat()
  await network.fault({ kind: "cut_after_receipt", device: `${ada.number}:1`, times: 1 })
  await bob.send(ada.number, "once")
  await client.closed()
  const again = network.client(client.device)
  await bob.send(ada.number, "then")
  await again.message("then")
  expect(again.messages).toHaveLength(1)
})

test("a frame that breaks off ends the connection, and its message comes with the next", async () => {
  const { ada, bob, client } = await network.chat()
  await network.fault({ kind: "cut_mid_frame", device: `${ada.number}:1`, times: 1 })
  await bob.send(ada.number, "whole in the end")
  expect(await client.closed()).toBe(428)
  await network.client(client.device).message("whole in the end")
})

test("a nack with a chosen code reaches the sender, and the message reaches no one", async () => {
  await network.fault({ kind: "nack", device, times: 1, code: 479 })
  const sent = await client.sock.sendMessage(bob.jid, { text: "stale" })
  const refused = await client.status(sent!.key.id!, 0)
  expect(refused.update.messageStubParameters).toEqual(["479"])
  await client.sock.sendMessage(bob.jid, { text: "fresh" })
  expect(await bob.read({ text: "fresh" })).toHaveLength(1)
  expect((await bob.read()).map(({ text }) => text)).not.toContain("stale")
})

test("a phone counts a message that arrives twice under one id", async () => {
  await client.sock.sendMessage(bob.jid, { text: "again" }, { messageId: "3EB0AAAA" })
  await client.sock.sendMessage(bob.jid, { text: "again" }, { messageId: "3EB0AAAA" })
  await client.sock.sendMessage(bob.jid, { text: "done" })
  await bob.read({ text: "done" })
  expect((await bob.read({ id: "3EB0AAAA" }))[0]?.times).toBe(2)
})

test("one id from two senders is two messages, each settled by its own receipt", async () => {
  const [ada, bob, eve] = [await network.phone(), await network.phone(), await network.phone()]
  const client = await network.paired(ada)
  client.close()
  await client.closed()
  await bob.send(ada.number, "from Bob", { id: "SAME" })
  await eve.send(ada.number, "from Eve", { id: "SAME" })
  await network.fault({ kind: "cut_after_receipt", device: deviceOf(client), times: 1 })
  const first = network.client(client.device)
  await first.closed()

  const senders: (string | undefined)[] = []
  const second = network.client(client.device)
  second.sock.ws.on("CB:message", ({ attrs }: { attrs: Record<string, string> }) => {
    if (attrs.id === "SAME") senders.push(attrs.from)
    second.changed()
  })
  await second.until("the one without a receipt", () => senders[0])
  await network.call("GET", `/devices/${deviceOf(client)}/settled?wait=10000`)
  expect(senders).toEqual([eve.lid])
})

test("two receipts of one message are two stanzas: each comes again until it has its own ack", async () => {
  const [ada, bob] = [await network.phone(), await network.phone()]
  const turn = (on: boolean) => network.call("PATCH", `/phones/${bob.number}`, { on })
  const client = await network.paired(ada)
  await turn(false)
  const { key } = (await client.sock.sendMessage(bob.jid, { text: "well?" }))!
  client.close()
  await client.closed()
  await turn(true)
  const about = { chat: ada.number, addressing: "pn", message_ids: [key.id] }
  await network.call("POST", `/phones/${bob.number}/read`, about)

  const receiptsOf = (one: typeof client) => {
    const types: (string | undefined)[] = []
    one.sock.ws.on("CB:receipt", ({ attrs }: { attrs: Record<string, string> }) => {
      if (attrs.id === key.id) types.push(attrs.type)
      one.changed()
    })
    return types
  }
  // The acks of the first two do not arrive, the third does.
  await network.fault({ kind: "unsettled", device: deviceOf(client), times: 2 })
  const first = network.client(client.device)
  const seen = receiptsOf(first)
  await first.until("all receipts", () => seen[2])
  expect(seen).toEqual(["sender", undefined, "read"])
  await network.log({ kind: "in", who: deviceOf(client), tag: "ack", attrs: { type: "read" } })
  first.close()
  await first.closed()

  const second = network.client(client.device)
  const again = receiptsOf(second)
  await second.until("those without an ack", () => again[0])
  await network.call("GET", `/devices/${deviceOf(client)}/settled?wait=10000`)
  expect(again).toEqual(["sender", undefined])
})

test("each prekey is handed out once; without any left a session starts all the same", async () => {
  const ada = await network.phone()
  const ask = async () => {
    const answer = await client.sock.query({
      tag: "iq",
      attrs: { xmlns: "encrypt", type: "get", to: "s.whatsapp.net" },
      content: [{ tag: "key", attrs: {}, content: [{ tag: "user", attrs: { jid: ada.lid } }] }],
    })
    return JSON.stringify(answer).match(/"tag":"key".*?"data":(\[[\d,]+\])/)?.[1]
  }
  const keys = []
  for (let i = 0; i < 26; i++) keys.push(await ask())
  expect(new Set(keys).size).toBe(26)
  expect(keys).not.toContain(undefined)

  const other = await network.paired(await network.phone())
  const jid = other.device.creds.me!.lid!
  other.close()
  const users = Array.from({ length: 811 }, () => ({ tag: "user", attrs: { jid } }))
  await client.sock.query({
    tag: "iq",
    attrs: { xmlns: "encrypt", type: "get", to: "s.whatsapp.net" },
    content: [{ tag: "key", attrs: {}, content: users }],
  })
  const answer = await client.sock.query({
    tag: "iq",
    attrs: { xmlns: "encrypt", type: "get", to: "s.whatsapp.net" },
    content: [{ tag: "key", attrs: {}, content: users.slice(0, 2) }],
  })
  expect(JSON.stringify(answer)).not.toContain('"tag":"key"')
  await client.sock.sendMessage(`${deviceOf(other).split(":")[0]}@s.whatsapp.net`, {
    text: "without a prekey",
  })
  await network.client(other.device).message("without a prekey")
})

test("a client short of prekeys is asked for more", async () => {
  const ada = await network.phone()
  const short = await network.paired(ada)
  const jid = short.device.creds.me!.lid!
  const users = (n: number) => Array.from({ length: n }, () => ({ tag: "user", attrs: { jid } }))
  await client.sock.query({
    tag: "iq",
    attrs: { xmlns: "encrypt", type: "get", to: "s.whatsapp.net" },
    content: [{ tag: "key", attrs: {}, content: users(810) }],
  })
  const who = deviceOf(short)
  const [asked] = await network.log({ kind: "out", who, tag: "notification" })
  await network.log({ after: asked!.n, kind: "in", who, attrs: { xmlns: "encrypt", type: "set" } })
  const { devices } = (await network.call("GET", `/phones/${ada.number}`)) as {
    devices: { prekeys: number }[]
  }
  expect(devices[1]?.prekeys).toBeGreaterThan(4)
})

test("a phone shows what its account writes to itself under its private id, and nothing by number", async () => {
  const { ada, client } = await network.chat()
  await client.sock.sendMessage(ada.jid, { text: "by number" })
  await client.sock.sendMessage(ada.lid, { text: "by private id" })
  expect(await ada.read({ text: "by private id" })).toMatchObject([{ chat: ada.number, from_me: true }])
  expect(await network.call("GET", `/phones/${ada.number}/messages?text=by+number`)).toEqual([])
})
