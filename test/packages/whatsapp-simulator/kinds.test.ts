import { createHash, randomBytes } from "node:crypto"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { decryptEventResponse, decryptPollVote, downloadMediaMessage, proto } from "@whiskeysockets/baileys"
import { afterAll, expect, test } from "vitest"
import { aNetwork } from "../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())

// Media is under TLS with an authority of the network's own.
setDefaultCACertificates([...getCACertificates("default"), network.ca])

const { ada, bob, client } = await network.chat()

/** What a phone has posted, when it is here. */
const comes = async (post: Promise<{ id: string }>) => {
  const { id } = await post
  const here = () => client.messages.find(({ message }) => message.key.id === id)
  return (await client.until("the message", here)).message
}

test("media goes up from a client, and its phone opens it", async () => {
  const data = randomBytes(100_000)
  const sent = await client.sock.sendMessage(bob.jid, {
    document: data,
    mimetype: "application/pdf",
    fileName: "plan.pdf",
    caption: "the plan",
  })
  const [read] = await bob.read({ text: "the plan" })
  expect(read).toMatchObject({ kind: "documentMessage" })
  expect((await bob.file(sent!.key.id!)).equals(data)).toBe(true)
})

test.for(["image", "video", "audio", "document", "sticker"] as const)(
  "a phone's %s comes down to a client",
  async (kind) => {
    const data = randomBytes(50_001)
    const media = { kind, data: data.toString("base64"), mimetype: "application/x-test" }
    const got = await downloadMediaMessage(await comes(bob.post(ada.number, { media })), "buffer", {})
    expect(got.equals(data)).toBe(true)
  },
)

test("a file the network has forgotten is gone, and is brought again by the phone, when a client asks", async () => {
  const data = randomBytes(1000)
  const media = { kind: "image", data: data.toString("base64"), mimetype: "image/png" }
  const message = await comes(bob.post(ada.number, { media }))
  await network.call("DELETE", message.message!.imageMessage!.directPath!.replace("/v/", "/media/"))
  await expect(downloadMediaMessage(message, "buffer", {})).rejects.toThrow("Failed to fetch")
  await client.sock.refreshMediaConn()
  const again = await client.sock.updateMediaMessage(message)
  expect((await downloadMediaMessage(again, "buffer", {})).equals(data)).toBe(true)

  const lost = structuredClone(message)
  lost.key.id = "NOSUCH"
  await expect(client.sock.updateMediaMessage(lost)).rejects.toThrow("re-upload")
})

test("two clients exchange a picture, in a chat and in a group", async () => {
  const [ada, bob] = [await network.phone(), await network.phone()]
  const [one, other] = [await network.paired(ada), await network.paired(bob)]
  const { id } = await one.sock.groupCreate("Pictures", [bob.jid])
  for (const chat of [bob.jid, id]) {
    const image = randomBytes(20_000)
    await one.sock.sendMessage(chat, { image, caption: `look, ${chat}`, jpegThumbnail: "" })
    const { message } = await other.until("the picture", () =>
      other.messages.find((found) => found.message.message?.imageMessage?.caption === `look, ${chat}`),
    )
    expect((await downloadMediaMessage(message, "buffer", {})).equals(image)).toBe(true)
  }
})

test.for(["lid", "pn"] as const)("a poll made by a client is voted on in a %s chat", async (addressing) => {
  const me = addressing === "lid" ? client.device.creds.me!.lid! : ada.jid
  const them = addressing === "lid" ? bob.lid : bob.jid
  const poll = await client.sock.sendMessage(them, {
    poll: { name: "Lunch?", values: ["Soup", "Salad"], selectableCount: 1 },
  })
  const id = poll!.key.id!
  await bob.read({ id })
  const message = await comes(
    bob.post(ada.number, { vote: { message_id: id, options: ["Salad"] }, addressing }),
  )
  const vote = decryptPollVote(message.message!.pollUpdateMessage!.vote!, {
    pollCreatorJid: me.replace(/:\d+/, ""),
    pollMsgId: id,
    pollEncKey: poll!.message!.messageContextInfo!.messageSecret!,
    voterJid: them,
  })
  expect(vote.selectedOptions?.map((hash) => Buffer.from(hash).toString("hex"))).toEqual([
    createHash("sha256").update("Salad").digest("hex"),
  ])
})

test("an event made by a client is answered", async () => {
  const event = await client.sock.sendMessage(bob.lid, {
    event: { name: "Party", startDate: new Date("2030-01-01T20:00:00Z") },
  })
  const id = event!.key.id!
  await bob.read({ id, kind: "eventMessage" })
  const message = await comes(
    bob.post(ada.number, { rsvp: { message_id: id, response: "going", guests: 2 } }),
  )
  const answer = decryptEventResponse(message.message!.encEventResponseMessage!, {
    eventCreatorJid: ada.lid,
    eventMsgId: id,
    eventEncKey: event!.message!.messageContextInfo!.messageSecret!,
    responderJid: bob.lid,
  })
  expect(answer).toMatchObject({
    response: proto.Message.EventResponseMessage.EventResponseType.GOING,
    extraGuestCount: 2,
  })
})

test("a phone reacts, edits, pins, revokes; a client sees each for what it is", async () => {
  const sent = await client.sock.sendMessage(bob.lid, { text: "from Ada" })
  await bob.read({ text: "from Ada" })
  const reaction = await comes(bob.post(ada.number, { reaction: { message_id: sent!.key.id!, emoji: "👍" } }))
  expect(reaction.message?.reactionMessage).toMatchObject({
    text: "👍",
    key: { id: sent!.key.id, fromMe: true },
  })

  const { id } = await bob.send(ada.number, "frist")
  await client.message("frist")
  await bob.post(ada.number, { edit: { message_id: id, text: "first" } })
  const edited = await client.until("the edit", () =>
    client.statuses.find(({ key, update }) => key.id === id && update.message?.editedMessage),
  )
  expect(edited.update.message?.editedMessage?.message?.conversation).toBe("first")

  await bob.post(ada.number, { pin: { message_id: id } })
  await client.until("the pin", () =>
    client.messages.find(({ message }) => message.message?.pinInChatMessage?.key?.id === id),
  )
  await bob.post(ada.number, { revoke: { message_id: id } })
  await client.until("the revocation", () =>
    client.statuses.find(({ key, update }) => key.id === id && update.message === null),
  )
  await expect(bob.post(ada.number, { revoke: { message_id: "NOSUCH" } })).rejects.toThrow("unknown_message")
  const newer = { spoilerMessage: { message: { conversation: "who did it" } } }
  for (const raw of [newer, { ephemeralMessage: { message: newer } }])
    await expect(bob.post(ada.number, { raw })).rejects.toThrow("unknown_field")
  // A text that is called `message` is no message within.
  const { id: order } = (await bob.post(ada.number, { raw: { orderMessage: { message: "two mugs" } } })) as {
    id: string
  }
  await client.until("the order", () => client.messages.find(({ message }) => message.key.id === order))
})

test("a client's reaction, edit, pin and revocation reach the phone with their marks", async () => {
  const { ada, bob, client } = await network.chat()
  const sent = await client.sock.sendMessage(bob.jid, { text: "frist" })
  const key = sent!.key
  await client.sock.sendMessage(bob.jid, { react: { text: "❤️", key } })
  await client.sock.sendMessage(bob.jid, { text: "first", edit: key })
  await client.sock.sendMessage(bob.jid, { pin: key, type: proto.PinInChat.Type.PIN_FOR_ALL, time: 86_400 })
  await client.sock.sendMessage(bob.jid, { delete: key })
  const read = await bob.read({ from: ada.number, count: 5 })
  expect(read.map(({ kind }) => kind)).toEqual([
    "extendedTextMessage",
    "reactionMessage",
    "protocolMessage",
    "pinInChatMessage",
    "protocolMessage",
  ])
  const marks = (await network.log({ kind: "in", who: `${ada.number}:1`, tag: "message" })).map(
    ({ stanza }) => [stanza?.attrs.type, stanza?.attrs.edit],
  )
  expect(marks).toEqual([
    ["text", undefined],
    ["reaction", undefined],
    ["text", "1"],
    ["text", "2"],
    ["text", "7"],
  ])
})

test("a quote, a mention, a place and a contact arrive as such", async () => {
  const { id } = await bob.send(ada.number, "original")
  await client.message("original")
  await bob.post(ada.number, { text: "about that", quoted: id, mentions: [ada.number] })
  const { message } = await client.message("about that")
  expect(message.message?.extendedTextMessage?.contextInfo).toMatchObject({
    stanzaId: id,
    participant: bob.lid,
    mentionedJid: [ada.lid],
    quotedMessage: { conversation: "original" },
  })
  await bob.post(ada.number, { location: { latitude: 52.5, longitude: 13.4, name: "Berlin" } })
  await bob.post(ada.number, { contact: { name: "Eve", vcard: "BEGIN:VCARD\nEND:VCARD" } })
  await bob.post(ada.number, { raw: { conversation: "as it is" } })
  await client.message("as it is")
  expect(client.messages.flatMap((one) => one.message.message?.locationMessage?.name ?? [])).toEqual([
    "Berlin",
  ])
  expect(client.messages.flatMap((one) => one.message.message?.contactMessage?.displayName ?? [])).toEqual([
    "Eve",
  ])
})
