import { setTimeout as sleep } from "node:timers/promises"

/** An answer other than the expected one; the message says which. */
export class Unexpected extends Error {}

/** The service's own API, called as any customer calls it. */
export function apiClient(baseUrl: string, apiKey: string) {
  return (method: string, path: string, body?: unknown) =>
    call(`${baseUrl}/api${path}`, method, body, { authorization: `Bearer ${apiKey}` })
}

/** @throws Unexpected for an answer that is not a success; an error that names the request when there is no answer */
export async function call(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const bytes = body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : undefined // ours, never shared memory
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && !bytes && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: bytes ?? JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new TypeError(`${method} ${url} has no answer`, { cause })
  })
  if (response.ok) return response
  throw new Unexpected(`${method} ${url} answered ${response.status}: ${await response.text()}`)
}

/**
 * Repeats `work` until it succeeds: calls answer 503 while a session host starts or a session moves.
 * @throws Unexpected the last failure, once `signal` has fired. Any other error is thrown at once.
 */
export async function patiently<Made>(signal: AbortSignal, work: () => Promise<Made>): Promise<Made> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unexpected) || signal.aborted) throw error
      await sleep(200, undefined, { signal }).catch(() => "once more, and it says what is wrong")
    }
  }
}
