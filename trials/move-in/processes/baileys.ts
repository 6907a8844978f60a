/**
 * A gateway that stands on Baileys, as far as a move sees one: it links numbers, keeps their keys where its
 * kind keeps them, writes down what comes, and sends. It is killed, and started again on what is left.
 */
import { randomUUID } from "node:crypto"
import { appendFileSync, readdirSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { createServer, type IncomingMessage } from "node:http"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import {
  type AuthenticationState,
  DisconnectReason,
  generateMessageIDV2,
  makeCacheableSignalKeyStore,
  makeWASocket,
  useMultiFileAuthState,
  WA_CERT_DETAILS,
} from "@whiskeysockets/baileys"
import pino from "pino"
import { z } from "zod"
import { listen } from "#one-machine/listen.ts"
import { evolutionDatabase } from "../evolution-database.ts"

// The Signal library prints its sessions, private keys and all.
for (const level of ["log", "info", "warn", "error"] as const) console[level] = () => {}

const Given = z.object({
  /** Of the network. */
  url: z.string(),
  rootKey: z.string(),
  /** Numbers have folders in it, by their names. */
  folder: z.string(),
  /** Where Evolution keeps credentials; other kinds keep them in the folder. */
  database: z.string().optional(),
  /** Where it writes down what comes, a line for each message. */
  told: z.string(),
})
const given = Given.parse(JSON.parse(process.argv[2] ?? ""))
WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(given.rootKey, "hex")
const logger = pino({ level: "silent" })
const database = given.database === undefined ? undefined : evolutionDatabase(given.database)

interface Auth {
  state: AuthenticationState
  saveCreds: () => Promise<void>
}

/**
 * All kinds keep keys by `useMultiFileAuthState`, or in files of the same names. Evolution names the folder
 * by the instance's id, and keeps the credentials as a row.
 */
async function authOf(name: string): Promise<Auth> {
  if (!database) return await useMultiFileAuthState(join(given.folder, name))
  const instance = await database.instance(name, randomUUID())
  const { state } = await useMultiFileAuthState(join(given.folder, instance))
  const creds = (await database.creds(instance)) ?? state.creds
  const saveCreds = async () => await database.keep(instance, creds)
  await saveCreds()
  return { state: { creds, keys: state.keys }, saveCreds }
}

const numbers = new Map<string, Awaited<ReturnType<typeof newNumber>>>()
await mkdir(given.folder, { recursive: true })
for (const name of (await database?.names()) ?? readdirSync(given.folder))
  numbers.set(name, await newNumber(name))

const server = createServer((request, response) => {
  answer(request).then(
    (answered) => response.end(JSON.stringify(answered)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
})
const port = await listen(server)
process.stdin.resume().once("end", () => process.exit(0))
process.stdout.write(`${JSON.stringify({ base_url: `http://127.0.0.1:${port}` })}\n`)

async function answer(request: IncomingMessage): Promise<object> {
  const [, name = "", what] = (request.url ?? "").split("/")
  const body = (await json(request)) as { chat: string; body: string }
  if (what === "link") numbers.set(name, await newNumber(name))
  const number = numbers.get(name)
  if (!number) throw new Error(`no number ${name}`)
  if (what === "link") return { qr: await number.qr }
  if (what === "send") return { message_id: await number.send(body.chat, body.body) }
  await number.open
  return {}
}

async function newNumber(name: string) {
  const { state, saveCreds } = await authOf(name)
  const auth = { creds: state.creds, keys: makeCacheableSignalKeyStore(state.keys, logger) }
  const shown = Promise.withResolvers<string>()
  const opened = Promise.withResolvers<void>()
  const acks = new Map<string, (error: string | undefined) => void>()
  let sock = dial()

  function dial() {
    const made = makeWASocket({ auth, waWebSocketUrl: given.url, logger, markOnlineOnConnect: false })
    made.ev.on("creds.update", () => void saveCreds())
    made.ev.on("connection.update", ({ connection, qr, lastDisconnect }) => {
      if (qr) shown.resolve(qr)
      if (connection === "open") opened.resolve()
      const { output } = (lastDisconnect?.error ?? {}) as { output?: { statusCode?: number } }
      const isOver = new Set<number>([DisconnectReason.loggedOut, DisconnectReason.connectionReplaced])
      if (connection === "close" && !isOver.has(output?.statusCode ?? 0)) sock = dial()
    })
    made.ev.on("messages.upsert", ({ messages }) => {
      for (const { key, message } of messages) {
        const text = message?.conversation ?? message?.extendedTextMessage?.text
        if (key.fromMe || typeof text !== "string") continue
        appendFileSync(given.told, `${JSON.stringify({ name, id: key.id, text })}\n`)
      }
    })
    made.ws.on("CB:ack,class:message", ({ attrs }: { attrs: { id: string; error?: string } }) =>
      acks.get(attrs.id)?.(attrs.error),
    )
    return made
  }

  return {
    qr: shown.promise,
    open: opened.promise,
    /** Resolves when the network has it. */
    async send(chat: string, text: string): Promise<string> {
      const messageId = generateMessageIDV2(state.creds.me?.id)
      const acked = new Promise<string | undefined>((resolve) => acks.set(messageId, resolve))
      await sock.sendMessage(chat.includes("@") ? chat : `${chat}@s.whatsapp.net`, { text }, { messageId })
      const error = await acked
      if (error) throw new Error(`the network refused it: ${error}`)
      return messageId
    },
  }
}
