import { randomBytes } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { proto } from "@whiskeysockets/baileys"
import { expect, test, vi } from "vitest"
import "#test/support/store.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { aFileServer, trustMediaOf } from "#test/support/file-server.ts"
import { aSharedChat } from "#test/support/session/chat.ts"
import { call } from "#test/support/session/host.ts"

interface File {
  kind: string
  data: Buffer
  mimetype: string
  filename?: string
}

const { ask, bob, phone, bridge, message, network } = await aSharedChat()
trustMediaOf(network)

async function contentOf(id: string) {
  const [read] = await bob.read({ id })
  return proto.Message.fromObject(read?.content as object)
}

async function keyOf(id: string) {
  const { headers } = await call(bridge.id, "GET", `/messages/${id}/media`)
  return AnswerInBucket.bucketKeyOf(Object.fromEntries(headers))!
}

/** Bob sends a file. @returns the id of its message */
async function fromBob(file: File) {
  const { id } = await bob.post(phone.number, { media: { ...file, data: file.data.toString("base64") } })
  await message(id)
  return id
}

/** The file as a customer gets it. */
async function media(id: string) {
  const { headers, body } = await StoredMedia.get(await keyOf(id))
  return { headers, body: await buffer(body) }
}

/** Makes the network forget a file. */
const forget = (directPath: string) => network.call("DELETE", directPath.replace("/v/", "/media/"))

test("media of every kind come down as they were sent, as an attachment that no browser runs", async () => {
  for (const kind of ["image", "video", "audio", "document", "sticker"]) {
    const data = randomBytes(50_001)
    const id = await fromBob({ kind, data, mimetype: "application/x-test", filename: "Übersicht 'x'.pdf" })
    const { headers, body } = await media(id)
    expect({ kind, same: body.equals(data) }).toEqual({ kind, same: true })
    expect(headers).toMatchObject({
      "content-type": "application/x-test",
      "content-length": "50001",
      "content-disposition":
        kind === "document" ? "attachment; filename*=UTF-8''%C3%9Cbersicht%20%27x%27.pdf" : "attachment",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox",
      "cache-control": "private",
    })
  }
  // Our own message, written on the phone.
  const data = randomBytes(1000)
  const own = await phone.post(bob.number, {
    media: { kind: "image", data: data.toString("base64"), mimetype: 'text/html; x="y"' },
  })
  await message(own.id)
  const got = await media(own.id)
  expect(got.body.equals(data)).toBe(true)
  expect(got.headers["content-type"]).toBe("text/html")
  const stats = await ask("GET", "/debug/stats")
  expect(stats).toMatchObject({ media_cache_size: 6 })
})

test("a file is shown of the chat that is named, and of no other", async () => {
  const eve = await network.phone("Eve")
  const id = await fromBob({ kind: "image", data: randomBytes(1000), mimetype: "image/png" })
  const statusIn = async (chat: string) =>
    (await call(bridge.id, "GET", `/messages/${id}/media?chat=${encodeURIComponent(chat)}`)).status
  expect(await Promise.all([bob.number, bob.lid, eve.number].map(statusIn))).toEqual([200, 200, 404])
})

test("a large file goes up in parts and comes down whole", async () => {
  const key = StoredMedia.keyOf("bridge", "large")
  const path = join(tmpdir(), `large-${randomBytes(4).toString("hex")}`)
  const data = randomBytes(20_000_000)
  await writeFile(path, data)
  await StoredMedia.put({ key, path, contentType: "application/pdf", fileName: "" })
  const { headers, body } = await StoredMedia.get(key)
  expect((await buffer(body)).equals(data)).toBe(true)
  expect(headers).toMatchObject({ "content-type": "application/pdf", "content-length": "20000000" })
})

test("a fetched file is kept for three hours; then the network is asked again", async () => {
  const data = randomBytes(1000)
  const id = await fromBob({ kind: "image", data, mimetype: "image/png" })
  await media(id)
  await forget((await contentOf(id)).imageMessage!.directPath!)
  expect((await media(id)).body.equals(data)).toBe(true)

  const key = await keyOf(id)
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + StoredMedia.cachedForMs + 1000 })
  try {
    expect(await StoredMedia.isFresh(key)).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})

test("the phone brings a file again that the network has forgotten, in groups and statuses as well", async () => {
  const data = randomBytes(1000)
  const id = await fromBob({ kind: "image", data, mimetype: "image/png" })
  await forget((await contentOf(id)).imageMessage!.directPath!)
  expect((await media(id)).body.equals(data)).toBe(true)

  const group = await network.group([bob, phone])
  const image = { kind: "image", data: data.toString("base64"), mimetype: "image/png" }
  for (const [to, viewers] of [
    [group.jid, undefined],
    ["status@broadcast", [phone.number]],
    ["123@broadcast", [phone.number]],
  ] as const) {
    const shared = await bob.post(to, { media: image, viewers })
    await message(shared.id)
    await forget((await contentOf(shared.id)).imageMessage!.directPath!)
    expect((await media(shared.id)).body.equals(data)).toBe(true)
  }
})

test("a file that neither the network nor the phone has is gone, and both were asked", async () => {
  const first = await fromBob({ kind: "image", data: randomBytes(1000), mimetype: "image/png" })
  const { imageMessage } = await contentOf(first)
  const raw = proto.Message.create({
    imageMessage: { ...imageMessage, directPath: "/v/image/none" },
  }).toJSON()
  const { id } = await bob.post(phone.number, { raw })
  await message(id)
  expect(await ask("GET", `/messages/${id}/media`)).toMatchObject({ status: 410, code: "media_expired" })
  const attrs = { id, type: "server-error" }
  expect(await network.log({ kind: "in", tag: "receipt", attrs })).toHaveLength(1)
})

test("a revoked file is gone at once, though the bucket and the network still have it", async () => {
  const id = await fromBob({ kind: "image", data: randomBytes(1000), mimetype: "image/png" })
  const key = await keyOf(id)
  await message((await bob.post(phone.number, { revoke: { message_id: id } })).id)
  expect(await StoredMedia.isFresh(key)).toBe(true)
  expect(await ask("GET", `/messages/${id}/media`)).toMatchObject({
    status: 410,
    code: "media_expired",
    error: expect.stringMatching(/revoked/),
  })
})

test("a message without media, and an unknown one, have none", async () => {
  const { id } = await bob.send(phone.number, "no media")
  await message(id)
  const none = { status: 404, code: "not_found" }
  expect(await ask("GET", `/messages/${id}/media`)).toMatchObject(none)
  expect(await ask("GET", "/messages/NOSUCH/media")).toMatchObject(none)
})

test("a file that was changed on its way is not given out, whichever part was changed", async () => {
  const first = await fromBob({ kind: "image", data: randomBytes(1000), mimetype: "image/png" })
  const { imageMessage } = await contentOf(first)
  const wrong = randomBytes(32)
  const changes = [
    { mediaKey: wrong },
    { fileSha256: wrong },
    { fileEncSha256: wrong },
    { directPath: "", url: "" },
  ]
  for (const change of changes) {
    const raw = proto.Message.create({ imageMessage: { ...imageMessage, ...change } }).toJSON()
    const { id } = await bob.post(phone.number, { raw })
    await message(id)
    expect(await ask("GET", `/messages/${id}/media`)).toMatchObject({ status: 410, code: "media_expired" })
  }
})

test("a stranger's message does not decide which host is asked", async () => {
  const { url, asked } = await aFileServer({})
  const first = await fromBob({ kind: "image", data: randomBytes(1000), mimetype: "image/png" })
  const { imageMessage } = await contentOf(first)
  for (const change of [
    { directPath: "", url: `${url}/v/image/x` },
    { directPath: `@${new URL(url).host}/x` },
    { directPath: `//${new URL(url).host}/x` },
    { directPath: `/\\${new URL(url).host}/x` },
  ]) {
    const raw = proto.Message.create({ imageMessage: { ...imageMessage, ...change } }).toJSON()
    const { id } = await bob.post(phone.number, { raw })
    await message(id)
    expect(await ask("GET", `/messages/${id}/media`)).toMatchObject({ status: 410 })
  }
  expect(asked).toEqual([])
})

test("each card of a carousel gives its file, and only what has one", async () => {
  const files = [randomBytes(1000), randomBytes(2000)]
  const cards = []
  for (const data of files) {
    const file = { kind: "image", data: data.toString("base64"), mimetype: "image/png" }
    const { id } = await phone.post(bob.number, { media: file })
    cards.push({ header: { imageMessage: (await contentOf(id)).imageMessage }, body: { text: "look" } })
  }
  const interactiveMessage = { carouselMessage: { cards: [...cards, { body: { text: "no file" } }] } }
  const bytes = proto.Message.encode({ interactiveMessage }).finish()
  const { id } = await bob.post(phone.number, { bytes: Buffer.from(bytes).toString("base64") })
  expect((await message(id)).interactive?.cards).toMatchObject([
    { file: { content_type: "image/png" } },
    { file: { content_type: "image/png" } },
    { body: "no file" },
  ])
  for (const [card, data] of files.entries()) {
    const { headers } = await call(bridge.id, "GET", `/messages/${id}/media?card=${card}`)
    const { body } = await StoredMedia.get(AnswerInBucket.bucketKeyOf(Object.fromEntries(headers))!)
    expect((await buffer(body)).equals(data)).toBe(true)
  }
  for (const query of ["?card=2", "?card=3", ""])
    expect(await ask("GET", `/messages/${id}/media${query}`)).toMatchObject({ status: 404 })
})
