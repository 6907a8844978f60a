import { type BinaryNode, DisconnectReason, generateMessageIDV2 } from "@whiskeysockets/baileys"
import { afterAll, expect, test } from "vitest"
import { z } from "zod"
import { newDevice } from "../../support/network/baileys-client.ts"
import { aNetwork, deviceOf } from "../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())

const iq = (xmlns: string, type: string, content: BinaryNode[]): BinaryNode => ({
  tag: "iq",
  attrs: { to: "@s.whatsapp.net", xmlns, type },
  content,
})

/** A client that had its code scanned by the phone of this household. */
async function aMember(household: string) {
  const device = newDevice()
  const unlinked = network.client(device)
  const code = { tag: "code", attrs: { household }, content: Buffer.from(await unlinked.qr()) }
  await unlinked.sock.query(iq("sandbox", "set", [code]))
  await unlinked.closed()
  const client = network.client(device)
  await client.online()
  const { id, lid } = client.device.creds.me!
  return { client, jid: id.replace(/:\d+/, ""), lid: lid!.replace(/:\d+/, "") }
}

const [one, other] = [await aMember("one"), await aMember("other")]
const ada = await network.phone("Ada")
const stranger = await network.paired(ada)

/** How a message with this ciphertext for this person is answered: 0 when it was taken. */
async function sends(client: typeof stranger, to: string, person: string): Promise<number> {
  const id = generateMessageIDV2()
  const enc: BinaryNode = { tag: "enc", attrs: { v: "2", type: "msg" }, content: Buffer.from("sealed") }
  const participants = [{ tag: "to", attrs: { jid: person }, content: [enc] }]
  const attrs = { to, id, type: "text" }
  await client.sock.sendNode({
    tag: "message",
    attrs,
    content: [{ tag: "participants", attrs: {}, content: participants }],
  })
  const [ack] = await network.log({ kind: "out", who: deviceOf(client), tag: "ack", attrs: { id } })
  return Number(ack!.stanza!.attrs.error ?? 0)
}

test.for(["status@broadcast", "123@broadcast", "the person"])(
  "people of a household write to no one else, and no one else writes to them (%s)",
  async (chat) => {
    const to = (person: string) => (chat === "the person" ? person : chat)
    expect(await sends(one.client, to(one.lid), one.lid)).toBe(0)
    for (const person of [other.jid, other.lid, ada.jid, ada.lid])
      expect(await sends(one.client, to(person), person)).toBe(404)
    for (const person of [one.jid, one.lid]) expect(await sends(stranger, to(person), person)).toBe(404)
  },
)

test("people of a household find no one else, and no one else finds them", async () => {
  const found = async (client: typeof stranger, jid: string) => await client.sock.onWhatsApp(jid)
  expect(await found(one.client, one.jid)).toMatchObject([{ exists: true }])
  for (const jid of [other.jid, ada.jid]) expect(await found(one.client, jid)).toEqual([])
  expect(await found(stranger, one.jid)).toEqual([])
})

/** How an iq of the first household's is answered: the code of its error. */
const refused = (node: BinaryNode) =>
  one.client.sock.query(node).then(
    () => "answered",
    (error: unknown) => String((error as { data?: unknown }).data),
  )

test("people of a household get no other's keys, card or picture, and make no group with others", async () => {
  for (const jid of [other.lid, ada.lid]) {
    const user = { tag: "user", attrs: { jid } }
    const participant = { tag: "participant", attrs: { jid } }
    const of: BinaryNode[] = [
      iq("encrypt", "get", [{ tag: "key", attrs: {}, content: [user] }]),
      iq("w:biz", "get", [
        { tag: "business_profile", attrs: {}, content: [{ tag: "profile", attrs: { jid } }] },
      ]),
      iq("w:g2", "set", [{ tag: "create", attrs: { subject: "Us", key: "1" }, content: [participant] }]),
    ]
    for (const asked of of) expect(await refused(asked)).toBe("404")
    const picture = iq("w:profile:picture", "get", [{ tag: "picture", attrs: { type: "image" } }])
    expect(await refused({ ...picture, attrs: { ...picture.attrs, target: jid } })).toBe("404")
  }
})

test("people of a household cannot call anyone else, and are told so", async () => {
  for (const jid of [other.lid, ada.lid]) {
    const offer = { tag: "offer", attrs: { "call-id": "1", "call-creator": one.lid } }
    const ack = (await one.client.sock.query({
      tag: "call",
      attrs: { to: jid, id: generateMessageIDV2() },
      content: [offer],
    })) as BinaryNode
    expect(ack.attrs.error).toBe("404")
  }
})

test("a household stays as it is when its phone links another client, and the one before is logged out", async () => {
  const before = await aMember("third")
  const people = await peopleOnTheNetwork()
  const after = await aMember("third")
  expect(after.jid).toBe(before.jid)
  expect(await peopleOnTheNetwork()).toEqual(people)
  expect(await before.client.closed()).toBe(DisconnectReason.loggedOut)
})

async function peopleOnTheNetwork(): Promise<string[]> {
  const phones = z.array(z.object({ number: z.string() })).parse(await network.call("GET", "/phones"))
  return phones.map(({ number }) => number)
}

test("in a group a household's people answer its owner alone, and its link leads no stranger there", async () => {
  const { sock } = one.client
  const helpers = (await network.control.phones()).filter(({ name }) => name === "Echo" || name === "Voter")
  const own: string[] = []
  for (const { jid } of helpers) if ((await sock.onWhatsApp(jid))?.[0]?.exists) own.push(jid)
  expect(own).toHaveLength(2)
  const { id } = await sock.groupCreate("All of us", own)
  await sock.sendMessage(id, { text: "hello, both" })
  await one.client.message("hello, both")
  await one.client.message("I vote on polls and answer event messages: send me one.")
  const code = (await sock.groupInviteCode(id))!
  for (const client of [other.client, stranger])
    await expect(client.sock.groupGetInviteInfo(code)).rejects.toThrow("not-acceptable")
})
