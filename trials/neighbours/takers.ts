import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import sharp from "sharp"
import { z } from "zod"
import { listen } from "#one-machine/listen.ts"
import { startCallFlood } from "./api-call-flood.ts"
import type { Street } from "./street.ts"

// An account that tries to take what all accounts share (docs/reliability.md), one thing after the other.

/** Further bridges of the taker, which are not linked: what belongs to a bridge it has that often. */
const refs = ["bully", ...Array.from({ length: 9 }, (_, n) => `more-${n}`)]

/** Where it takes. */
export type Reached = Pick<Street, "bully" | "chat" | "eve" | "dead"> & {
  service: Pick<Street["service"], "baseUrl" | "network">
}

/** How the taker was answered: how often with each status. */
export type Taken = Record<string, number>

/** Takes as much as it can until `signal` ends it. */
type Take = (to: { street: Reached; taken: Taken; signal: AbortSignal; at: string }) => Promise<void>

const takes = {
  calls: async ({ street, taken, signal }) => {
    const stop = startCallFlood(street.service, street.bully, { floodPerSecond: 200 })
    await ended(signal)
    Object.assign(taken, (await stop()).statuses)
  },
  forms: inParallel(8, async (to, n) => void (await form(to, n))),
  uploads: inParallel(40, async (to, n) => await uploadThatStops(to, n)),
  fetches: inParallel(8, async (to) => await sendFile(to, `${to.at}/trickle.pdf`)),
  files: inParallel(8, async (to) => await sendFile(to, `${to.at}/large.pdf`)),
  pictures: inParallel(8, async (to) => await sendFile(to, `${to.at}/picture.png`)),
  conversions: inParallel(8, async (to) => await sendFile(to, `${to.at}/sound.wav`, { as_voice: true })),
  downloads: async (to) => {
    const { network } = to.street.service
    const data = randomBytes(2_000_000).toString("base64")
    const media = { kind: "document", mimetype: "a/b", filename: "x", data }
    const { id } = await network.post(to.street.chat, to.street.eve, { media })
    await inParallel(40, async (one) => await readNothing(one, `proxy/messages/${id}/media`))(to)
  },
  streams: inParallel(60, async (to, n) => {
    await readNothing(to, n % 2 === 0 ? "logs" : "events", refs[n % refs.length])
  }),
  // Its webhooks never answer.
  deliveries: async (to) => {
    const { service, bully, dead, chat, eve } = to.street
    for (let n = 0; n < 4; n++) await bully.call("POST", "/instances/bully/webhooks", { url: `${dead}?${n}` })
    await inParallel(4, async () => void (await service.network.send(chat, eve, "one more")))(to)
  },
  // No name server answers for these names.
  names: inParallel(40, async (to, n) => await sendFile(to, `http://nobody-${n}.invalid/x.pdf`)),
  sessions: inParallel(9, async (to, n) => await ask(to, "GET", `/instances/more-${n}/proxy/qr`)),
  keys: inParallel(8, async (to, n) => {
    await ask(to, "POST", "/keys", { name: `key ${n}`, scope: "all" })
    const wrong = { authorization: `Bearer ${randomBytes(8).toString("hex")}` }
    await count(
      to.taken,
      fetch(`${to.street.service.baseUrl}/api/account`, { headers: wrong, signal: to.signal }),
    )
  }),
  // The last, since an account whose files take up its room can send no file.
  disk: inParallel(8, async (to, n) => await upload(to, n, Buffer.alloc(10_000_000))),
} satisfies Record<string, Take>

/** What it can take. */
export const takeNames = Object.keys(takes) as [keyof typeof takes, ...(keyof typeof takes)[]]

/** Makes ready what the taker needs. @returns how one thing is taken */
export async function prepareTaker(street: Reached) {
  const { bully } = street
  for (const ref of refs.slice(1)) await bully.bridge(ref)
  const at = await servedFiles()
  return {
    /** Begins. @returns what ends it, with the answers to the taker */
    begin(name: keyof typeof takes): () => Promise<Taken> {
      const ending = new AbortController()
      const taken: Taken = {}
      const taking = takes[name]({ street, taken, signal: ending.signal, at })
      return async () => {
        ending.abort()
        await taking
        return taken
      }
    },
  }
}

type To = Parameters<Take>[0]

/** So many at once, each again and again. */
function inParallel(count: number, one: (to: To, n: number) => Promise<void>): Take {
  return async (to) => {
    const all = Array.from({ length: count }, async (_, n) => {
      while (!to.signal.aborted) {
        await one(to, n).catch(() => note(to.taken, "none"))
        await sleep(100, undefined, { signal: to.signal }).catch(() => "it is over")
      }
    })
    await Promise.all(all)
  }
}

async function ended(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort")
}

function note(taken: Taken, answer: string): void {
  taken[answer] = (taken[answer] ?? 0) + 1
}

async function count(taken: Taken, asked: Promise<Response>): Promise<Response> {
  const answer = await asked
  note(taken, String(answer.status))
  return answer
}

async function ask({ street, taken }: To, method: string, path: string, body?: object): Promise<void> {
  const answer = await count(taken, street.bully.call(method, path, body))
  await answer.arrayBuffer()
}

async function sendFile(to: To, url: string, more: object = {}): Promise<void> {
  await ask(to, "POST", "/instances/bully/proxy/send/media", { chat: to.street.chat, url, ...more })
}

const Form = z.object({
  upload: z.object({ url: z.string(), fields: z.object({ token: z.string() }) }),
})

async function form({ street, taken }: To, n: number) {
  const about = { content_type: "application/pdf" }
  const answer = await street.bully.call("POST", `/instances/${refs[n % refs.length]}/files`, about)
  note(taken, String(answer.status))
  return Form.parse(await answer.json()).upload
}

async function upload(to: To, n: number, bytes: Buffer<ArrayBuffer>): Promise<void> {
  const { url, fields } = await form(to, n)
  const body = new FormData()
  body.set("token", fields.token)
  body.set("file", new Blob([bytes]), "x")
  await (await count(to.taken, fetch(url, { method: "POST", body }))).arrayBuffer()
}

/** It says that 100 MB come, and sends a few of them. */
async function uploadThatStops(to: To, n: number): Promise<void> {
  const { fields } = await form(to, n)
  const head = `--x\r\ncontent-disposition: form-data; name="token"\r\n\r\n${fields.token}\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\nthe beginning`
  const socket = request(
    to,
    `POST /uploads HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: 90000000\r\n\r\n${head}`,
  )
  await answered(socket, to)
}

/** Asks for something, and reads no more of it than its status. */
async function readNothing(to: To, path: string, ref = "bully"): Promise<void> {
  const { key } = to.street.bully
  const socket = request(
    to,
    `GET /api/instances/${ref}/${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\naccept: text/event-stream, */*\r\n\r\n`,
  )
  await answered(socket, to)
}

function request({ street, signal }: To, text: string): Socket {
  const { hostname, port } = new URL(street.service.baseUrl)
  const socket = connect({ port: Number(port), host: hostname, signal })
  socket.on("error", () => "it was hung up on, or it is over")
  socket.write(text)
  return socket
}

/**
 * Notes the status, and keeps the connection open until the other side ends it, or all is over; a refusal
 * ends it.
 */
async function answered(socket: Socket, { taken, signal }: To): Promise<void> {
  socket.once("data", (chunk: Buffer) => {
    const status = chunk.toString("latin1").slice(9, 12)
    note(taken, status)
    if (status === "200") socket.pause()
    else socket.destroy()
  })
  if (!signal.aborted) await once(socket, "close")
}

/** Files that the taker sends by their URLs. @returns where they are, as long as the process runs */
async function servedFiles() {
  const side = 4900
  const noise = { create: { width: side, height: side, channels: 3 as const, background: "#336699" } }
  const files: Record<string, { type: string; body: Buffer }> = {
    "/large.pdf": {
      type: "application/pdf",
      body: Buffer.concat([Buffer.from("%PDF-1.7"), randomBytes(15_000_000)]),
    },
    "/picture.png": { type: "image/png", body: await sharp(noise).png().toBuffer() },
    "/sound.wav": { type: "audio/wav", body: wav(14_000_000) },
  }
  const server = createServer((asked, response) => {
    const file = files[asked.url ?? ""]
    const { type, body } = file ?? { type: "application/pdf", body: Buffer.from("%PDF-1.7") }
    response.writeHead(200, { "content-type": type, "content-length": file ? body.length : 90_000_000 })
    if (file) return void response.end(body)
    response.write(body)
    const timer = setInterval(() => response.write("x"), 500)
    response.on("close", () => clearInterval(timer))
  })
  return `http://127.0.0.1:${await listen(server)}`
}

/** Noise, in one channel at 16 kHz: RIFF's header and samples. */
function wav(bytes: number): Buffer {
  const head = Buffer.alloc(44)
  head.write("RIFF")
  head.writeUInt32LE(bytes + 36, 4)
  head.write("WAVEfmt ", 8)
  head.writeUInt32LE(16, 16)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    head.writeUInt16LE(value, at)
  head.writeUInt32LE(16_000, 24)
  head.writeUInt32LE(32_000, 28)
  head.write("data", 36)
  head.writeUInt32LE(bytes, 40)
  return Buffer.concat([head, randomBytes(bytes)])
}
