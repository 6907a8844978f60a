import { getCACertificates, setDefaultCACertificates } from "node:tls"
import {
  type BinaryNode,
  type Contact,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildren,
  proto,
} from "@whiskeysockets/baileys"
import { afterAll, expect, test } from "vitest"
import { z } from "zod"
import { aNetwork, deviceOf } from "../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())
setDefaultCACertificates([...getCACertificates("default"), network.ca])

/** Baileys looks for files of history and settings at the live network's host: its name leads here. */
const reach = globalThis.fetch
globalThis.fetch = (input, init) =>
  reach(
    typeof input === "string"
      ? input.replace("https://mmg.whatsapp.net", new URL(network.tlsUrl).origin.replace("wss", "https"))
      : input,
    init,
  )

const Settings = z.array(z.object({ index: z.array(z.string()), value: z.record(z.string(), z.unknown()) }))

test.for([false, true])(
  "a new companion is told its account's chats and names (files: %s)",
  async (files) => {
    const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
    if (files) await network.fault({ kind: "files", device: `${ada.number}:1` })
    // A chat goes by the name in the address book; the name that a person gives themselves is told apart from
    // it.
    await network.call("POST", `/phones/${ada.number}/contacts`, { number: bob.number, full_name: "Robert" })
    for (let i = 0; i < 25; i++) await bob.send(ada.number, `message ${i}`)
    await ada.send(bob.number, "the last one")
    await bob.read({ text: "the last one" })

    const unlinked = network.client()
    await ada.scan(await unlinked.qr())
    await unlinked.closed()
    const client = network.client(unlinked.device, { shouldSyncHistoryMessage: () => true })
    const messages: unknown[] = []
    const contacts: Contact[] = []
    client.sock.ev.on("messaging-history.set", (history) => {
      messages.push(...history.messages)
      contacts.push(...history.contacts)
      client.changed()
    })
    await client.until("all history", () => (messages.length >= 26 ? true : undefined))
    expect(JSON.stringify(messages)).toContain("message 0")
    expect(JSON.stringify(messages)).toContain("the last one")
    expect(contacts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: bob.lid, phoneNumber: bob.jid, name: "Robert" }),
        expect.objectContaining({ id: bob.jid, notify: "Bob" }),
      ]),
    )
  },
)

test("a client asks its phone for older messages", async () => {
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  for (let i = 0; i < 110; i++) await bob.send(ada.number, `old ${i}`)
  const all = await ada.read({ count: 110 })
  const client = await network.paired(ada)
  const got = new Promise<string>((resolve) => {
    client.sock.ev.on("messaging-history.set", ({ messages, syncType }) => {
      if (syncType === proto.HistorySync.HistorySyncType.ON_DEMAND) resolve(JSON.stringify(messages))
    })
  })
  // The hundred newest it has been told already.
  await client.sock.fetchMessageHistory(5, { remoteJid: bob.lid, id: all[10]!.id, fromMe: false }, 0)
  const older = await got
  for (const i of [5, 9]) expect(older).toContain(`"old ${i}"`)
  for (const i of [4, 10]) expect(older).not.toContain(`"old ${i}"`)
})

test.for([false, true])("contacts reach a client now or later (as a snapshot: %s)", async (files) => {
  const [ada, bob, eve] = [await network.phone("Ada"), await network.phone("Bob"), await network.phone("Eve")]
  if (files) await network.fault({ kind: "files", device: `${ada.number}:2` })
  const add = (phone: { number: string }, full_name: string) =>
    network.call("POST", `/phones/${ada.number}/contacts`, { number: phone.number, full_name })
  const contacts: Contact[] = []
  const first = await network.paired(ada)
  first.sock.ev.on("contacts.upsert", (list) => {
    contacts.push(...list)
    first.changed()
  })
  await add(bob, "Robert")
  await first.until("the contact", () => contacts.find(({ name }) => name === "Robert"))
  await add(eve, "Evelyn")
  await add(bob, "Bobby")

  const unlinked = network.client()
  await ada.scan(await unlinked.qr())
  await unlinked.closed()
  const later = network.client(unlinked.device)
  const known: Contact[] = []
  later.sock.ev.on("contacts.upsert", (list) => {
    known.push(...list)
    later.changed()
  })
  await later.until("both contacts", () => (known.length >= 2 ? true : undefined))
  expect(known).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: bob.jid, name: "Bobby", lid: bob.lid }),
      expect.objectContaining({ id: eve.jid, name: "Evelyn" }),
    ]),
  )
  expect(known.map(({ name }) => name)).not.toContain("Robert")
})

test("a client's setting is seen by the phone and by the other client", async () => {
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  const [one, other] = [await network.paired(ada), await network.paired(ada)]
  const muted: unknown[] = []
  other.sock.ev.on("chats.update", (updates) => {
    muted.push(...updates.filter(({ muteEndTime }) => muteEndTime))
    other.changed()
  })
  await one.sock.chatModify({ mute: 8 * 3_600_000 }, bob.jid)
  await other.until("the muted chat", () => muted[0])
  const settings = Settings.parse(await network.call("GET", `/phones/${ada.number}/app-state/regular_high`))
  expect(settings).toMatchObject([{ index: ["mute", bob.jid], value: { muteAction: { muted: true } } }])

  // Both go on from the same version.
  await other.sock.chatModify({ pin: true }, bob.jid)
  await one.sock.chatModify({ mute: null }, bob.jid)
  expect(
    Settings.parse(await network.call("GET", `/phones/${ada.number}/app-state/regular_high`)),
  ).toMatchObject([{ value: { muteAction: { muted: false } } }])
})

test("a phone ignores a setting in another collection than its own, and labels of a private account", async () => {
  const { ada, bob, client } = await network.chat()
  const { id } = await bob.send(ada.number, "starred")
  await client.message("starred")
  // Baileys stars a message in another collection than WhatsApp does.
  await client.sock.star(bob.jid, [{ id, fromMe: false }], true)
  await client.sock.addChatLabel(bob.jid, "1")
  expect(await network.call("GET", `/phones/${ada.number}/app-state/regular`)).toEqual([])
  const ignored = await network.log({ event: "setting ignored", who: `${ada.number}:0` })
  expect(ignored.map(({ detail }) => detail)).toEqual([
    { collection: "regular_low", kind: "star" },
    { collection: "regular", kind: "label_jid" },
  ])
})

test("a message the phone cannot read is asked for again, and read then", async () => {
  const { bob, client } = await network.chat()
  // One bundle for two sessions: the second uses a prekey that is spent.
  const bundles: BinaryNode[] = []
  client.sock.ws.on("CB:iq,type:result", (node: BinaryNode) => {
    for (const user of getBinaryNodeChildren(getBinaryNodeChild(node, "list"), "user"))
      if (user.attrs.jid === bob.lid && getBinaryNodeChild(user, "registration")) bundles.push(user)
  })
  await client.sock.sendMessage(bob.lid, { text: "first" })
  await bob.read({ text: "first" })
  await client.sock.signalRepository.injectE2ESession({ jid: bob.lid, session: sessionOf(bundles.at(-1)!) })
  await client.sock.sendMessage(bob.lid, { text: "with a spent prekey" })
  expect(await bob.read({ text: "with a spent prekey" })).toMatchObject([{ times: 1 }])
  expect(await network.call("GET", `/phones/${bob.number}`)).toMatchObject({
    not_decrypted: { unknown_prekey: 1, bad: 0 },
  })
})

test("a ciphertext that comes a second time is a repetition to the phone, not a message", async () => {
  const { ada, bob, client } = await network.chat()
  await client.sock.sendMessage(bob.lid, { text: "settled" })
  await bob.read({ text: "settled" })
  await bob.send(ada.number, "answered")
  await client.message("answered")
  const { ciphertext, type } = await client.sock.signalRepository.encryptMessage({
    jid: bob.lid,
    data: Buffer.concat([Buffer.from([0x0a, 2, 0x68, 0x69]), Buffer.from([1])]),
  })
  for (const messageId of ["ONCE", "TWICE"])
    await client.sock.sendNode({
      tag: "message",
      attrs: { id: messageId, to: bob.lid, type: "text" },
      content: [{ tag: "enc", attrs: { v: "2", type }, content: ciphertext }],
    })
  await network.log({ event: "not decrypted", who: `${bob.number}:0` })
  expect(await bob.read({ text: "hi", count: 1 })).toMatchObject([{ id: "ONCE" }])
  expect(await network.call("GET", `/phones/${bob.number}`)).toMatchObject({ not_decrypted: { repeated: 1 } })
})

test("a client that has lost its sessions asks again, in a chat and in a group, and reads then", async () => {
  const { ada, bob, client } = await network.chat()
  const { jid } = await network.group([bob, ada])
  await bob.send(ada.number, "one")
  await bob.send(jid, "in the group")
  await client.message("one")
  await client.message("in the group")
  await network.call("GET", `/devices/${deviceOf(client)}/settled?wait=10000`)

  const lid = bob.lid.split("@")[0]!
  await client.device.keys.set({
    session: { [`${lid}_1.0`]: null },
    "sender-key": { [`${jid}::${lid}_1::0`]: null },
  })
  await bob.send(ada.number, "two")
  await client.message("two")
  await bob.send(jid, "again in the group")
  await client.message("again in the group")
  const asked = await network.log({
    kind: "in",
    who: deviceOf(client),
    tag: "receipt",
    attrs: { type: "retry" },
  })
  expect(asked).toHaveLength(2)
})

/** A bundle of keys as the network answers it, as Baileys starts a session with it. */
function sessionOf(user: BinaryNode) {
  const [skey, preKey] = [getBinaryNodeChild(user, "skey"), getBinaryNodeChild(user, "key")]
  return {
    registrationId: bytes(user, "registration").readUInt32BE(),
    identityKey: typed(bytes(user, "identity")),
    signedPreKey: {
      keyId: bytes(skey, "id").readUIntBE(0, 3),
      publicKey: typed(bytes(skey, "value")),
      signature: bytes(skey, "signature"),
    },
    preKey: { keyId: bytes(preKey, "id").readUIntBE(0, 3), publicKey: typed(bytes(preKey, "value")) },
  }
}

const bytes = (of: BinaryNode | undefined, tag: string) => getBinaryNodeChildBuffer(of, tag) as Buffer

const typed = (key: Buffer) => Buffer.concat([Buffer.from([5]), key])
