import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { z } from "zod"
import { stopListening, listen } from "#one-machine/listen.ts"

/** A request as the receiver got it. */
export interface Arrival {
  method: string
  /** With its query. */
  path: string
  headers: IncomingHttpHeaders
  /** The body as it came, for checking a signature. */
  body: Buffer
  /** Unix milliseconds. */
  at: number
  eventId: string
  attempt: number
  /** The bridge whose URL was called. */
  bridge: string
  /** Whether it is signed with the bridge's secret, if that is known. */
  genuine: boolean
  /** The event's type; `""` if the body is not an event. */
  type: string
  /** Whether the caller ended the connection before it was answered: it had given the attempt up. */
  hungUp: boolean
  /**
   * A message's text; for a vote, which poll it is on; for an answer to an event message, which message that
   * is.
   */
  text: string | undefined
}

/** A status, or a function that writes the whole answer. */
export type Answer = number | ((response: ServerResponse, arrival: Arrival) => void)

/** Never answers: the caller waits as long as it likes. */
export const silence: Answer = () => {}

/**
 * Whether these bytes were signed with this secret within five minutes of now. The SDK's check is
 * asynchronous, and arrivals would overtake each other while they wait for it.
 */
export function isGenuine(
  rawBody: Uint8Array,
  header: string,
  secret: string,
  nowSeconds = Date.now() / 1000,
): boolean {
  const [, time, signatures] = /^t=(\d{1,12})((?:,v1=[0-9a-f]{64})+)$/.exec(header) ?? []
  if (time === undefined || signatures === undefined || Math.abs(nowSeconds - Number(time)) > 300)
    return false
  const expected = createHmac("sha256", secret).update(`${time}.`).update(rawBody).digest("hex")
  return signatures.split(",v1=").includes(expected)
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** What comes here is an account's: it arrives for the bridge that it says, as `<its reference>-account`. */
export const accountPath = "account"

const Told = z.object({
  event: z.string(),
  customer_ref: z.string().optional(),
  body: z.string().optional(),
  poll_id: z.string().optional(),
  event_id: z.string().optional(),
})

/**
 * A customer's webhook endpoint, with a URL for each bridge. It records everything and answers as `usually`
 * says, after the answers put in with `say`. The caller must stop it.
 */
export async function startReceiver(usually: (arrival: Arrival) => Answer = () => 200) {
  const arrivals: Arrival[] = []
  const script: Answer[] = []
  const secrets = new Map<string, string>()

  const server = createServer((request, response) => {
    read(request, secrets).then(
      (arrival) => take(arrival, response),
      () => {
        // The caller ended in the middle of its request: nothing has arrived.
      },
    )
  })

  function take(arrival: Arrival, response: ServerResponse): void {
    arrivals.push(arrival)
    response.once("close", () => (arrival.hungUp = !response.writableFinished))
    const answer = script.shift() ?? usually(arrival)
    if (typeof answer === "number") response.writeHead(answer).end("ignored")
    else answer(response, arrival)
    server.emit("arrival")
  }

  /** The result of `look` on the arrivals, as soon as it has one. */
  async function until<Found>(look: (arrivals: Arrival[]) => Found | undefined | false): Promise<Found> {
    for (;;) {
      const found = look(arrivals)
      if (found !== undefined && found !== false) return found
      await once(server, "arrival")
    }
  }

  const port = await listen(server.setMaxListeners(0))
  const urlOf = (bridge: string, host = "127.0.0.1") => `http://${host}:${port}/${bridge}`
  return {
    port,
    url: urlOf("hook"),
    urlOf,
    /** Everything that came, in order; it grows. */
    arrivals,
    /** Sets a bridge's secret: from now on requests to its URL are checked. */
    trust: (bridge: string, secret: string) => void secrets.set(bridge, secret),
    /** Sets the next answers. */
    say: (...answers: Answer[]) => void script.push(...answers),
    until,
    /** Waits until this many came. */
    atLeast: (count: number) => until(() => arrivals.length >= count),
    stop: () => stopListening(server),
  }
}

/** @param secrets of bridges, as far as they are known */
async function read(request: IncomingMessage, secrets: ReadonlyMap<string, string>): Promise<Arrival> {
  const body = await buffer(request)
  const { method = "", url: path = "", headers } = request
  const name = new URL(path, "http://localhost").pathname.slice(1)
  const told = toldIn(body)
  return {
    method,
    path,
    headers,
    body,
    at: Date.now(),
    eventId: String(headers["x-webhook-event-id"]),
    attempt: Number(headers["x-webhook-attempt"]),
    bridge: name === accountPath ? `${told?.customer_ref}-${accountPath}` : name,
    genuine: isGenuine(body, String(headers["x-webhook-signature"]), secrets.get(name) ?? ""),
    type: told?.event ?? "",
    hungUp: false,
    text: told && textOf(told),
  }
}

function textOf({ event, body, poll_id, event_id }: z.infer<typeof Told>): string | undefined {
  if (event === "message") return body
  if (event === "event_response") return `an answer to ${event_id}`
  return event === "poll_vote" ? `a vote on ${poll_id}` : undefined
}

/** The events of a POST as arrivals of their own: several if it was a batch. */
export function eventsIn(arrival: Arrival): (Arrival & { begins?: string })[] {
  if (arrival.headers["x-webhook-batch"] === undefined) return [arrival]
  const events = Batch.parse(JSON.parse(arrival.body.toString()))
  return events.map(({ event_id, event }) => {
    const told = Told.parse(event)
    const body = Buffer.from(JSON.stringify(event))
    const own = { eventId: event_id, body, type: told.event, text: textOf(told) }
    return { ...arrival, ...own, begins: events[0]!.event_id } // there is `event` at least
  })
}

const Batch = z.array(z.object({ event_id: z.string(), event: z.unknown() }))

function toldIn(body: Buffer): z.infer<typeof Told> | undefined {
  try {
    return Told.safeParse(JSON.parse(body.toString())).data
  } catch {
    // A request for a file has no event.
    return undefined
  }
}
