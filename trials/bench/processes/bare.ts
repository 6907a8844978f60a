/**
 * The other side: bare Baileys, as a competent user who can do without durability writes it by hand. Each
 * bridge is a socket whose keys are in memory, in a plain `Map`. A planned end writes them to one file, which
 * the next start reads. Incoming messages are POSTed in order over one kept connection. A send is answered
 * once the network acknowledges it.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import { json } from "node:stream/consumers"
import {
  type AuthenticationState,
  BufferJSON,
  DisconnectReason,
  generateMessageIDV2,
  initAuthCreds,
  makeWASocket,
  proto,
  type SignalDataTypeMap,
  type WAMessage,
} from "@whiskeysockets/baileys"
import pino from "pino"
import { Client } from "undici"
import { listen } from "#one-machine/listen.ts"

// The Signal library prints its sessions, private keys and all.
for (const level of ["log", "info", "warn"] as const) console[level] = () => {}

const [networkUrl = "", file = ""] = process.argv.slice(2)
const logger = pino({ level: "silent" })

interface Saved {
  ref: string
  webhookUrl: string
  creds: AuthenticationState["creds"]
  keys: [string, unknown][]
}

const bridges = new Map<string, ReturnType<typeof newBridge>>()
if (existsSync(file))
  for (const saved of JSON.parse(readFileSync(file, "utf8"), BufferJSON.reviver) as Saved[])
    bridges.set(saved.ref, newBridge(saved))

const server = createServer((request, response) => {
  answer(request).then(
    (answered) => response.end(JSON.stringify(answered)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
})
const port = await listen(server)
for (const signal of ["SIGTERM", "disconnect"] as const) process.once(signal, end)
process.send?.({ baseUrl: `http://127.0.0.1:${port}` })

function end(): void {
  writeFileSync(
    file,
    JSON.stringify(
      [...bridges.values()].map(({ saved }) => saved()),
      BufferJSON.replacer,
    ),
  )
  process.exit(0)
}

async function answer(request: IncomingMessage): Promise<object> {
  const [, ref = "", what] = (request.url ?? "").split("/")
  const body = (await json(request)) as { webhookUrl: string; chat: string; body: string }
  if (what === "link") {
    const creds = initAuthCreds()
    bridges.set(ref, newBridge({ ref, webhookUrl: body.webhookUrl, creds, keys: [] }))
    return { qr: await bridges.get(ref)?.qr }
  }
  const bridge = bridges.get(ref)
  if (!bridge) throw new Error(`no bridge ${ref}`)
  if (what === "send") return { message_id: await bridge.send(body.chat, body.body) }
  await bridge.open
  return {}
}

function newBridge(saved: Saved) {
  const { ref, creds } = saved
  const kept = new Map(saved.keys)
  const shown = Promise.withResolvers<string>()
  const opened = Promise.withResolvers<void>()
  const acks = new Map<string, (error: string | undefined) => void>()
  const tell = inOrder(saved.webhookUrl)
  let sock = dial()

  function dial() {
    const made = makeWASocket({
      auth: { creds, keys: keysIn(kept) },
      waWebSocketUrl: networkUrl,
      logger,
      emitOwnEvents: false,
      markOnlineOnConnect: false,
      syncFullHistory: false,
      shouldSyncHistoryMessage: () => false,
    })
    made.ev.on("creds.update", (update) => void Object.assign(creds, update))
    made.ev.on("connection.update", ({ connection, qr, lastDisconnect }) => {
      if (qr) shown.resolve(qr)
      if (connection === "open") opened.resolve()
      const { output } = (lastDisconnect?.error ?? {}) as { output?: { statusCode?: number } }
      if (connection === "close" && output?.statusCode !== DisconnectReason.loggedOut) sock = dial()
    })
    made.ev.on("messages.upsert", ({ messages }) => {
      // Messages that our own phone shares with its devices do not count. Those that waited for us do
      // (`append`).
      for (const message of messages) if (!message.key.fromMe) tell(message)
    })
    made.ws.on("CB:ack,class:message", ({ attrs }: { attrs: { id: string; error?: string } }) =>
      acks.get(attrs.id)?.(attrs.error),
    )
    return made
  }

  return {
    qr: shown.promise,
    open: opened.promise,
    saved: (): Saved => ({ ref, webhookUrl: saved.webhookUrl, creds, keys: [...kept] }),
    async send(number: string, text: string): Promise<string> {
      const messageId = generateMessageIDV2(creds.me?.id)
      const acked = new Promise<string | undefined>((resolve) => acks.set(messageId, resolve))
      await sock.sendMessage(`${number}@s.whatsapp.net`, { text }, { messageId })
      const error = await acked
      acks.delete(messageId)
      if (error) throw new Error(`the network refused it: ${error}`)
      return messageId
    },
  }
}

function keysIn(kept: Map<string, unknown>): AuthenticationState["keys"] {
  return {
    get: <Type extends keyof SignalDataTypeMap>(type: Type, ids: string[]) => {
      const found: Record<string, SignalDataTypeMap[Type]> = {}
      for (const id of ids) {
        const value = kept.get(`${type} ${id}`) as SignalDataTypeMap[Type] | undefined // as it was set
        if (value) found[id] = type === "app-state-sync-key" ? revived(value) : value
      }
      return found
    },
    set: (data) => {
      for (const [type, entries] of Object.entries(data))
        for (const [id, value] of Object.entries(entries ?? {}))
          if (value) kept.set(`${type} ${id}`, value)
          else kept.delete(`${type} ${id}`)
    },
  }
}

function revived<Value>(value: Value): Value {
  return proto.Message.AppStateSyncKeyData.fromObject(value as object) as Value
}

/** POSTs one message after the other. One that fails is lost: it is said, and the next goes out. */
function inOrder(webhookUrl: string): (message: WAMessage) => void {
  const { origin, pathname: path } = new URL(webhookUrl)
  const client = new Client(origin)
  let turn = Promise.resolve()
  return ({ key, message, messageTimestamp, pushName }) => {
    const body = JSON.stringify({
      event: "message",
      message_id: key.id,
      chat_id: key.remoteJid,
      name: pushName,
      body: message?.conversation ?? message?.extendedTextMessage?.text ?? "",
      timestamp: Number(messageTimestamp),
    })
    turn = turn
      .then(async () => await post(body))
      .catch((error: unknown) => console.error(`lost ${key.id}:`, error))
  }

  async function post(body: string): Promise<void> {
    const headers = { "content-type": "application/json" }
    const answered = await client.request({ method: "POST", path, headers, body })
    await answered.body.dump()
  }
}
