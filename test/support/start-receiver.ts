import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { z } from "zod"
import { isGenuine } from "#local/genuine.ts"
import { hangUp, listen } from "#local/listen.ts"

/** A request as it reached the receiver. */
export interface Arrival {
  method: string
  /** With its query. */
  path: string
  headers: IncomingHttpHeaders
  /** As it came, for who checks a signature. */
  body: Buffer
  /** Unix milliseconds. */
  at: number
  eventId: string
  attempt: number
  /** Whose URL it came to. */
  bridge: string
  /** Signed with the bridge's secret, if that is known. */
  genuine: boolean
  /** Of the event; `""` for what is none. */
  type: string
  /** Of a message its text, of a vote what it is on. */
  text: string | undefined
}

/** A status, or all of an answer. */
export type Answer = number | ((response: ServerResponse, arrival: Arrival) => void)

/** Whoever called hears nothing, for as long as he waits. */
export const silence: Answer = () => {}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

const Told = z.object({
  event: z.string(),
  body: z.string().optional(),
  poll_id: z.string().optional(),
})

/**
 * A customer's webhook endpoint, at a URL for each bridge. It records all, and answers as `usually` says; what has been
 * put in with `say` comes first. Whoever starts it stops it.
 */
export async function startReceiver(usually: (arrival: Arrival) => Answer = () => 200) {
  const arrivals: Arrival[] = []
  const script: Answer[] = []
  const secrets = new Map<string, string>()

  const server = createServer((request, response) => {
    read(request).then(
      (arrival) => take(arrival, response),
      () => {
        // Whoever called has ended while it spoke: nothing has arrived.
      },
    )
  })

  async function read(request: IncomingMessage): Promise<Arrival> {
    const body = await buffer(request)
    const { method = "", url: path = "", headers } = request
    const bridge = new URL(path, "http://localhost").pathname.slice(1)
    const told = toldIn(body)
    return {
      method,
      path,
      headers,
      body,
      at: Date.now(),
      eventId: String(headers["x-webhook-event-id"]),
      attempt: Number(headers["x-webhook-attempt"]),
      bridge,
      genuine: isGenuine(body, String(headers["x-webhook-signature"]), secrets.get(bridge) ?? ""),
      type: told?.event ?? "",
      text: told && textOf(told),
    }
  }

  function take(arrival: Arrival, response: ServerResponse): void {
    arrivals.push(arrival)
    const answer = script.shift() ?? usually(arrival)
    if (typeof answer === "number") response.writeHead(answer).end("ignored")
    else answer(response, arrival)
    server.emit("arrival")
  }

  /** What `look` finds among the arrivals, as soon as it finds something. */
  async function until<Found>(look: (arrivals: Arrival[]) => Found | undefined | false): Promise<Found> {
    for (;;) {
      const found = look(arrivals)
      if (found !== undefined && found !== false) return found
      await once(server, "arrival")
    }
  }

  const port = await listen(server.setMaxListeners(0))
  const urlOf = (bridge: string) => `http://127.0.0.1:${port}/${bridge}`
  return {
    port,
    url: urlOf("hook"),
    urlOf,
    /** All that came, in order; it grows. */
    arrivals,
    /** The secret of a bridge: what comes to its URL is checked from now on. */
    trust: (bridge: string, secret: string) => void secrets.set(bridge, secret),
    /** The next answers. */
    say: (...answers: Answer[]) => void script.push(...answers),
    until,
    /** Waits until so many came. */
    atLeast: (count: number) => until(() => arrivals.length >= count),
    stop: () => hangUp(server),
  }
}

function textOf({ event, body, poll_id }: z.infer<typeof Told>): string | undefined {
  if (event === "message") return body
  return event === "poll_vote" ? `a vote on ${poll_id}` : undefined
}

function toldIn(body: Buffer): z.infer<typeof Told> | undefined {
  try {
    return Told.safeParse(JSON.parse(body.toString())).data
  } catch {
    // Whoever fetches a file says nothing.
    return undefined
  }
}
