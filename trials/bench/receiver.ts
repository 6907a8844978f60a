import { createServer, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { stopListening, listen } from "#one-machine/listen.ts"

export interface Arrival {
  /** The network's id of the message. */
  id: string
  /** Unix milliseconds, with their fraction. */
  at: number
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/**
 * The webhook receiver of both sides, with a URL for each bridge. It answers 200 at once, and notes every
 * message.
 */
export async function startReceiver() {
  const byPath = new Map<string, Arrival[]>()
  const at = (path: string) => byPath.get(path) ?? byPath.set(path, []).get(path)!

  const server = createServer((request, response) => {
    take(request).then(
      () => response.writeHead(200).end(),
      () => response.destroy(),
    )
  })
  // Connections are kept for as long as the senders like.
  server.keepAliveTimeout = 0

  async function take(request: IncomingMessage): Promise<void> {
    const told = JSON.parse(await text(request)) as { event: string; message_id: string } // both sides'
    const now = performance.timeOrigin + performance.now()
    if (told.event === "message") at(request.url ?? "").push({ id: told.message_id, at: now })
  }

  const port = await listen(server)
  return {
    urlOf: (path: string) => `http://127.0.0.1:${port}${path}`,
    /** The arrivals at a path, in order; the list grows. */
    arrivals: at,
    stop: () => stopListening(server),
  }
}
