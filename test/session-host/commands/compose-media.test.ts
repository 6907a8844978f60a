import { spawnSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { proto } from "@whiskeysockets/baileys"
import sharp from "sharp"
import { expect, onTestFinished, test } from "vitest"
import "#test/support/store.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import { Uploads } from "#core/files/uploads.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { config } from "#core/platform/config.ts"
import { aFileServer, trustMediaOf } from "#test/support/file-server.ts"
import { mp3, mp4, ogg, wav } from "#test/support/media-files.ts"
import { aSharedChat } from "#test/support/session/chat.ts"
import { call } from "#test/support/session/host.ts"
import { canMount, mountSmallDisk } from "#test/support/small-disk.ts"
import { until } from "#test/support/until.ts"

/** `test/session-host/media/voice.test.ts` shows what is said without it. */
const hasFfmpeg = spawnSync("ffmpeg", ["-version"]).status === 0

const contentOf = (message: { content: unknown } | undefined) =>
  proto.Message.fromObject(message?.content as object)

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#336699" } })

const files = {
  jpeg: await blank(300, 200).jpeg().toBuffer(),
  png: await blank(30, 20).png().toBuffer(),
  webp: await blank(512, 512).webp().toBuffer(),
  gif: await blank(30, 20).gif().toBuffer(),
  mp4: mp4(3, { kind: "vide", width: 320, height: 240 }),
  ogg: ogg("opus", 3),
  vorbis: ogg("vorbis", 3),
  mp3: mp3(3),
  text: Buffer.from("name,number\nAda,1\n"),
  pdf: Buffer.concat([Buffer.from("%PDF-1.7"), randomBytes(5000)]),
}

const { ask, bob, phone, bridge, message, network } = await aSharedChat()
trustMediaOf(network)
/** The message stanzas that the session has sent so far. */
const stanzas = () => network.control.log({ kind: "in", who: `${phone.number}:1`, tag: "message" })

// A folder for this file alone: whatever is left in it was left by these sends.
process.env.TMPDIR = mkdtempSync(join(tmpdir(), "bridge-test-"))
const leftovers = () => readdirSync(tmpdir())

const kinds = [
  ["image/jpeg", "jpeg", {}, "imageMessage", { width: 300, height: 200, mimetype: "image/jpeg" }],
  ["image/png", "png", { caption: "see" }, "imageMessage", { caption: "see", width: 30 }],
  ["image/webp", "webp", {}, "imageMessage", { mimetype: "image/webp" }],
  ["image/webp", "webp", { as_sticker: true }, "stickerMessage", { width: 512, isAnimated: false }],
  [
    "video/mp4",
    "mp4",
    { caption: "look" },
    "videoMessage",
    { caption: "look", seconds: 3, width: 320, height: 240 },
  ],
  ["video/mp4", "mp4", { gif_playback: true }, "videoMessage", { gifPlayback: true, seconds: 3 }],
  ["video/mp4", "mp4", { video_note: true }, "ptvMessage", { seconds: 3, width: 320 }],
  [
    "audio/ogg; codecs=opus",
    "ogg",
    {},
    "audioMessage",
    { ptt: true, mimetype: "audio/ogg; codecs=opus", seconds: 3 },
  ],
  ["audio/mpeg", "mp3", {}, "audioMessage", { ptt: false, mimetype: "audio/mpeg", seconds: 3 }],
  ["image/gif", "gif", { as_document: true }, "documentMessage", { mimetype: "image/gif" }],
  ["application/pdf", "pdf", {}, "documentMessage", { fileName: "a file.bin", mimetype: "application/pdf" }],
  ["", "pdf", { filename: "plan.pdf" }, "documentMessage", { fileName: "plan.pdf" }],
  ["", "pdf", { filename: "../10/26\u202E\n.pdf" }, "documentMessage", { fileName: ".._10_26.pdf" }],
  ["application/pdf", "mp3", { as_document: true }, "documentMessage", { mimetype: "audio/mpeg" }],
  ["image/png", "png", { as_document: true }, "documentMessage", { mimetype: "image/png" }],
  // What a server says of a file it may not know.
  ["application/octet-stream", "jpeg", {}, "imageMessage", { width: 300, mimetype: "image/jpeg" }],
  ["text/plain", "png", {}, "imageMessage", { mimetype: "image/png" }],
  ["image/jpeg", "png", {}, "imageMessage", { mimetype: "image/png" }],
  ["audio/ogg", "mp3", {}, "audioMessage", { ptt: false, mimetype: "audio/mpeg" }],
  ["application/pdf", "mp3", { filename: "odd.pdf" }, "audioMessage", { mimetype: "audio/mpeg" }],
  ["", "webp", { as_sticker: true }, "stickerMessage", { mimetype: "image/webp" }],
  ["binary/octet-stream", "ogg", {}, "audioMessage", { ptt: true, mimetype: "audio/ogg; codecs=opus" }],
  ["", "mp4", {}, "videoMessage", { mimetype: "video/mp4" }],
  ["application/octet-stream", "text", { filename: "A.CSV" }, "documentMessage", { mimetype: "text/csv" }],
  ["application/octet-stream", "text", { filename: "a.mp4" }, "documentMessage", { fileName: "a.mp4" }],
  ["text/csv", "text", {}, "documentMessage", { mimetype: "text/csv" }],
  // What the customer says of it, the server need not know.
  ["text/plain", "text", { content_type: "text/csv" }, "documentMessage", { mimetype: "text/csv" }],
  ["", "ogg", { content_type: "audio/ogg; codecs=opus" }, "audioMessage", { ptt: true }],
  ["video/mp4", "mp4", { content_type: "audio/mp4a-latm" }, "audioMessage", { mimetype: "audio/mp4" }],
  ["image/png", "jpeg", { content_type: "image/jpeg" }, "imageMessage", { mimetype: "image/jpeg" }],
  [
    "video/mp4",
    "mp4",
    { content_type: "application/octet-stream" },
    "videoMessage",
    { mimetype: "video/mp4" },
  ],
] as const

test("a file is sent as what it is, whatever its server says, and opens on the phone", async () => {
  for (const [type, name, more, kind, expected] of kinds) {
    const { url } = await aFileServer({ "/x/a%20file.bin": { type, body: files[name] } })
    const sent = await ask("POST", "/send/media", { chat: bob.number, url: `${url}/x/a%20file.bin`, ...more })
    expect({ type, ...sent }).toMatchObject({ type, status: 200 })
    const [read] = await bob.read({ id: sent.message_id })
    expect(contentOf(read)[kind]).toMatchObject(expected)
    expect((await bob.file(sent.message_id)).equals(files[name])).toBe(true)
  }
  expect(leftovers()).toEqual([])
})

test("a file from a URL that leads elsewhere has the name that stands there", async () => {
  const { url } = await aFileServer({
    "/r1": { body: Buffer.alloc(0), status: 302, headers: { location: "/files/report.csv" } },
    "/files/report.csv": { type: "text/csv", body: files.text },
  })
  const sent = await ask("POST", "/send/media", { chat: bob.number, url: `${url}/r1` })
  const [read] = await bob.read({ id: sent.message_id })
  expect(contentOf(read).documentMessage).toMatchObject({ fileName: "report.csv" })
})

test("an image brings a thumbnail of our own, small and a JPEG; quotes and mentions go with media too", async () => {
  const { id } = await bob.send(phone.number, "show me")
  await message(id)
  const { url } = await aFileServer({ "/a.png": { type: "image/png", body: files.png } })
  const sent = await ask("POST", "/send/media", {
    chat: bob.number,
    url: `${url}/a.png`,
    quoted_message_id: id,
    mentions: [bob.number],
  })
  const [read] = await bob.read({ id: sent.message_id })
  const { jpegThumbnail, contextInfo } = contentOf(read).imageMessage!
  expect(await sharp(Buffer.from(jpegThumbnail!)).metadata()).toMatchObject({ format: "jpeg", width: 72 })
  expect(contextInfo).toMatchObject({ stanzaId: id, mentionedJid: [bob.jid] })
})

test("a document has the name of the request, else of the server, else of the URL, and never a path", async () => {
  const type = "application/pdf"
  const names = [
    [undefined, "/x/of%20the%20URL.pdf", "of the URL.pdf"],
    [undefined, "/x/..%2F..%2Fetc%2Fpasswd", "passwd"],
    ["inline", "/of-the-url.pdf", "of-the-url.pdf"],
    ['attachment; filename="the plan; 2.pdf"; size=3', "/1", "the plan; 2.pdf"],
    ["attachment; FileName = plan.pdf", "/2", "plan.pdf"],
    [String.raw`attachment; filename="a \"b\".pdf"`, "/3", 'a "b".pdf'],
    ["attachment; filename=\"x.pdf\"; filename*=UTF-8''%e2%82%ac%20rates.pdf", "/4", "€ rates.pdf"],
    ["attachment; filename*=iso-8859-1'en'%A3%20rates.pdf", "/5", "£ rates.pdf"],
    ["attachment; filename*=klingon''%41.pdf; filename=y.pdf", "/6", "y.pdf"],
    ["attachment; filename*=UTF-8''%ff; filename=z.pdf", "/7", "z.pdf"],
    [Buffer.from('attachment; filename="Müller.pdf"').toString("latin1"), "/8", "Müller.pdf"],
    ['attachment; filename="../../etc/passwd"', "/9", "passwd"],
    [String.raw`attachment; filename="C:\\temp\\a.pdf"`, "/10", "a.pdf"],
    ["attachment; filename*=UTF-8''a%0d%0a%00b%e2%80%aefdp.exe", "/11", "abfdp.exe"],
    ['attachment; filename=".."', "/12.pdf", "12.pdf"],
    ['attachment; foo="; filename=evil.pdf"', "/13.pdf", "13.pdf"],
    [`attachment; filename="${"x".repeat(300)}"`, "/14", "x".repeat(255)],
    [`attachment; filename*=UTF-8''${"%E7%95%8C".repeat(200)}.pdf`, "/15", `${"界".repeat(83)}.pdf`],
  ] as const
  for (const [disposition, path, expected] of names) {
    const headers: Record<string, string> = disposition ? { "content-disposition": disposition } : {}
    const { url } = await aFileServer({ [path]: { type, body: files.pdf, headers } })
    const body = { chat: bob.number, url: url + path }
    for (const [more, fileName] of [
      [{}, expected],
      [{ filename: "mine.pdf" }, "mine.pdf"],
    ] as const) {
      const sent = await ask("POST", "/send/media", { ...body, ...more })
      const { documentMessage } = contentOf((await bob.read({ id: sent.message_id }))[0])
      expect([disposition, documentMessage?.fileName]).toEqual([disposition, fileName])
    }
  }
})

test("Ogg that is not Opus goes as a voice note only when it was converted", async () => {
  const data = files.vorbis.toString("base64")
  for (const content_type of ["audio/ogg", "application/octet-stream"]) {
    const sent = await ask("POST", "/send/media", { chat: bob.number, data, content_type })
    const code = hasFfmpeg ? "media_type_mismatch" : "conversion_unavailable"
    // This has the beginning of a sound alone.
    expect(sent).toMatchObject({ status: 422, code })
  }
})

/** Sends a GIF, and reads it on Bob's phone if it was sent. */
async function sendGif(gif: Buffer, more = {}) {
  const body = { chat: bob.number, data: gif.toString("base64"), content_type: "image/gif", ...more }
  const sent = await ask("POST", "/send/media", body)
  const [read] = sent.message_id ? await bob.read({ id: sent.message_id }) : []
  return { ...sent, read: read && contentOf(read) }
}

const moving = await sharp([files.jpeg, files.png, files.webp], { join: { animated: true } })
  .gif()
  .toBuffer()

test("a GIF of a single picture is sent as that, and cannot play", async () => {
  const still = await sendGif(files.gif, { caption: "still" })
  expect(still.read?.imageMessage).toMatchObject({ mimetype: "image/png", width: 30, caption: "still" })
  expect(await sharp(await bob.file(still.message_id)).metadata()).toMatchObject({ format: "png", width: 30 })
  expect(await sendGif(files.gif, { gif_playback: true })).toMatchObject({ code: "media_type_mismatch" })
})

test.skipIf(hasFfmpeg)(
  "without ffmpeg an animated GIF is refused, and can be sent as a document",
  async () => {
    expect(await sendGif(moving)).toMatchObject({ status: 422, code: "conversion_unavailable" })
    const sent = await sendGif(moving, { as_document: true })
    expect(sent.read?.documentMessage).toMatchObject({ mimetype: "image/gif" })
  },
)

test.runIf(hasFfmpeg)("an animated GIF is a video that plays as one", async () => {
  const { read, message_id } = await sendGif(moving, { caption: "look" })
  expect(read?.videoMessage).toMatchObject({ mimetype: "video/mp4", gifPlayback: true, caption: "look" })
  expect((await bob.file(message_id)).subarray(4, 8).toString()).toBe("ftyp")
})

test("a document with a caption is sent as clients show it", async () => {
  const { url } = await aFileServer({ "/a.pdf": { type: "application/pdf", body: files.pdf } })
  const sent = await ask("POST", "/send/media", {
    chat: bob.number,
    url: `${url}/a.pdf`,
    caption: "the plan",
  })
  const [read] = await bob.read({ id: sent.message_id })
  expect(contentOf(read).documentWithCaptionMessage?.message?.documentMessage).toMatchObject({
    caption: "the plan",
    fileName: "a.pdf",
  })
})

test("a file that cannot be fetched, is too large, or not what it says is refused; nothing is sent or left", async () => {
  const { length } = await stanzas()
  const bomb = await blank(5100, 5000).png({ compressionLevel: 9 }).toBuffer()
  const mb = 1024 * 1024
  const { url } = await aFileServer({
    "/not.jpg": { type: "image/jpeg", body: Buffer.from("<html>") },
    "/torn.png": { type: "image/png", body: files.png.subarray(0, 20) },
    "/no.ogg": { type: "audio/ogg", body: files.text },
    "/cut.mp4": { type: "video/mp4", body: files.mp4.subarray(0, -1000) },
    "/empty": { type: "application/octet-stream", body: Buffer.alloc(0) },
    "/empty.pdf": { type: "application/pdf", body: Buffer.alloc(0) },
    "/a.png": { type: "image/png", body: files.png },
    "/a.mp3": { type: "audio/mpeg", body: files.mp3 },
    "/a.pdf": { type: "application/pdf", body: files.pdf },
    "/bomb.png": { type: "image/png", body: bomb },
    "/large.mp4": { type: "video/mp4", body: Buffer.concat([files.mp4, Buffer.alloc(16 * mb)]) },
    "/announced.pdf": {
      type: "application/pdf",
      body: files.pdf,
      headers: { "content-length": String(101 * mb) },
    },
    "/gzip.png": { type: "image/png", body: files.png, headers: { "content-encoding": "gzip" } },
    "/error.png": { type: "image/png", body: files.png, status: 500 },
    "/away.png": { body: Buffer.alloc(0), status: 302, headers: { location: "ftp://127.0.0.1/a.png" } },
    "/in.png": { body: Buffer.alloc(0), status: 302, headers: { location: "http://10.0.0.1/a.png" } },
    "/loop.png": { body: Buffer.alloc(0), status: 302, headers: { location: "/loop.png" } },
  })
  const cases: [string, object, number, string][] = [
    [`${url}/not.jpg`, {}, 422, "media_type_mismatch"],
    [`${url}/torn.png`, {}, 422, "media_type_mismatch"],
    [`${url}/no.ogg`, {}, 422, "media_type_mismatch"],
    [`${url}/empty`, {}, 422, "media_type_mismatch"],
    [`${url}/empty`, { as_voice: true }, 422, "media_type_mismatch"],
    [`${url}/empty.pdf`, { as_document: true }, 422, "media_type_mismatch"],
    [`${url}/cut.mp4`, {}, 422, "media_type_mismatch"],
    [`${url}/a.png`, { gif_playback: true }, 422, "media_type_mismatch"],
    [`${url}/a.mp3`, { video_note: true }, 422, "media_type_mismatch"],
    [`${url}/a.png`, { content_type: "image/jpeg" }, 422, "media_type_mismatch"],
    [`${url}/a.png`, { content_type: "application/pdf" }, 422, "media_type_mismatch"],
    [`${url}/a.pdf`, { content_type: "video/mp4" }, 422, "media_type_mismatch"],
    [`${url}/a.png`, { content_type: "no type" }, 400, "invalid_request"],
    [`${url}/a.png`, { as_document: true, as_voice: true }, 400, "invalid_request"],
    [`${url}/a.pdf`, { as_sticker: true }, 422, "media_type_mismatch"],
    [`${url}/a.mp3`, { caption: "nobody would see this" }, 422, "media_type_mismatch"],
    [`${url}/bomb.png`, {}, 413, "payload_too_large"],
    [`${url}/large.mp4`, {}, 413, "payload_too_large"],
    [`${url}/announced.pdf`, {}, 413, "payload_too_large"],
    [`${url}/gzip.png`, {}, 422, "media_fetch_failed"],
    [`${url}/error.png`, {}, 422, "media_fetch_failed"],
    [`${url}/none.png`, {}, 422, "media_fetch_failed"],
    [`${url}/loop.png`, {}, 422, "media_fetch_failed"],
    [`${url}/away.png`, {}, 400, "url_not_allowed"],
    [`${url}/in.png`, {}, 400, "url_not_allowed"],
    ["http://127.0.0.1:1/a.png", {}, 422, "media_fetch_failed"],
    ["http://169.254.169.254/latest", {}, 400, "url_not_allowed"],
    ["http://user:word@127.0.0.1/a.png", {}, 400, "url_not_allowed"],
    ["file:///etc/passwd", {}, 400, "url_not_allowed"],
    ["not a URL", {}, 400, "invalid_request"],
  ]
  for (const [from, more, status, code] of cases) {
    const answer = await ask("POST", "/send/media", { chat: bob.number, url: from, ...more })
    const error = expect.stringMatching(from.includes("user:word") ? /user name/ : /./)
    expect({ from, ...answer }).toMatchObject({ from, status, code, error })
  }
  expect(leftovers()).toEqual([])
  await ask("POST", "/send/text", { chat: bob.number, body: "end" })
  expect(await stanzas()).toHaveLength(length + 1)
})

test("a document of one byte more than 100 MB is refused as too large, whether it was announced or not", async () => {
  const type = "application/octet-stream"
  const body = Buffer.alloc(100_000_001)
  const { url } = await aFileServer({
    "/announced": { type, body, headers: { "content-length": String(body.length) } },
    "/more": { type, body },
  })
  for (const name of ["announced", "more"]) {
    const sent = await ask("POST", "/send/media", { chat: bob.number, url: `${url}/${name}` })
    expect(sent).toMatchObject({ status: 413, code: "payload_too_large" })
  }
  expect(leftovers()).toEqual([])
})

test("a repeated call sends the same file again, and fetches nothing", async () => {
  const { url, asked } = await aFileServer({ "/a.png": { type: "image/png", body: files.png } })
  const messageId = newMessageId()
  const body = { chat: bob.number, url: `${url}/a.png` }
  const first = await call(bridge.id, "POST", "/send/media", { body, messageId })
  const again = await call(bridge.id, "POST", "/send/media", { body, messageId })
  expect(await again.json()).toEqual(await first.json())
  expect(asked).toEqual(["/a.png"])
})

test("two media at once per bridge: a third waits its turn", async () => {
  const gate = Promise.withResolvers<void>()
  const slow = { type: "image/png", body: files.png, after: gate.promise }
  const { url, asked } = await aFileServer({ "/1.png": slow, "/2.png": slow, "/3.png": slow })
  const sent = [1, 2, 3].map((n) => ask("POST", "/send/media", { chat: bob.number, url: `${url}/${n}.png` }))
  await until(() => asked.length === 2)
  await ask("POST", "/send/text", { chat: bob.number, body: "meanwhile" })
  expect(asked).toHaveLength(2)
  gate.resolve()
  for (const answer of await Promise.all(sent)) expect(answer).toMatchObject({ status: 200 })
  expect(asked).toHaveLength(3)
})

test.skipIf(!canMount())(
  "on one machine, files sent at once leave the kept room, encrypted copies and unknown lengths counted",
  async () => {
    const disk = mountSmallDisk(60)
    const { STORAGE_DIR, STORAGE_RESERVE_MB } = config
    Object.assign(config, { STORAGE_DIR: disk.folder, STORAGE_RESERVE_MB: 12 })
    onTestFinished(() => {
      Object.assign(config, { STORAGE_DIR, STORAGE_RESERVE_MB })
      disk.remove()
    })
    const body = Buffer.concat([Buffer.from("%PDF-1.7"), randomBytes(8_000_000)])
    const type = "application/pdf"
    const headers = { "content-length": String(body.length) }
    const { url } = await aFileServer({
      "/1.pdf": { type, body, headers },
      "/2.pdf": { type, body, headers },
      "/endless.pdf": { type, body },
    })
    let leastFree = Infinity
    const look = () => {
      const { bavail, bsize } = statfsSync(disk.folder)
      leastFree = Math.min(leastFree, bavail * bsize)
    }
    const looking = setInterval(look, 1)
    onTestFinished(() => clearInterval(looking))
    const send = (name: string) => ask("POST", "/send/media", { chat: bob.number, url: `${url}/${name}.pdf` })
    expect(await send("endless")).toMatchObject({ status: 503, code: "storage_full" })
    // Beside twice the reserve there is room for four such files. Each is there twice for a moment, and an
    // account leaves the others as much as it has.
    const both = (await Promise.all([send("1"), send("2")])).map(({ status }) => status)
    expect(both).toContain(503)
    expect(await send("1")).toMatchObject({ status: 200 })
    expect(leastFree).toBeLessThan(48e6)
    expect(leastFree).toBeGreaterThanOrEqual(24e6)
    expect(await FilesOnDisk.usedBy(bridge.id)).toBe(0)
  },
)

test("a file arrives as it was fetched, byte for byte, also when it is large", async () => {
  const body = Buffer.concat([Buffer.from("%PDF-1.7"), randomBytes(6_000_000)])
  const { url } = await aFileServer({ "/large.pdf": { type: "application/pdf", body } })
  const sent = await ask("POST", "/send/media", { chat: bob.number, url: `${url}/large.pdf` })
  expect(sent).toMatchObject({ status: 200 })
  const got = await bob.file(sent.message_id)
  expect(createHash("sha256").update(got).digest("hex")).toBe(createHash("sha256").update(body).digest("hex"))
})

test("an upload is sent to chat after chat, and goes to the network once; a small file is in the request", async () => {
  const eve = await network.phone("Eve")
  const upload = Uploads.withNewId({ bridgeId: bridge.id, contentType: "image/png", fileName: "blue.png" })
  const { url, fields } = await Uploads.formFor(upload, new Date(Date.now() + 60_000))
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set("file", new Blob([new Uint8Array(files.png)]))
  expect((await fetch(url, { method: "POST", body: form })).ok).toBe(true)
  const { file } = upload
  const paths: (string | null | undefined)[] = []
  for (const phone of [bob, eve]) {
    const sent = await ask("POST", "/send/media", { chat: phone.number, file, caption: phone.name })
    expect(sent).toMatchObject({ status: 200 })
    const { imageMessage } = contentOf((await phone.read({ id: sent.message_id }))[0])
    expect(imageMessage).toMatchObject({ caption: phone.name, width: 30 })
    expect((await phone.file(sent.message_id)).equals(files.png)).toBe(true)
    paths.push(imageMessage?.directPath)
  }
  expect(paths[0]).toBe(paths[1])

  const data = files.png.toString("base64")
  const small = await ask("POST", "/send/media", { chat: bob.number, data, content_type: "Image/PNG" })
  expect(small).toMatchObject({ status: 200 })
  expect((await bob.file(small.message_id)).equals(files.png)).toBe(true)
  const chat = bob.number
  for (const [body, status, code] of [
    [{ data, content_type: "image/jpeg" }, 422, "media_type_mismatch"],
    [{ data }, 400, "invalid_request"],
    [{ data: "%%%%", content_type: "image/png" }, 400, "invalid_request"],
    [{ file, url }, 400, "invalid_request"],
    [{ file, content_type: "image/png" }, 400, "invalid_request"],
    [{ file, view_once: true, as_sticker: true }, 400, "invalid_request"],
    [{}, 400, "invalid_request"],
    [{ file: "A".repeat(22) }, 404, "not_found"],
  ] as const)
    expect([body, await ask("POST", "/send/media", { chat, ...body })]).toMatchObject([
      body,
      { status, code },
    ])
  expect(leftovers()).toEqual([])
})

/** A script in place of ffmpeg: it makes both of its files, as large as this. */
const making = (bytes: number) =>
  `for given; do case $given in *.ogg|*.raw) head -c ${bytes} /dev/zero >"\${given#file:}";; esac; done`

test("a voice note whose conversion is killed is not sent and leaves nothing; a retry then sends it", async () => {
  const { PATH } = process.env
  const bin = mkdtempSync(join(tmpdir(), "bin-"))
  onTestFinished(() => {
    process.env.PATH = PATH
    rmSync(bin, { recursive: true })
  })
  process.env.PATH = `${bin}:${PATH}`
  const instead = (script: string) =>
    writeFileSync(join(bin, "ffmpeg"), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const { url } = await aFileServer({ "/a.mp3": { type: "audio/mpeg", body: files.mp3 } })
  const body = { chat: bob.number, url: `${url}/a.mp3`, as_voice: true }
  const messageId = newMessageId()
  const before = (await stanzas()).length
  instead(`${making(10)}; kill -9 $$`)
  const killed = await call(bridge.id, "POST", "/send/media", { body, messageId })
  expect([killed.status, await killed.json()]).toMatchObject([503, { code: "session_unavailable" }])
  expect(await stanzas()).toHaveLength(before)
  expect(leftovers()).toEqual([basename(bin)])
  expect(await ask("POST", "/send/text", { chat: bob.number, body: "still here" })).toMatchObject({
    status: 200,
  })
  instead(making(8000))
  const retried = await call(bridge.id, "POST", "/send/media", { body, messageId })
  expect(await retried.json()).toMatchObject({ message_id: messageId })
  const [read] = await bob.read({ id: messageId })
  expect(contentOf(read).audioMessage).toMatchObject({ ptt: true, seconds: 1 })
  expect(leftovers()).toEqual([basename(bin)])
})

test("a JPEG or PNG becomes a sticker of the size that phones show, transparent beside it", async () => {
  const data = files.jpeg.toString("base64")
  const body = { chat: bob.number, data, content_type: "image/jpeg", as_sticker: true }
  const sent = await ask("POST", "/send/media", body)
  const { stickerMessage } = contentOf((await bob.read({ id: sent.message_id }))[0])
  expect(stickerMessage).toMatchObject({ mimetype: "image/webp", width: 512, height: 512, isAnimated: false })
  const image = sharp(await bob.file(sent.message_id))
  expect(await image.metadata()).toMatchObject({ format: "webp", width: 512, height: 512, hasAlpha: true })
  const { data: pixels } = await image.raw().toBuffer({ resolveWithObject: true })
  expect([pixels[3], pixels[(256 * 512 + 256) * 4 + 3]]).toEqual([0, 255])
})

test.runIf(hasFfmpeg)("any sound becomes a voice note, with its length and waveform", async () => {
  const data = wav(2).toString("base64")
  const body = { chat: bob.number, data, content_type: "audio/wav", as_voice: true }
  const sent = await ask("POST", "/send/media", body)
  const { audioMessage } = contentOf((await bob.read({ id: sent.message_id }))[0])
  expect(audioMessage).toMatchObject({ ptt: true, mimetype: "audio/ogg; codecs=opus", seconds: 2 })
  expect(audioMessage?.waveform).toHaveLength(64)
  expect((await bob.file(sent.message_id)).subarray(0, 4).toString()).toBe("OggS")
  expect(await ask("POST", "/send/media", { ...body, as_sticker: true })).toMatchObject({ status: 400 })
  expect(leftovers()).toEqual([])
})
