import { BridgeError } from "./bridge-error.ts"
import type { ErrorBody } from "./generated.ts"

/** Where the service is, and how it is asked. */
export interface Settings {
  /**
   * The address of the service, such as `https://bridge.example.com`; by default the environment's
   * `BRIDGE_URL`.
   */
  url?: string
  /** The API key, `mbk_…`; by default the environment's `BRIDGE_KEY`. */
  key?: string
  /** How often a call is made again after a failure that may pass; 4 by default. */
  retries?: number
  /**
   * How long one try may take, in milliseconds; by default 60,000. The service answers each call within 50
   * seconds.
   */
  timeoutMs?: number
  /** Used in place of the global `fetch`. */
  fetch?: typeof fetch
}

export interface CallOptions {
  /** Gives up as soon as it fires: the call then throws its reason. */
  signal?: AbortSignal
  retries?: number
  timeoutMs?: number
}

export interface SendOptions extends CallOptions {
  /**
   * Two sends with one key are one message, for 24 hours. Without it each call has a key of its own, which
   * its retries keep. Give one that you can find again, such as the id of the order or of the event that you
   * answer, if your program may be restarted and repeat the call.
   */
  idempotencyKey?: string
}

/** A page of a list when it is awaited; all of the list, page after page, in `for await`. */
export type Listing<Item> = Promise<Item[]> & AsyncIterable<Item>

/** A request, before it has become a try. */
export interface Asked {
  method: string
  /** With its query. */
  path: string
  headers?: Record<string, string>
  /** JSON. */
  body?: string
  /** Whether the same request may be made again though the first one may have had its effect. */
  repeatable: boolean
}

/** A wait that is longer is left to the caller: `retryAfterMs` of the error says how long it is. */
const longestWaitMs = 65_000

export type Asker = ReturnType<typeof asker>

/**
 * Makes requests of a service, and makes them again where a failure may pass.
 * @throws BridgeError `invalid_argument` if it is not clear where to ask, or with which key
 */
export function asker(settings: Settings) {
  const url = checkedUrl(settings.url ?? environment("BRIDGE_URL"))
  const key = checkedKey(settings.key ?? environment("BRIDGE_KEY"))
  const send = settings.fetch ?? fetch

  return Object.assign(ask, { url })

  /** @returns what `read` makes of a successful answer. @throws BridgeError; the reason of `signal` */
  async function ask<Read>(request: Asked, read: (answer: Response) => Promise<Read>, options: CallOptions) {
    const retries = options.retries ?? settings.retries ?? 4
    for (let tries = 0; ; tries++) {
      const answer = await once(request, read, options).catch((error: unknown) => {
        options.signal?.throwIfAborted()
        if (error instanceof BridgeError) return error
        throw error
      })
      if (!(answer instanceof BridgeError)) return answer
      const waitMs = tries < retries ? waitAfter(answer, request, tries) : undefined
      if (waitMs === undefined) throw answer
      await sleep(waitMs, options.signal)
    }
  }

  async function once<Read>(
    request: Asked,
    read: (answer: Response) => Promise<Read>,
    { signal, timeoutMs }: CallOptions,
  ): Promise<Read> {
    const { method, path, body } = request
    const headers = new Headers({
      authorization: `Bearer ${key}`,
      accept: "application/json",
      ...request.headers,
    })
    if (body !== undefined) headers.set("content-type", "application/json")
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), timeoutMs ?? settings.timeoutMs ?? 60_000)
    const signals = signal ? AbortSignal.any([signal, late.signal]) : late.signal
    const idempotencyKey = headers.get("idempotency-key") ?? undefined
    try {
      const answer = await send(`${url}${path}`, {
        method,
        headers,
        redirect: "manual",
        signal: signals,
        ...(body !== undefined && { body }),
      })
      if (answer.ok) return await read(answer)
      throw await refusal(answer, idempotencyKey)
    } catch (cause) {
      if (cause instanceof BridgeError) throw cause
      const why = late.signal.aborted ? "did not answer in time" : `has no answer${reasonOf(cause)}`
      throw new BridgeError("no_answer", `${method} ${url}${pathAlone(path)} ${why}`, {
        cause,
        idempotencyKey,
      })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The error that a refusal carries, or one that says that something else than the service has answered. */
async function refusal(answer: Response, idempotencyKey?: string): Promise<BridgeError> {
  const { status } = answer
  const about = { status, idempotencyKey, retryAfterMs: retryAfterMs(answer) }
  const body = (await answer.json().catch(() => undefined)) as Partial<ErrorBody> | undefined | null
  if (typeof body?.code === "string" && typeof body.error === "string")
    return new BridgeError(body.code, body.error, { ...about, body: body as ErrorBody }) // the service's form
  return unexpected(answer, about)
}

/**
 * The JSON of an answer. @throws BridgeError `unexpected_answer` if it is none, and what `fetch` throws if it
 * breaks off
 */
export async function jsonOf(answer: Response): Promise<unknown> {
  const text = await answer.text()
  try {
    return JSON.parse(text)
  } catch {
    throw unexpected(answer)
  }
}

/** @param about what else the error has */
export function unexpected(answer: Response, about: object = {}): BridgeError {
  const type = answer.headers.get("content-type")?.split(";")[0] ?? "no Content-Type"
  const isRedirect = answer.type === "opaqueredirect" || (answer.status >= 300 && answer.status < 400)
  const what = isRedirect
    ? `a redirect (${answer.status})${originOf(answer.headers.get("location"))}: give the address to which it leads`
    : `${answer.status} and ${type}, not the JSON of a messaging bridge: is this its address, and is it up?`
  return new BridgeError("unexpected_answer", `${pathAlone(answer.url)} answered with ${what}`, {
    status: answer.status,
    ...about,
  })
}

/** What a redirect tells of the right address; the rest of it may be long, or secret. */
function originOf(location: string | null): string {
  return location !== null && URL.canParse(location) ? ` to ${new URL(location).origin}` : ""
}

/**
 * How long to wait before the same request may be made again; undefined if it is not to be. In milliseconds.
 */
function waitAfter(error: BridgeError, { repeatable }: Asked, tries: number): number | undefined {
  if (!passes(error, repeatable)) return undefined
  const waitMs = error.retryAfterMs ?? backOff(tries)
  return waitMs > longestWaitMs ? undefined : waitMs
}

/** Whether a failure may pass, and the request can be made again without doing its work twice. */
function passes({ code, status }: BridgeError, repeatable: boolean): boolean {
  if (code === "pacing" || code === "network_rejected") return false
  // The service has done nothing.
  if (status === 429 || status === 503) return true
  return repeatable && (code === "no_answer" || code === "idempotency_conflict" || status >= 500)
}

/** Up to 8 seconds, and never the same for many clients. */
export function backOff(tries: number): number {
  return Math.min(500 * 2 ** tries, 8000) * (0.5 + Math.random() / 2)
}

/** @throws the signal's reason */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const wake = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", stop)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    signal?.addEventListener("abort", stop, { once: true })
  })
}

function retryAfterMs(answer: Response): number | undefined {
  const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN)
  return seconds >= 0 ? seconds * 1000 : undefined
}

/** Why `fetch` failed. Its message names no header. */
function reasonOf(error: unknown): string {
  const cause = (error as { cause?: { code?: unknown } } | undefined)?.cause // undici has the reason there
  return typeof cause?.code === "string" ? ` (${cause.code})` : ""
}

function pathAlone(path: string): string {
  return path.split("?")[0]!
}

/** Of Node, Bun and Deno; elsewhere there is none. */
function environment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
    return process?.env?.[name]
  } catch {
    // Deno has not been permitted to look.
    return undefined
  }
}

/** The sentences show neither: a URL may hold a password, and a key is one. */
function checkedUrl(given: string | undefined): string {
  if (!given) throw argument("url is missing: give the address of the service, or set BRIDGE_URL")
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw argument("url is not one: give the address of the service, such as https://bridge.example.com")
  if (url.username || url.password || url.search || url.hash)
    throw argument("url has a user name, a query or a fragment: give the address of the service alone")
  return `${url.origin}${url.pathname.replace(/(?:\/api)?\/*$/, "")}`
}

function checkedKey(given: string | undefined): string {
  if (!given) throw argument("key is missing: give an API key, or set BRIDGE_KEY")
  if (!/^[\x21-\x7e]+$/.test(given))
    throw argument("key has a space, a line break or another character that no API key has")
  return given
}

export function argument(message: string): BridgeError {
  return new BridgeError("invalid_argument", message)
}
