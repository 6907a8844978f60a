import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { proto } from "@whiskeysockets/baileys"
import { expect, onTestFinished, test } from "vitest"
import { Lease } from "#core/lease/lease.ts"
import { listen } from "#one-machine/listen.ts"
import { aSharedChat } from "#test/support/session/chat.ts"
import { statusOf } from "#test/support/session/host.ts"

// Bob is a stranger to the session, and has bad intentions.
const { bob, phone, bridge, network, ask, message } = await aSharedChat()
const { epoch } = (await Lease.get(bridge.id))!

const write = (content: object) => bob.post(phone.number, content)

/** Whether the next ordinary message still arrives, as a valid event, at the same session. */
async function isUnharmed(): Promise<boolean> {
  await message((await bob.send(phone.number, "still here")).id)
  const isConnected = (await statusOf(bridge.id)) === "connected"
  return isConnected && (await Lease.get(bridge.id))!.epoch === epoch
}

const field = (number: number, wire: number) => (number << 3) | wire

/** A message in a message in a message. */
function nested(levels: number): Buffer {
  let inner: Buffer = Buffer.from(proto.Message.encode({ conversation: "bottom" }).finish())
  // ephemeralMessage is field 40, FutureProofMessage.message field 1.
  for (let i = 0; i < levels; i++) inner = bytesField(40, bytesField(1, inner))
  return inner
}

function bytesField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(field(number, 2)), varint(bytes.length), bytes])
}

function varint(value: number): Buffer {
  const out: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...out, rest])
    out.push((rest & 127) | 128)
  }
}

const text = (content: string) => Buffer.from(proto.Message.encode({ conversation: content }).finish())

test.for<[string, () => Buffer]>([
  ["random bytes", () => randomBytes(2000)],
  ["nothing", () => Buffer.alloc(0)],
  ["a length that goes on behind the end", () => Buffer.from([field(1, 2), 0xff, 0xff, 0xff, 0xff, 0x0f, 1])],
  ["a number without an end", () => Buffer.alloc(50, 0xff)],
  ["a group that never ends", () => Buffer.from([field(4, 3), field(4, 3)])],
  ["a text where a message should be", () => bytesField(6, Buffer.from("not an extended text"))],
  ["fields that nobody knows", () => bytesField(9999, randomBytes(500))],
  ["a text that is no UTF-8", () => bytesField(1, Buffer.from([0xff, 0xfe, 0xed, 0xa0, 0x80, 0xc0]))],
  ["messages in messages, fifty deep", () => nested(50)],
  ["messages in messages, five thousand deep", () => nested(5000)],
  ["a giant text", () => text("x".repeat(700_000))],
  ["a text of control characters", () => text("\u0000\r\n\u2028data: x\r\nevent: y\u001b[2J")],
  [
    "ten thousand mentions",
    () =>
      Buffer.from(
        proto.Message.encode({
          extendedTextMessage: {
            text: "@",
            contextInfo: {
              mentionedJid: Array.from({ length: 10_000 }, (_, i) => `${1_000_000 + i}@s.whatsapp.net`),
            },
          },
        }).finish(),
      ),
  ],
  [
    "JIDs that are none",
    () =>
      Buffer.from(
        proto.Message.encode({
          extendedTextMessage: {
            text: "x",
            contextInfo: {
              stanzaId: "\0",
              participant: "@@::",
              remoteJid: "..",
              mentionedJid: ["", "@", "__proto__"],
            },
          },
        }).finish(),
      ),
  ],
  [
    "media of impossible sizes at impossible places",
    () =>
      Buffer.from(
        proto.Message.encode({
          imageMessage: {
            url: "file:///etc/passwd",
            directPath: "//169.254.169.254/latest",
            mimetype: "text/html\r\nx: y",
            fileLength: Number.MAX_SAFE_INTEGER,
            width: 4_294_967_295,
            mediaKey: randomBytes(3),
            caption: "a picture",
          },
        }).finish(),
      ),
  ],
  [
    "numbers beyond all numbers",
    () =>
      Buffer.from(
        proto.Message.encode({
          locationMessage: { degreesLatitude: Infinity, degreesLongitude: NaN, name: "nowhere" },
        }).finish(),
      ),
  ],
])("a stranger sends %s: the session goes on", async ([, bytes]) => {
  await write({ bytes: bytes().toString("base64") })
  expect(await isUnharmed()).toBe(true)
})

test.for<[string, () => Parameters<typeof network.control.stanza>[1]]>([
  ["a message without anything", () => ({ tag: "message", attrs: {} })],
  ["a message from nobody", () => ({ tag: "message", attrs: { id: "A", from: "", t: "x", type: "text" } })],
  [
    "a message whose ciphertext is none",
    () => ({
      tag: "message",
      attrs: { id: "B", from: bob.jid, t: "1", type: "text" },
      content: [
        {
          tag: "enc",
          attrs: { v: "2", type: "pkmsg" },
          content: { base64: randomBytes(64).toString("base64") },
        },
      ],
    }),
  ],
  [
    "a ciphertext of an unknown kind",
    () => ({
      tag: "message",
      attrs: { id: "C", from: bob.jid, t: "1", type: "text" },
      content: [{ tag: "enc", attrs: { v: "9", type: "future" }, content: { base64: "AAAA" } }],
    }),
  ],
  ["a call of nobody", () => ({ tag: "call", attrs: { from: "" }, content: [{ tag: "offer", attrs: {} }] })],
  [
    "a notification of an unknown type",
    () => ({ tag: "notification", attrs: { from: "x", type: "__proto__" } }),
  ],
  [
    "a picture of nobody",
    () => ({ tag: "notification", attrs: { from: bob.jid, type: "picture", t: "-1" } }),
  ],
  ["a receipt of everything", () => ({ tag: "receipt", attrs: { id: "x".repeat(5000), from: bob.jid } })],
  ["a tag that nobody knows", () => ({ tag: "constructor", attrs: { id: "1", from: "@g.us" } })],
  [
    "a group's change without a group",
    () => ({
      tag: "notification",
      attrs: { from: "@g.us", type: "w:gp2", t: "NaN" },
      content: [{ tag: "create", attrs: {} }],
    }),
  ],
])("the network hands over %s: the session goes on", async ([, node]) => {
  await network.control.stanza(`${phone.number}:1`, { content: [], ...node() })
  expect(await isUnharmed()).toBe(true)
})

test.for(["constructor", "toString", "__proto__"])(
  "the session goes on when a stranger calls a message %s",
  async (id) => {
    await write({ id, text: "x" })
    expect(await isUnharmed()).toBe(true)
    // Without its receipt it would come again with each connection.
    expect(await network.log({ kind: "in", tag: "receipt", attrs: { id } })).not.toEqual([])
  },
)

test("no address in a message is ever opened, sent or received, wherever it stands", async () => {
  let opened = 0
  const server = createServer((_, response) => {
    opened++
    response.end("<title>secret</title>")
  })
  server.on("connection", () => opened++)
  const port = await listen(server)
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${port}/page`
  const send = async (kind: string, content: object) =>
    (await ask("POST", `/send/${kind}`, { chat: bob.number, ...content })).status
  expect([
    await send("text", { body: `look at ${url} and ${url}/photo.jpg` }),
    await send("poll", { question: url, options: [url, `${url}/2`] }),
    await send("location", { lat: 1, lng: 1, name: url, address: url }),
    await send("event", { name: url, description: url, start_time: 1_900_000_000, join_link: url }),
  ]).toEqual([200, 200, 200, 200])
  await ask("PATCH", "/profile/status", { status: url })
  const contextInfo = { externalAdReply: { thumbnailUrl: url, sourceUrl: url, mediaUrl: url } }
  await write({
    raw: { extendedTextMessage: { text: url, matchedText: url, canonicalUrl: url, contextInfo } },
  })
  await write({
    raw: { imageMessage: { url, mimetype: "image/jpeg", caption: url, thumbnailDirectPath: url } },
  })
  expect(await isUnharmed()).toBe(true)
  expect(opened).toBe(0)
})
