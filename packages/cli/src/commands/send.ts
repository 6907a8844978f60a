import { readFile } from "node:fs/promises"
import { basename } from "node:path"
import { bridge, type Command, type Options, secondsOf, word } from "../command.ts"
import { Misused } from "../refused.ts"

export const send: Command = {
  takes: "<chat> <text>",
  says: "sends a text, or with --file a file and the text beside it; `-` reads the text from the input; with --at later",
  options: ["bridge", "file", "as", "read", "typing-ms", "at", "idempotency-key"],
  run: async (asked) => {
    const { words, options, print } = asked
    const chat = word(words, 0, "chat")
    const given = words.slice(1).join(" ")
    const text = given === "-" ? await inputText() : given
    if (!text && options.file === undefined) throw new Misused("<text> is missing")
    const how = howOf(options)
    const shop = bridge(asked)
    const key = options["idempotency-key"]
    const under = key === undefined ? {} : { idempotencyKey: key }
    if (options.at !== undefined && options.file !== undefined)
      throw new Misused("--file goes without --at: an upload is kept for 24 hours only")
    const answering = answeringOf(options)
    if (options.file === undefined) {
      const sent = await shop.sendText({ chat, body: text, ...answering }, under)
      return print(sent.message_id, sent)
    }
    const file = await shop.upload(new Blob([await bytesOf(options.file)]), {
      filename: basename(options.file),
      ...typeOf(options.file),
    })
    const beside = { ...(text && { caption: text }), ...answering, ...how }
    const sent = await shop.sendMedia({ chat, file, ...beside }, under)
    print(sent.message_id, sent)
  },
}

function answeringOf({ read, "typing-ms": ms, at }: Options) {
  if (ms !== undefined && !/^\d+$/.test(ms)) throw new Misused("--typing-ms is no number")
  return {
    ...(read !== undefined && { read }),
    ...(ms !== undefined && { typing_ms: Number(ms) }),
    ...(at !== undefined && { send_at: secondsOf("at", at) }),
  }
}

/** The fields of `sendMedia` for what `--as` may say. */
const ways = {
  sticker: { as_sticker: true },
  voice: { as_voice: true },
  document: { as_document: true },
  gif: { gif_playback: true },
  "video-note": { video_note: true },
} as const

function howOf({ as, file }: Options) {
  if (as === undefined) return {}
  if (file === undefined) throw new Misused("--as goes with --file")
  if (!Object.hasOwn(ways, as)) throw new Misused(`--as takes one of ${Object.keys(ways).join(", ")}`)
  return ways[as as keyof typeof ways]
}

async function inputText(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString().replace(/\n$/, "")
}

async function bytesOf(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(
    await readFile(path).catch((error: NodeJS.ErrnoException) => {
      throw new Misused(`--file: ${path} cannot be read (${error.code})`)
    }),
  )
}

/** Content types by the extension of a file's name. A file with any other extension is sent as a document. */
const types: Record<string, string> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  mp4: "video/mp4",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
  pdf: "application/pdf",
}

function typeOf(path: string): { contentType?: string } {
  const type = types[path.split(".").at(-1)!.toLowerCase()]
  return type === undefined ? {} : { contentType: type }
}
