import { Connections, safeFetch } from "./safe-fetch.ts"

/** How long a receiver may take, in ms. */
const withinMs = 10_000

/**
 * POSTs something to an address that a customer or the operator gave, once.
 * @param headersOf the headers of these bytes, if they are signed
 * @throws FetchError, or an Error if it is answered by anything but a success
 */
export async function postJson(
  url: string,
  share: string,
  body: unknown,
  headersOf: (bytes: Buffer) => Record<string, string> = () => ({ "content-type": "application/json" }),
): Promise<void> {
  const connections = new Connections()
  const bytes = Buffer.from(JSON.stringify(body))
  try {
    const answer = await safeFetch({
      url,
      connections,
      share,
      method: "POST",
      headers: headersOf(bytes),
      body: bytes,
      withinMs,
      maxBytes: 65_536,
    })
    if (answer.status >= 300) throw new Error(`the receiver answered ${answer.status}`)
  } finally {
    await connections.destroy()
  }
}
