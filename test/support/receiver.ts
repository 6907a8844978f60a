import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { onTestFinished } from "vitest"

type Received = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** As they came, for who checks a signature. */
  body: Buffer
  /** Unix milliseconds. */
  at: number
  eventId: string
  attempt: number
}

/** A status, or all of an answer. */
export type Said = number | ((response: ServerResponse, received: Received) => void)

/** A customer's webhook endpoint: records all, and answers by script; what the script does not say is 200. */
export async function aReceiver(script: Said[] = []) {
  const received: Received[] = []
  const answers = [...script]
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request)
      const { method = "", url = "", headers } = request
      const about = {
        eventId: String(headers["x-webhook-event-id"]),
        attempt: Number(headers["x-webhook-attempt"]),
      }
      const one = { method, path: url, headers, body, at: Date.now(), ...about }
      received.push(one)
      const said = answers.shift() ?? 200
      if (typeof said === "number") response.writeHead(said).end("ignored")
      else said(response, one)
      server.emit("received")
    })()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })

  const { port } = server.address() as AddressInfo // listening on TCP
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    /** Answers from now on, before the 200s. */
    say: (...more: Said[]) => void answers.push(...more),
    /** Waits until so many came. */
    until: async (count: number) => {
      while (received.length < count) await once(server, "received")
    },
  }
}
