import { type BinaryNode, getBinaryNodeChild } from "@whiskeysockets/baileys"
import { afterAll, afterEach, expect, test } from "vitest"
import { contactHash } from "#simulator/devices/notify-of-devices.ts"
import type { Client } from "../../support/network/baileys-client.ts"
import { aNetwork } from "../../support/network/network.ts"

const network = await aNetwork()
const patience = (wanted: object) => network.call("PATCH", "/patience", wanted)
const usual = (await network.call("GET", "/patience")) as object
afterEach(() => patience(usual))
afterAll(() => network.close())

/** The stanzas of this tag that the client gets, from now on. */
function seen(client: Client, tag: string): BinaryNode[] {
  const found: BinaryNode[] = []
  client.sock.ws.on(`CB:${tag}`, (node: BinaryNode) => {
    found.push(node)
    client.changed()
  })
  return found
}

test("a status is a stanza of its own, which comes with each connection until its ack", async () => {
  const { ada, bob, client, device } = await network.chat()
  const first = seen(client, "status")
  const { id } = await bob.post("status@broadcast", { text: "my day", viewers: [ada.number] })
  const { attrs } = await client.until("the status", () => first[0])
  expect(attrs).toMatchObject({ id, from: "status@broadcast", participant: bob.lid })
  await client.sock.sendReceipt("status@broadcast", bob.lid, [id], undefined)
  await network.log({ who: device, kind: "in", tag: "receipt", attrs: { id } })

  client.close()
  const again = network.client(client.device)
  const second = seen(again, "status")
  await again.until("the same status", () => second.find((one) => one.attrs.id === id))
  const ack = { class: "status", id, to: "status@broadcast", participant: bob.lid }
  await again.sock.sendNode({ tag: "ack", attrs: ack })
  expect(await network.control.settled(device, 10_000)).toBe(true)
})

test("to an account that the change has not reached, a status is a message", async () => {
  const { ada, bob, client, device } = await network.chat()
  await network.fault({ kind: "status_as_message", device, times: 1 })
  const { id } = await bob.post("status@broadcast", { text: "my day", viewers: [ada.number] })
  const { message } = await client.message("my day")
  expect(message.key).toMatchObject({ id, remoteJid: "status@broadcast" })
})

test.for(["status", "appdata"])(
  "a stream ends when a device leaves a %s unanswered for too long, and goes on when it does not",
  async (tag) => {
    const { bob, client, device } = await network.chat()
    expect(await network.control.settled(device, 10_000)).toBe(true)
    await patience({ answer_ms: 300 })
    const found = seen(client, tag)
    const stanza = { tag, attrs: { from: bob.lid, participant: bob.lid, t: "1" } }
    await network.control.stanza(device, stanza)
    const answered = await client.until("a stanza", () => found[0])
    const ack = { class: tag, id: answered.attrs.id!, to: bob.lid, participant: bob.lid }
    await client.sock.sendNode({ tag: "ack", attrs: ack })
    expect(await network.control.settled(device, 10_000)).toBe(true)

    await network.control.stanza(device, stanza)
    await client.closed()
    const [entry] = await network.log({ who: device, kind: "out", tag: "stream:error" })
    expect(entry?.stanza?.content).toMatchObject([{ tag: "ack", attrs: { id: found[1]?.attrs.id } }])
  },
)

test("the old question sets no about text, and the mutation does", async () => {
  const { client, ada } = await network.chat()
  const aboutOf = async () => {
    const [found] = (await client.sock.fetchStatus(ada.jid)) ?? []
    return (found?.status as { status?: string } | undefined)?.status ?? ""
  }
  await client.sock.updateProfileStatus("in vain")
  expect(await aboutOf()).toBe("")
  const input = { text: "for all to see", emoji: { content: "🌞" }, ephemeral_duration_sec: 0 }
  await client.sock.query({
    tag: "iq",
    attrs: { to: "@s.whatsapp.net", type: "get", xmlns: "w:mex" },
    content: [
      {
        tag: "query",
        attrs: { query_id: "9152604461510864" },
        content: Buffer.from(JSON.stringify({ variables: { input } })),
      },
    ],
  })
  expect(await aboutOf()).toBe("for all to see")
})

test("a contact's devices are told of by a hash of the contact, from one's own account", async () => {
  const { ada, bob, client } = await network.chat()
  await bob.send(ada.number, "hello")
  await client.message("hello")
  const notices = seen(client, "notification,type:devices")
  await network.paired(bob)
  const notice = await client.until("news of devices", () => notices[0])
  expect(notice.attrs.from).toBe(ada.lid)
  const hash = contactHash(bob.lid.split("@")[0]!)
  expect(getBinaryNodeChild(notice, "update")?.attrs).toEqual({ hash })
})

test("the hash of a contact is the one that WhatsApp Web makes", () => {
  expect(contactHash("100000000000001")).toBe("s7oK")
})
