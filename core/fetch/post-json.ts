import { Connections } from "./connections.ts"
import { safeFetch } from "./safe-fetch.ts"

/** How long a receiver may take, in ms. */
const withinMs = 10_000

/** POSTs something to an address that somebody gave, once. @throws FetchError, or an Error if it is answered by anything but a success */
export async function postJson(url: string, share: string, body: unknown): Promise<void> {
  const connections = new Connections()
  try {
    const answer = await safeFetch({
      url,
      connections,
      share,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: Buffer.from(JSON.stringify(body)),
      withinMs,
      maxBytes: 65_536,
    })
    if (answer.status >= 300) throw new Error(`the receiver answered ${answer.status}`)
  } finally {
    await connections.destroy()
  }
}
