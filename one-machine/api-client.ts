import { setTimeout as sleep } from "node:timers/promises"

/** An answer other than the expected one; the message says which. */
export class Unexpected extends Error {
  /** The status of the answer, where there was one. */
  readonly status: number | undefined
  /** How long the answer asks its caller to wait, where it does. */
  readonly retryAfterMs: number | undefined

  constructor(message?: string, options: ErrorOptions & { answer?: Response } = {}) {
    super(message, options)
    const seconds = Number(options.answer?.headers.get("retry-after") ?? Number.NaN)
    this.status = options.answer?.status
    // A server in front may name a date instead of seconds.
    this.retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined
  }
}

/** Calls the service's own API in the way of any customer. */
export function apiClient(baseUrl: string, apiKey: string) {
  return (method: string, path: string, body?: unknown) =>
    call(`${baseUrl}/api${path}`, method, body, { authorization: `Bearer ${apiKey}` })
}

/**
 * @throws Unexpected for an answer that is not a success; an error that names the request when there is no
 * answer
 */
export async function call(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  // Ours, never shared memory.
  const bytes = body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : undefined
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && !bytes && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: bytes ?? JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new TypeError(`${method} ${url} has no answer`, { cause })
  })
  if (response.ok) return response
  const said = `${method} ${url} answered ${response.status}: ${await response.text()}`
  throw new Unexpected(said, { answer: response })
}

/**
 * The statuses that may be others the next time: a bridge's state passes, and so do the end of a host and a
 * limit.
 */
const passing = new Set([409, 429, 502, 503, 504])

/**
 * Repeats `work` until it succeeds: calls answer 503 while a session host starts or a session moves.
 * @throws Unexpected at once, for an answer that would be the same the next time; for any other once `signal`
 * has fired, with the first one as its cause. Errors of other kinds are thrown at once.
 */
export async function patiently<Made>(signal: AbortSignal, work: () => Promise<Made>): Promise<Made> {
  let first: Unexpected | undefined
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unexpected)) throw error
      if (signal.aborted || isFinal(error)) throw because(error, first)
      first ??= error
      await sleep(pauseOf(error), undefined, { signal }).catch(() => "once more, and it says what is wrong")
    }
  }
}

function isFinal({ status }: Unexpected): boolean {
  return status !== undefined && !passing.has(status)
}

/**
 * How long to wait before the next try, in ms. A limit is reached again until its `retryAfterMs` is over;
 * after other answers that would be longer than needed.
 */
function pauseOf({ status, retryAfterMs = 1000 }: Unexpected): number {
  return status === 429 ? retryAfterMs : 200
}

function because(error: Unexpected, first: Unexpected | undefined): Unexpected {
  if (first && first.message !== error.message) error.cause ??= first
  return error
}
