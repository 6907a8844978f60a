import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { messagingBridge, type Settings as BridgeSettings } from "../../sdk-typescript/src/index.ts"
import { Chatwoot, type Place } from "./chatwoot.ts"
import { type Line, patiently, sleep } from "./line.ts"
import { Notes } from "./notes.ts"
import { chatOf } from "./place.ts"
import { ifGone, toChatwoot } from "./to-chatwoot.ts"
import { handOver, toWhatsApp } from "./to-whatsapp.ts"

export interface Settings {
  chatwoot: Place
  bridge: BridgeSettings
  /** The bridges, by their `customer_ref`: each has an inbox of its own. */
  refs: string[]
  /** The file of SQLite in which the program remembers what it has done. */
  file: string
  /** Where Chatwoot reaches this program: what comes to addresses below it is for `answer`. */
  hookUrl: string
  /** Signs what Chatwoot calls, by the `customer_ref`: newer versions show it on the inbox's page. */
  secrets?: Record<string, string>
  /** Whether groups become conversations, too. */
  groups?: boolean
  /** Whether an agent's name stands before what they write. */
  names?: boolean
  /** How often it is looked for what Chatwoot has not told of, in ms; each minute by default. */
  lookEveryMs?: number
  log?: (sentence: string) => void
}

export interface Running {
  /** Answers a call of Chatwoot: what it says is looked up, not believed. */
  answer: (request: IncomingMessage, response: ServerResponse) => void
  /** Resolves once everything is in place: from then on messages go both ways. */
  started: Promise<void>
  stop: () => Promise<void>
}

/** Lets messages go both ways between bridges and a Chatwoot until it is stopped. @throws Error as `Notes` */
export function start(settings: Settings): Running {
  const { log = console.error } = settings
  const notes = new Notes(settings.file)
  const chatwoot = new Chatwoot(settings.chatwoot)
  const stop = new AbortController()
  const lines = new Map(
    settings.refs.map((ref) => [ref, runLine(settings, { ref, notes, chatwoot, signal: stop.signal, log })]),
  )
  const token = tokenOf(settings.chatwoot.token)
  const took = async (request: IncomingMessage): Promise<number> => {
    const [given = "", name = ""] = (request.url ?? "").split("/").slice(-2)
    const ref = decodeURIComponent(name)
    const line = lines.get(ref)
    if (!line || !isEqual(given, token)) return 404
    const body = await text(request)
    if (!isGenuine(request.headers, body, settings.secrets?.[ref])) return 401
    line.ring(body)
    return 200
  }
  return {
    started: Promise.all([...lines.values()].map((line) => line.started)).then(() => undefined),
    answer: (request, response) =>
      void took(request).then(
        (status) => response.writeHead(status).end(),
        () => response.destroy(),
      ),
    async stop() {
      stop.abort(new Error("it was stopped"))
      await Promise.all([...lines.values()].map((line) => line.ended))
      notes.close()
    },
  }
}

/** Nobody but Chatwoot knows the address that it is given. */
function tokenOf(secret: string): string {
  return createHash("sha256").update(`webhook of ${secret}`).digest("hex").slice(0, 32)
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

function isGenuine(headers: IncomingHttpHeaders, body: string, secret: string | undefined): boolean {
  if (secret === undefined) return true
  const time = String(headers["x-chatwoot-timestamp"])
  const mac = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")
  return isEqual(String(headers["x-chatwoot-signature"]), `sha256=${mac}`)
}

interface Parts {
  ref: string
  notes: Notes
  chatwoot: Chatwoot
  signal: AbortSignal
  log: (sentence: string) => void
}

function runLine(settings: Settings, { ref, ...parts }: Parts) {
  const { notes, chatwoot, signal } = parts
  const log = (sentence: string) => parts.log(`${ref}: ${sentence}`)
  const bridge = messagingBridge(settings.bridge).bridge(ref)
  const keys = `chatwoot ${new URL(settings.chatwoot.url).host} ${settings.chatwoot.account}`
  const { groups = false, names = false, lookEveryMs = 60_000 } = settings
  let line: Line | undefined
  const sends = new Set<Promise<unknown>>()
  const doors = doorbells(async (conversation, from) => {
    const here = line
    if (!here) return
    const look = async () => await toWhatsApp(here, conversation, from, sends)
    await unfailing(here, async () => await patiently(here, look).catch(ifGone))
  })

  async function begin(): Promise<void> {
    const base = settings.hookUrl.replace(/\/+$/, "")
    const url = `${base}/${tokenOf(settings.chatwoot.token)}/${encodeURIComponent(ref)}`
    const find = async () => await inboxOf({ ref, notes, chatwoot, signal, log }, url)
    const { inbox, since } = await patiently({ signal, log }, find)
    line = { bridge, chatwoot, notes, inbox, since, keys, groups, names, signal, log }
    await wantStatuses(line)
    await lookAll(line, doors.ring)
  }

  async function lookNowAndThen(here: Line): Promise<void> {
    for (;;) {
      await sleep(lookEveryMs, signal)
      await unfailing(here, async () => await lookAll(here, doors.ring))
    }
  }

  const started = unfailing({ signal, log }, begin)
  async function goOn(): Promise<void> {
    await started
    const here = line
    if (!here) return
    await Promise.all([unfailing(here, async () => await listen(here, sends)), lookNowAndThen(here)])
  }

  const ended = goOn()
    .catch((error: unknown) => void (signal.aborted || log((error as Error).message)))
    .then(async () => await doors.idle())
  return { started, ended, ring: (body: string) => void told(line, body, doors.ring) }
}

type Ring = (conversation: number, from: number) => Promise<void>

/** Does at Chatwoot what happens, one event after the other. */
async function listen(line: Line, sends: Set<Promise<unknown>>): Promise<void> {
  const { bridge, notes, signal, log } = line
  const onMissed = (missed: number) =>
    log(`up to ${missed} events are no longer kept, and are missing at Chatwoot`)
  const place = { resume: `chatwoot ${bridge.ref}`, store: notes.cursors }
  const types = ["message", "message_status"] as const
  for await (const event of bridge.events({ ...place, types, signal, onMissed }))
    await unfailing(line, async () => await toChatwoot(line, event, sends))
}

/** Looks at every conversation in which something has changed since it last did. */
async function lookAll(line: Line, ring: Ring): Promise<void> {
  const { notes, chatwoot, bridge, inbox } = line
  const now = Date.now() / 1000
  const seconds = Math.ceil(now - notes.line(bridge.ref)!.looked) + 60
  const changed = await patiently(line, async () => await chatwoot.changedConversations(inbox, seconds))
  await Promise.all(changed.map(({ id }) => ring(id, notes.known(id).recent || Infinity)))
  notes.looked(bridge.ref, now)
}

async function told(line: Line | undefined, body: string, ring: Ring): Promise<void> {
  const { event, id, conversation = {} } = bodyOf(body)
  if (!line || typeof id !== "number") return
  if (event === "message_created" || event === "message_updated") {
    if (typeof conversation.id === "number") await ring(conversation.id, id)
  } else if (event === "conversation_status_changed") await resolved(line, id)
}

/** Who resolves a conversation gives the chat back to the account's programs. */
async function resolved(line: Line, id: number): Promise<void> {
  try {
    const { status, inbox_id } = await line.chatwoot.conversation(id)
    const chat = status === "resolved" && inbox_id === line.inbox ? await chatOf(line, id) : undefined
    if (chat !== undefined) await handOver(line, chat, 0)
  } catch (error) {
    line.log((error as Error).message)
  }
}

function bodyOf(body: string): { event?: unknown; id?: unknown; conversation?: { id?: unknown } } {
  try {
    return (JSON.parse(body) as object | null) ?? {}
  } catch {
    return {}
  }
}

/** Does it again after a pause, whatever is thrown, until it is stopped: one fault of ours ends nothing. */
async function unfailing(line: Pick<Line, "signal" | "log">, work: () => Promise<void>): Promise<void> {
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (line.signal.aborted) return
      line.log(`${(error as Error).message}; it is tried again in half a minute`)
      await sleep(30_000, line.signal).catch(() => "it ends")
    }
}

/** The inbox of a bridge: the one that is noted, the one that calls this address, or a new one. */
async function inboxOf(
  { ref, notes, chatwoot }: Parts,
  url: string,
): Promise<{ inbox: number; since: number }> {
  // Chatwoot tells times in whole seconds.
  const now = Math.floor(Date.now() / 1000)
  const name = `WhatsApp ${ref}`
  const all = await chatwoot.inboxes()
  const noted = notes.line(ref)
  const found =
    all.find(({ id }) => id === noted?.inbox) ??
    all.find((one) => one.webhook_url === url || one.name === name)
  const { id, webhook_url } = found ?? (await chatwoot.createInbox(name, url))
  if (webhook_url !== url) await chatwoot.moveInbox(id, url)
  if (noted?.inbox !== id) notes.begin(ref, id, now)
  return { inbox: id, since: notes.line(ref)!.since }
}

/** Whether a message was delivered and read is an event only if the bridge names its type. */
async function wantStatuses(line: Line): Promise<void> {
  await patiently(line, async () => {
    const { events } = await line.bridge.getBridge()
    if (!events.includes("message_status"))
      await line.bridge.updateBridge({ events: [...events, "message_status"] })
  })
}

/** Looks at a conversation once for all who rang meanwhile, and never twice at once. */
function doorbells(look: (conversation: number, from: number) => Promise<void>) {
  const waiting = new Map<number, number>()
  const running = new Map<number, Promise<void>>()
  const run = async (conversation: number) => {
    for (let from; (from = waiting.get(conversation)) !== undefined;) {
      waiting.delete(conversation)
      await look(conversation, from)
    }
    running.delete(conversation)
  }
  return {
    /** @returns a promise that is kept once what is there now was looked at */
    ring: async (conversation: number, from: number): Promise<void> => {
      waiting.set(conversation, Math.min(from, waiting.get(conversation) ?? Infinity))
      const going = running.get(conversation) ?? run(conversation)
      running.set(conversation, going)
      await going
    },
    idle: async () => void (await Promise.allSettled(running.values())),
  }
}
