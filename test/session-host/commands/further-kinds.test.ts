import { spawnSync } from "node:child_process"
import { proto } from "@whiskeysockets/baileys"
import "#test/support/store.ts"
import sharp from "sharp"
import { expect, test } from "vitest"
import { Lease } from "#core/lease/lease.ts"
import { statusChat } from "#core/message/jid.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { aFileServer, trustMediaOf } from "#test/support/file-server.ts"
import { mp3, mp4, ogg } from "#test/support/media-files.ts"
import { aChat } from "#test/support/session/chat.ts"
import { call } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

const chat = await aChat({ isShared: true })
const { ask, bob, phone, network, message, bridge } = chat
trustMediaOf(network)
const eve = await network.phone("Eve")
/** A real Baileys client of Bob's. */
const client = await network.paired(bob)

/** What Bob's Baileys client has read under this id, as it gives it to its program. */
const readBy = async (id: string) => {
  const { message: read } = await client.until(id, () =>
    client.messages.find(({ message: { key, message } }) => key.id === id && message),
  )
  return proto.Message.fromObject(read.message!)
}
const hasFfmpeg = spawnSync("ffmpeg", ["-version"]).status === 0
const contentOf = (read: { content: unknown } | undefined) =>
  proto.Message.fromObject(read?.content as object)
/** How often the network was asked where files may be uploaded. */
const uploads = async () =>
  (await network.control.log({ kind: "in", attrs: { xmlns: "w:m", type: "set" } })).length
const picture = await sharp({ create: { width: 600, height: 400, channels: 3, background: "#336699" } })
  .jpeg()
  .toBuffer()

test("one card and several arrive as contact cards, whatever their names contain", async () => {
  const contacts = [{ name: "Ada; Countess,\nof \\Lovelace", phone: `+${eve.number}`, organization: "Mill" }]
  const sent = await ask("POST", "/send/contact", { chat: bob.number, contacts })
  const { contactMessage } = await readBy(sent.message_id)
  expect(contactMessage?.displayName).toBe(contacts[0]!.name)
  expect(contactMessage?.vcard?.split("\n")).toEqual([
    "BEGIN:VCARD",
    "VERSION:3.0",
    "N:;Ada\\; Countess\\,\\nof \\\\Lovelace;;;",
    "FN:Ada\\; Countess\\,\\nof \\\\Lovelace",
    "ORG:Mill",
    `TEL;type=CELL;type=VOICE;waid=${eve.number}:+${eve.number}`,
    "END:VCARD",
  ])
  const vcard = "BEGIN:VCARD\nVERSION:3.0\nFN:Eve\nEND:VCARD"
  const two = await ask("POST", "/send/contact", {
    chat: bob.number,
    contacts: [...contacts, { name: "Eve", vcard }],
  })
  const { contactsArrayMessage } = await readBy(two.message_id)
  expect(contactsArrayMessage?.contacts).toHaveLength(2)
  expect(contactsArrayMessage?.contacts?.[1]).toMatchObject({ displayName: "Eve", vcard })
  const unknown = await ask("POST", "/send/contact", {
    chat: bob.number,
    contacts: [{ name: "Off", phone: "4915799999999" }],
  })
  const { contactMessage: toInvite } = await readBy(unknown.message_id)
  expect(toInvite?.vcard).toContain("\nTEL;type=CELL;type=VOICE:+4915799999999\n")
  for (const card of [{ name: "x" }, { name: "x", phone: eve.number, vcard }, { name: "x", vcard: "FN:x" }])
    expect(await ask("POST", "/send/contact", { chat: bob.number, contacts: [card] })).toMatchObject({
      status: 400,
    })
})

test("a link's preview is the caller's, with a small picture, and nothing is fetched", async () => {
  const server = await aFileServer({
    "/offer": { type: "text/html", body: Buffer.from("<title>theirs</title>") },
  })
  const url = `${server.url}/offer`
  const preview = { url, title: "Our offer", description: "Only today", image: picture.toString("base64") }
  const sent = await ask("POST", "/send/text", { chat: bob.number, body: `Look: ${url}`, preview })
  const { extendedTextMessage } = await readBy(sent.message_id)
  expect(extendedTextMessage).toMatchObject({
    matchedText: url,
    title: "Our offer",
    description: "Only today",
  })
  const thumbnail = Buffer.from(extendedTextMessage!.jpegThumbnail!)
  expect(await sharp(thumbnail).metadata()).toMatchObject({ format: "jpeg", width: 192 })
  expect(server.asked).toEqual([])

  const elsewhere = { ...preview, url: "https://example.org/other" }
  const refused = await ask("POST", "/send/text", {
    chat: bob.number,
    body: `Look: ${url}`,
    preview: elsewhere,
  })
  expect(refused).toMatchObject({ status: 400, issues: [{ path: "preview" }] })
  const torn = { ...preview, image: Buffer.from("no picture").toString("base64") }
  expect(await ask("POST", "/send/text", { chat: bob.number, body: url, preview: torn })).toMatchObject({
    status: 422,
    code: "media_type_mismatch",
  })
})

function page(html: string) {
  return { type: "text/html; charset=utf-8", body: Buffer.from(html) }
}

test("a link's page is fetched where that is asked for, and a text goes without what cannot be had", async () => {
  const head =
    '<title>no</title><meta property="og:title" content="Tea &amp; co"><meta content=\'So &#x1F375;\' name=description>' +
    "<meta property=og:image content=/tea.jpg></head>"
  const server = await aFileServer({
    "/tea": page(head + "x".repeat(300_000)),
    "/tea.jpg": { type: "image/jpeg", body: picture },
    "/bare": page("<title> A\n page </title><meta property='og:image' content='/none.jpg'>"),
    "/none": page("<p>no title</p>"),
    "/broken": { ...page(head), status: 500 },
    "/file": { type: "text/plain", body: Buffer.from(head) },
  })
  const send = async (path: string, more = {}) => {
    const body = `Look (${server.url}${path}).`
    const { message_id: id } = await ask("POST", "/send/text", { chat: bob.number, body, ...more })
    const [stanza] = await network.log({ kind: "in", tag: "message", attrs: { id } })
    const { extendedTextMessage: text } = contentOf((await bob.read({ id }))[0])
    expect(text!.text).toBe(body)
    return { text, type: stanza!.stanza!.attrs.type }
  }
  const wanted = { link_preview: true }
  expect((await send("/tea")).text?.title ?? "").toBe("")
  expect(server.asked).toEqual([])

  const { text, type } = await send("/tea", wanted)
  const matchedText = `${server.url}/tea`
  expect(text).toMatchObject({ matchedText, title: "Tea & co", description: "So 🍵" })
  expect(await sharp(Buffer.from(text!.jpegThumbnail!)).metadata()).toMatchObject({ width: 192 })
  expect([type, server.asked]).toEqual(["media", ["/tea", "/tea.jpg"]])
  const bare = await send("/bare", wanted)
  expect(bare.text).toMatchObject({ title: "A page", description: "" })
  expect(bare.text?.jpegThumbnail ?? []).toHaveLength(0)
  for (const path of ["/none", "/broken", "/file", "/nowhere"])
    expect((await send(path, wanted)).type).toBe("text")

  await Lease.choose(bridge.id, { linkPreviews: true })
  await call(bridge.id, "POST", "/look-at-lease")
  const asked = server.asked.length
  expect((await send("/tea", { link_preview: false })).type).toBe("text")
  expect((await send("/tea")).text).toMatchObject({ title: "Tea & co" })
  // It was fetched lately.
  expect(server.asked).toHaveLength(asked)
})

test("a message is pinned in its chat, for everyone and for a time, and unpinned", async () => {
  const { id } = await bob.send(phone.number, "the address is Mill Lane 1")
  await message(id)
  const pinned = await ask("POST", `/messages/${id}/pin`, { duration: 86_400 })
  const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type
  const pin = await readBy(pinned.message_id)
  expect(pin.pinInChatMessage).toMatchObject({ type: PIN_FOR_ALL, key: { id, fromMe: false } })
  expect(pin.messageContextInfo?.messageAddOnDurationInSecs).toBe(86_400)
  const unpinned = await ask("DELETE", `/messages/${id}/pin`)
  expect((await readBy(unpinned.message_id)).pinInChatMessage?.type).toBe(UNPIN_FOR_ALL)
  const [stanza] = await network.log({ kind: "in", tag: "message", attrs: { id: pinned.message_id } })
  expect(stanza?.stanza?.attrs.edit).toBe("2")
  expect(await ask("POST", `/messages/${id}/pin`, { duration: 60 })).toMatchObject({ status: 400 })
  expect(await ask("POST", "/messages/NOSUCH/pin", {})).toMatchObject({ status: 404 })
})

test("a forwarded text, picture or card says that it was forwarded; the file is not uploaded again", async () => {
  const { id } = await eve.send(phone.number, "pass it on")
  await message(id)
  const text = await ask("POST", "/send/forward", { chat: bob.number, message_id: id, from_chat: eve.number })
  expect((await readBy(text.message_id)).extendedTextMessage).toMatchObject({
    text: "pass it on",
    contextInfo: { isForwarded: true, forwardingScore: 1 },
  })

  const media = {
    kind: "image",
    mimetype: "image/jpeg",
    data: picture.toString("base64"),
    caption: "the mill",
  }
  const { id: image } = await eve.post(phone.number, { media })
  await message(image)
  const before = await uploads()
  const forward = await ask("POST", "/send/forward", { chat: bob.number, message_id: image })
  expect((await readBy(forward.message_id)).imageMessage).toMatchObject({
    caption: "the mill",
    contextInfo: { isForwarded: true },
  })
  expect((await bob.file(forward.message_id)).equals(picture)).toBe(true)
  expect(await uploads()).toBe(before)

  const vcard = `BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nPHOTO;BASE64:${"abcd".repeat(3000)}\nEND:VCARD`
  for (const [post, kind] of [
    [{ contact: { name: "Ada", vcard } }, { contactMessage: { displayName: "Ada", vcard } }],
    [{ text: "€".repeat(65_536) }, { extendedTextMessage: { text: "€".repeat(65_536) } }],
  ] as const) {
    const came = await eve.post(phone.number, post)
    await message(came.id)
    const passed = await ask("POST", "/send/forward", { chat: bob.number, message_id: came.id })
    expect(await readBy(passed.message_id)).toMatchObject(kind)
    const answer = { chat: eve.number, body: "thanks", quoted_message_id: came.id }
    const { message_id } = await ask("POST", "/send/text", answer)
    const [quoting] = await network.log({ kind: "in", tag: "message", attrs: { id: message_id } })
    expect(JSON.stringify(quoting).length).toBeLessThan(60_000)
  }

  // A message that we wrote ourselves is not marked as forwarded.
  const own = await ask("POST", "/send/text", { chat: eve.number, body: "our own" })
  const again = await ask("POST", "/send/forward", { chat: bob.number, message_id: own.message_id })
  expect((await readBy(again.message_id)).extendedTextMessage?.contextInfo).toBeFalsy()
})

test("what is not remembered whole, or is not for others, is not forwarded", async () => {
  const poll = await ask("POST", "/send/poll", { chat: bob.number, question: "?", options: ["a", "b"] })
  const { url } = await aFileServer({ "/a.jpg": { type: "image/jpeg", body: picture } })
  const once = await ask("POST", "/send/media", { chat: bob.number, url: `${url}/a.jpg`, view_once: true })
  const media = { kind: "image", mimetype: "image/jpeg", data: picture.toString("base64") }
  const long = await bob.post(phone.number, { media: { ...media, caption: "x".repeat(65_537) } })
  const card = { name: "Ada", vcard: `BEGIN:VCARD\nPHOTO:${"x".repeat(300_000)}\nEND:VCARD` }
  const large = await bob.post(phone.number, { contact: card })
  for (const { id } of [long, large]) await message(id)
  for (const message_id of [poll.message_id, once.message_id, long.id, large.id])
    expect(await ask("POST", "/send/forward", { chat: eve.number, message_id })).toMatchObject({
      status: 400,
      code: "invalid_request",
    })
  expect(await ask("POST", "/send/forward", { chat: eve.number, message_id: "NOSUCH" })).toMatchObject({
    status: 404,
  })
})

test("a picture that is seen once arrives as such; a document cannot be", async () => {
  const { url } = await aFileServer({
    "/a.jpg": { type: "image/jpeg", body: picture },
    "/a.pdf": { type: "application/pdf", body: Buffer.from("%PDF-1.7 x") },
  })
  const sent = await ask("POST", "/send/media", { chat: bob.number, url: `${url}/a.jpg`, view_once: true })
  const { viewOnceMessage } = await readBy(sent.message_id)
  expect(viewOnceMessage?.message?.imageMessage).toMatchObject({ viewOnce: true, width: 600 })
  expect(
    await ask("POST", "/send/media", { chat: bob.number, url: `${url}/a.pdf`, view_once: true }),
  ).toMatchObject({ status: 422, code: "media_type_mismatch" })
})

test("a status goes to the address book but those hidden from it, once under its key, and is revoked there", async () => {
  expect(await ask("POST", "/send/status", { body: "nobody there" })).toMatchObject({
    status: 422,
    code: "recipient_not_found",
  })
  const people = [bob, eve].map(({ number }, i) => ({ number, full_name: `Friend ${i}` }))
  await network.control.addressBook(phone.number, people)
  await until(async () => (await ask("GET", `/contacts/${eve.number}@s.whatsapp.net`)).status === 200)
  await until(async () => (await ask("GET", `/contacts/${bob.number}@s.whatsapp.net`)).status === 200)

  const first = await ask("POST", "/send/status", { body: "open till ten", background: "#ff0080" })
  // Baileys knows no stanzas of statuses, as the network sends them since July, so the phones read it.
  const [read] = await bob.read({ id: first.message_id })
  expect(contentOf(read).extendedTextMessage).toMatchObject({
    text: "open till ten",
    backgroundArgb: 0xff_ff_00_80,
  })
  expect(contentOf((await eve.read({ id: first.message_id }))[0]).extendedTextMessage?.text).toBe(
    "open till ten",
  )

  await network.control.change(phone.number, { status_hidden_from: [eve.number] })
  const { url } = await aFileServer({ "/a.jpg": { type: "image/jpeg", body: picture } })
  const messageId = newMessageId()
  const post = async () =>
    await (
      await call(bridge.id, "POST", "/send/status", {
        body: { url: `${url}/a.jpg`, body: "new in" },
        messageId,
      })
    ).json()
  expect(await post()).toMatchObject({ message_id: messageId })
  expect(contentOf((await bob.read({ id: messageId }))[0]).imageMessage).toMatchObject({ caption: "new in" })
  // A second call under the id is answered from the row.
  expect(await post()).toMatchObject({ message_id: messageId })
  expect(await ask("GET", `/messages/${messageId}`)).toMatchObject({
    chat_id: statusChat,
    status: "sent",
    counts: { recipients: 1, read: 0 },
  })
  const revoked = await ask("DELETE", `/messages/${first.message_id}`)
  expect(contentOf((await bob.read({ id: revoked.message_id }))[0]).protocolMessage?.key).toMatchObject({
    id: first.message_id,
  })
  // A viewer of the status is told that it is revoked. A person who may not see the new status has not got
  // it.
  const [toEve] = await eve.read({ id: revoked.message_id })
  expect(contentOf(toEve).protocolMessage?.key).toMatchObject({ id: first.message_id })
  expect(await network.control.read(eve.number, { id: messageId })).toEqual([])
  for (const body of [{}, { background: "#fff" }])
    expect(await ask("POST", "/send/status", body)).toMatchObject({ status: 400 })
})

test("a video and a sound are posted as statuses, the sound as a voice note on its colour", async () => {
  const { url } = await aFileServer({
    "/a.mp4": { type: "video/mp4", body: mp4(3, { kind: "vide", width: 320, height: 240 }) },
    "/a.ogg": { type: "audio/ogg", body: ogg("opus", 3) },
    "/a.mp3": { type: "audio/mpeg", body: mp3(3) },
    "/a.jpg": { type: "image/jpeg", body: picture },
    "/a.csv": { type: "text/csv", body: Buffer.from("a,b") },
  })
  await network.control.addressBook(phone.number, [{ number: bob.number, full_name: "Bob" }])
  await until(async () => (await ask("GET", `/contacts/${bob.jid}`)).status === 200)
  const post = (file: string, more = {}) => ask("POST", "/send/status", { url: url + file, ...more })
  const onPhone = async ({ message_id: id }: { message_id: string }) => contentOf((await bob.read({ id }))[0])
  const video = await onPhone(await post("/a.mp4", { body: "how it is made" }))
  expect(video.videoMessage).toMatchObject({ caption: "how it is made", seconds: 3 })
  const voice = await onPhone(await post("/a.ogg", { background: "#205e7a" }))
  expect(voice.audioMessage).toMatchObject({ ptt: true, seconds: 3, backgroundArgb: 0xff_20_5e_7a })
  // It would become a voice note, which takes ffmpeg.
  const music = await post("/a.mp3")
  const found = hasFfmpeg ? (await onPhone(music)).audioMessage : music
  const wanted = hasFfmpeg ? { ptt: true, seconds: 3 } : { status: 422, code: "conversion_unavailable" }
  expect(found).toMatchObject(wanted)
  for (const [file, more] of [
    ["/a.csv", {}],
    ["/a.jpg", { background: "#205e7a" }],
    ["/a.ogg", { body: "no text stands beside a sound" }],
  ] as const)
    expect(await post(file, more)).toMatchObject({ status: 422, code: "media_type_mismatch" })
})
