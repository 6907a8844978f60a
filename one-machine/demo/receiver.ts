import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import { z } from "zod"
import { webhooks } from "#sdk-typescript/index.ts"
import { stopListening, listen } from "../listen.ts"

/** A delivery as the receiver got it, verified over its raw bytes. */
export interface Arrival {
  eventId: string
  attempt: number
  event: Record<string, unknown>
  /** The receiver's answer. */
  status: number
  genuine: boolean
}

/** A real HTTP receiver, as a customer would write one. */
export async function startReceiver() {
  const arrivals: Arrival[] = []
  const failures: string[] = []
  let secret = ""
  let changed = Promise.withResolvers<void>()

  const server = createServer((request, response) => {
    void receive(request).then((status) => response.writeHead(status).end())
  })
  const port = await listen(server)

  async function receive(request: IncomingMessage): Promise<number> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer) // no encoding is set
    const raw = Buffer.concat(chunks)
    const event = z.record(z.string(), z.unknown()).parse(JSON.parse(raw.toString()))
    const failed = failures.indexOf(String(event.body))
    if (failed >= 0) failures.splice(failed, 1)
    const status = failed >= 0 ? 500 : 200
    arrivals.push({
      eventId: String(request.headers["x-webhook-event-id"]),
      attempt: Number(request.headers["x-webhook-attempt"]),
      event,
      status,
      genuine: await webhooks.isGenuine(
        new Uint8Array(raw),
        String(request.headers["x-webhook-signature"]),
        secret,
      ),
    })
    changed.resolve()
    changed = Promise.withResolvers()
    return status
  }

  return {
    url: `http://127.0.0.1:${port}/webhook`,
    arrivals,
    /** Sets the bridge's webhook secret, once it is known. */
    trust: (given: string) => {
      secret = given
    },
    /** Answers 500 to the next event with this body. */
    failOnce: (body: string) => failures.push(body),
    /** The first arrival that matches; it may be there already. */
    async arrival(looked: (arrival: Arrival) => boolean, signal: AbortSignal): Promise<Arrival> {
      const aborted = once(signal, "abort")
      for (;;) {
        const found = arrivals.find(looked)
        if (found) return found
        await Promise.race([changed.promise, aborted])
        signal.throwIfAborted()
      }
    },
    stop: () => stopListening(server),
  }
}
