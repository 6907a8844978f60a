import { BridgeError } from "./bridge-error.ts"
import {
  argument,
  type Asker,
  asker,
  type Listing,
  type SendOptions,
  type Settings,
  jsonOf,
  unexpected,
} from "./call.ts"
import { canBeAnswered } from "./can-be-answered.ts"
import { type CursorStore, openCursor } from "./cursor.ts"
import { follow, type Opening } from "./event-stream.ts"
import {
  type AccountCalls,
  type BridgeCalls,
  type Event,
  type EventType,
  operations,
  type StoredEvent,
} from "./generated.ts"

/** A kept event whose type is known. */
export type EventOf<Type extends EventType = EventType> = StoredEvent & {
  event: Extract<Event, { event: Type }>
}

export interface StreamOptions {
  /** Ends the stream. */
  signal?: AbortSignal
  /** Is told once, when the stream is open: whatever happens from then on is heard. */
  onOpen?: () => void
  /** Is told of each interruption, after which the stream goes on by itself. */
  onInterruption?: (error: BridgeError, waitMs: number) => void
}

/** Where a stream of events begins. There is no default, since one that begins now skips what came before. */
export type Beginning =
  | {
      /**
       * The name under which the program keeps its place, its cursor. It is written when the loop asks for
       * the next event. Started again, the program goes on there: a crash repeats one event and skips none.
       * The first time it begins now, or where `after` or `since` say.
       */
      resume: string
      /**
       * The folder of the cursor's file, `.messaging-bridge` by default; or what keeps the cursor in place of
       * files.
       */
      store?: string | CursorStore
      after?: string
      since?: number
    }
  | {
      /** Begins now. Nobody notes how far the program has come. */
      from: "now"
    }
  | {
      /** Begins behind the event of this id. */
      after: string
    }
  | {
      /** Begins at this time, Unix seconds. */
      since: number
    }

interface Watch extends StreamOptions {
  /**
   * Is told how many events, of all types and chats, are no longer kept, since the program was away for too
   * long; the stream then goes on. Without it, the stream throws `events_missed`.
   */
  onMissed?: (missed: number) => unknown
}

export type EventOptions<Type extends EventType = EventType> = Beginning & Watch & Filters<Type>

export type MessageOptions = Beginning & Watch & Pick<Filters, "chat" | "search"> & { groups?: boolean }

interface Filters<Type extends EventType = EventType> {
  /** Only events of these types. */
  types?: readonly Type[]
  /** Only events of this chat: digits, or a JID. */
  chat?: string
  /** `in`: only what others wrote, and calls. `out`: only what was written on the phone. */
  direction?: "in" | "out"
  /** Only events in which this text is. */
  search?: string
}

/**
 * A bridge: every call of the reference about it, under the reference's own name, and what is more than one
 * call.
 */
export interface BridgeClient extends BridgeCalls {
  /** The `customer_ref`. */
  readonly ref: string
  /**
   * The events as they happen, in order, each once. A stream that breaks goes on behind the last event.
   * @throws BridgeError if it cannot be opened, or the key is revoked meanwhile; `cursor_unusable`,
   * `cursor_in_use` and `events_missed`
   */
  events<Type extends EventType = EventType>(options: EventOptions<Type>): AsyncGenerator<EventOf<Type>>
  /**
   * What people write to the bridge and can be answered (`canBeAnswered`), in chats of two; with
   * `groups: true` in groups, too. @throws as `events`
   */
  messages(options: MessageOptions): AsyncGenerator<EventOf<"message">>
  /** The lines of the log: the last `tail` ones (100), then new ones as they come. @throws as `events` */
  logs(options?: StreamOptions & { tail?: number }): AsyncGenerator<string>
  /**
   * Uploads a file. @returns its id, the `file` of `sendMedia` and `sendStatus`, good for 24 hours. @throws
   * BridgeError
   */
  upload(file: Blob, about?: { filename?: string; contentType?: string }): Promise<string>
}

export interface MessagingBridge extends AccountCalls {
  /** The bridge of this `customer_ref`; without one, the account's first. Nothing is asked for yet. */
  bridge(ref?: string): BridgeClient
}

/**
 * A service, and a key to it. Nothing is asked for yet.
 * @throws BridgeError `invalid_argument` without a usable address and key
 */
export function messagingBridge(settings: Settings = {}): MessagingBridge {
  const ask = asker(settings)
  const account = callsOf(ask, {}, (name) => !isOfBridge(name)) as unknown as AccountCalls
  return {
    ...account,
    bridge(ref = "default") {
      // As the table was generated.
      const calls = callsOf(ask, { customer_ref: ref }, isOfBridge) as unknown as BridgeCalls
      return {
        ref,
        ...calls,
        ...streamsOf(ask, ref),
        upload: (file, about) => upload(calls, settings, file, about),
      }
    },
  }
}

type Name = keyof typeof operations

function isOfBridge(name: Name): boolean {
  return operations[name].path.includes("{customer_ref}")
}

/** A row of the generated table. */
interface Recipe {
  method: string
  path: string
  query?: readonly string[]
  body?: true
  takesKey?: true
  answer: "json" | "bytes" | "nothing" | "list"
}

type Input = Record<string, unknown>

function callsOf(ask: Asker, fixed: Input, isWanted: (name: Name) => boolean) {
  const names = (Object.keys(operations) as Name[]).filter(isWanted)
  return Object.fromEntries(names.map((name) => [name, callOf(ask, name, operations[name], fixed)]))
}

/** A call as the generated interfaces have it: with an input if it has fields, then options. */
function callOf(ask: Asker, name: Name, recipe: Recipe, fixed: Input) {
  const hasInput = recipe.body || recipe.query || /\{(?!customer_ref)/.test(recipe.path)
  return (...given: [Input?, SendOptions?] | [SendOptions?]) => {
    const [input = {}, options = {}] = (hasInput ? given : [undefined, ...given]) as [Input?, SendOptions?]
    const make = async <Read>(read: (answer: Response) => Promise<Read>, more: Input = {}) =>
      await ask(requestOf(name, recipe, { ...input, ...more, ...fixed }, options), read, options)
    if (recipe.answer === "list") return listing((more) => make(pageIn, more), input)
    return make(readers[recipe.answer])
  }
}

/** How the answer of a call is read. */
const readers: Record<Exclude<Recipe["answer"], "list">, (answer: Response) => Promise<unknown>> = {
  json: jsonOf,
  bytes: async (answer) => answer,
  nothing: async (answer) => await answer.body?.cancel(),
}

/**
 * @throws BridgeError `invalid_argument` for a part of the path that is missing, or what no request can carry
 */
function requestOf(name: Name, recipe: Recipe, input: Input, { idempotencyKey }: SendOptions) {
  const { method, query = [] } = recipe
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const take = (field: string) => {
    const value = rest.get(field)
    rest.delete(field)
    return value
  }
  const path = recipe.path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = take(field)
    // A URL drops these two, and would lead elsewhere.
    if (typeof value !== "string" || value === "" || value === "." || value === "..")
      throw argument(
        `${name}: ${field === "customer_ref" ? "the reference of the bridge" : field} is missing`,
      )
    return carried(name, () => encodeURIComponent(value))
  })
  const asked = withQuery(path, Object.fromEntries(query.map((field) => [field, take(field)])) as Query)
  const repeatable = method === "GET" || method === "PUT" || method === "PATCH" || recipe.takesKey === true
  return {
    method,
    path: asked,
    repeatable,
    ...(recipe.takesKey && { headers: { "idempotency-key": keyed(idempotencyKey ?? crypto.randomUUID()) } }),
    ...(recipe.body && { body: carried(name, () => JSON.stringify(Object.fromEntries(rest))) }),
  }
}

/** @throws BridgeError `invalid_argument` for what an encoder refuses */
function carried(name: Name, encode: () => string): string {
  try {
    return encode()
  } catch (cause) {
    throw argument(`${name}: no request can carry this: ${(cause as Error).message}`)
  }
}

type Query = Record<string, string | number | undefined>

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, `${value}`]],
  )
  return given.length > 0 ? `${path}?${new URLSearchParams(Object.fromEntries(given)).toString()}` : path
}

function keyed(key: string): string {
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw argument("idempotencyKey: 1 to 255 printable characters")
}

/** Contract, "Contacts" and "Groups": lists that are paged by JID; by default a page has so many at least. */
const pageOfJids = 100

interface Page {
  items: { jid?: string }[]
  /** From the answer's header. */
  next: string | null
}

async function pageIn(answer: Response): Promise<Page> {
  const items = (await jsonOf(answer)) as Page["items"] // the table says that it is a list
  return { items, next: answer.headers.get("x-next-after") }
}

/** Begins with the first page, which was asked for at once, so that no page is asked for twice. */
function listing(make: (more?: Input) => Promise<Page>, input: Input): Listing<unknown> {
  const isFull = ({ items }: Page) => items.length >= Number(input.limit ?? pageOfJids)
  const first = make()
  const firstItems = first.then(({ items }) => items)
  const all = async function* () {
    firstItems.catch(() => "thrown below, to whom iterates")
    for (let page = await first; ;) {
      yield* page.items
      const after = page.next ?? (isFull(page) ? page.items.at(-1)?.jid : undefined)
      if (after === undefined) return
      page = await make({ after })
    }
  }
  return Object.assign(firstItems, { [Symbol.asyncIterator]: all })
}

async function streamIn(answer: Response): Promise<Response> {
  if (answer.headers.get("content-type")?.startsWith("text/event-stream")) return answer
  throw unexpected(answer)
}

function streamsOf(ask: Asker, ref: string) {
  const base = `/api/instances/${encodeURIComponent(ref)}`
  const open = async (path: string, query: Query, at: Opening, after?: string) => {
    const lastId = at.lastId ?? after
    const headers = { accept: "text/event-stream", ...(lastId !== undefined && { "last-event-id": lastId }) }
    const request = {
      method: "GET",
      path: withQuery(`${base}${path}`, query),
      headers,
      repeatable: true,
    }
    // Later on the stream itself tries again, and tells of it.
    return await ask(request, streamIn, { signal: at.signal, ...(!at.isFirst && { retries: 0 }) })
  }

  async function* events<Type extends EventType>(options: EventOptions<Type>): AsyncGenerator<EventOf<Type>> {
    const { signal, onOpen, onInterruption, onMissed, types, ...rest } = options
    const { resume, store, after, since, ...filters } = checkedBeginning(rest)
    const cursor =
      resume === undefined ? undefined : await openCursor({ name: resume, url: ask.url, bridge: ref, store })
    const start = cursor?.after ?? after
    const query = { ...filters, type: types?.join(","), since: start === undefined ? since : undefined }
    const messages = follow({
      signal,
      onOpen,
      onInterruption,
      open: async (at) =>
        await open("/events", query, at, start).catch((error: unknown) => {
          if (!cursor?.after || !isUnknownEvent(error)) throw error
          throw cursor.unusable(
            "names an event that this bridge never had: remove it, and the program begins now",
            error,
          )
        }),
    })
    for await (const { id, name, data } of messages) {
      if (name === "missed") await tellMissed(data, onMissed)
      // Filtered by the service.
      else if (data !== undefined) yield eventIn(data) as EventOf<Type>
      // The loop has asked for the next one: it is done with this one.
      if (id !== undefined) await cursor?.moveTo(id)
    }
  }

  return {
    events,

    async *messages({ groups = false, ...options }: MessageOptions): AsyncGenerator<EventOf<"message">> {
      for await (const stored of events({ ...options, types: ["message"], direction: "in" }))
        if (canBeAnswered(stored.event) && (groups || !stored.event.is_group)) yield stored
    },

    async *logs(options: StreamOptions & { tail?: number } = {}): AsyncGenerator<string> {
      let tail = options.tail
      for await (const { data } of follow({
        ...options,
        open: async (at) => {
          const answer = await open("/logs", { tail }, at)
          // What came before an interruption is not shown again; what came in it is lost, as a log may lose
          // it.
          tail = 0
          return answer
        },
      }))
        if (data !== undefined) yield data
    },
  }
}

function eventIn(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (cause) {
    throw new BridgeError("unexpected_answer", "the stream has something that is no event", { cause })
  }
}

/** @throws BridgeError `invalid_argument` unless it is said where to begin */
function checkedBeginning<Given extends Beginning>(given: Given) {
  const { from, ...rest } = given as Given & StartOptions
  if (from !== undefined && from !== "now") throw argument('from: "now" is all that it can be')
  if (rest.resume === "") throw argument("resume: a cursor needs a name")
  if (!rest.resume && from === undefined && rest.after === undefined && rest.since === undefined)
    throw argument(
      'events: say where to begin. `resume: "a-name"` goes on where the program was when it ended; `from: "now"` skips what came before',
    )
  return rest
}

/** The options of every `Beginning`. */
interface StartOptions {
  resume?: string
  store?: string | CursorStore
  from?: "now"
  after?: string
  since?: number
}

/** Whether the service refuses the id behind which a stream is to go on. */
function isUnknownEvent(error: unknown): boolean {
  return error instanceof BridgeError && error.issues?.some(({ path }) => path === "Last-Event-ID") === true
}

/** @throws BridgeError `events_missed` if nobody wants to be told */
async function tellMissed(data: string | undefined, onMissed: Watch["onMissed"]): Promise<void> {
  const { missed } = eventIn(data ?? "") as { missed: number }
  if (onMissed) return void (await onMissed(missed))
  throw new BridgeError(
    "events_missed",
    `the program was away for too long: up to ${missed} events that came meanwhile are no longer kept. With \`onMissed\` it is told, and goes on`,
    { missed },
  )
}

async function upload(
  calls: BridgeCalls,
  settings: Settings,
  file: Blob,
  about: { filename?: string; contentType?: string } = {},
): Promise<string> {
  // Bun adds a charset.
  const content_type = about.contentType ?? (file.type.split(";")[0] || "application/octet-stream")
  const filename = about.filename
  const made = await calls.createUpload({
    content_type,
    size: file.size,
    ...(filename !== undefined && { filename }),
  })
  const form = new FormData()
  for (const [name, value] of Object.entries(made.upload.fields)) form.set(name, value)
  form.set("file", file, filename ?? "file")
  const answer = await (settings.fetch ?? fetch)(made.upload.url, { method: "POST", body: form }).catch(
    (cause: unknown) => {
      throw new BridgeError("no_answer", "the file could not be uploaded: the connection broke off", {
        cause,
      })
    },
  )
  await answer.body?.cancel()
  if (answer.ok) return made.file
  throw new BridgeError(
    "unexpected_answer",
    `the file was not taken: the place for uploads answered ${answer.status}`,
    {
      status: answer.status,
    },
  )
}
