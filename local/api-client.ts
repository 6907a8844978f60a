import { z } from "zod"

/** An answer that was not the one hoped for; the sentence says which. */
export class Unexpected extends Error {}

/** The service's own API, as any customer calls it. */
export function apiClient(baseUrl: string, apiKey: string) {
  return (method: string, path: string, body?: unknown) =>
    call(`${baseUrl}/api${path}`, method, body, { authorization: `Bearer ${apiKey}` })
}

const Phone = z.object({
  number: z.string(),
  name: z.string(),
  devices: z.array(z.object({ id: z.number() })),
})
export type Phone = z.infer<typeof Phone>

const Read = z.object({ id: z.string(), from: z.string(), text: z.string().optional() })

/** The phones of the simulated network, over its control API. */
export function phonesClient(url: string) {
  return {
    list: async () => z.array(Phone).parse(await (await call(`${url}/phones`, "GET")).json()),
    create: async (name: string) => Phone.parse(await (await call(`${url}/phones`, "POST", { name })).json()),
    scan: async (number: string, png: Uint8Array<ArrayBuffer>) =>
      await call(`${url}/phones/${number}/scan`, "POST", png, { "content-type": "image/png" }),
    send: async (number: string, to: string, text: string) =>
      z
        .object({ id: z.string() })
        .parse(await (await call(`${url}/phones/${number}/messages`, "POST", { to, text })).json()),
    /** What this phone decrypted of this text, as soon as there is some. */
    read: async (number: string, text: string, waitMs: number) => {
      const query = new URLSearchParams({ text, wait: String(waitMs) })
      return z
        .array(Read)
        .parse(await (await call(`${url}/phones/${number}/messages?${query.toString()}`, "GET")).json())
    },
  }
}

async function call(
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
  })
  if (response.ok) return response
  throw new Unexpected(`${method} ${url} answered ${response.status}: ${await response.text()}`)
}
