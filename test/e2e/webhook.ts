import { EventEmitter, once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { isDeepStrictEqual } from "node:util"
import { Event } from "#core/contract/event.ts"

const snippet = new URL("../../docs/receivers/verify.js", import.meta.url)
/** As our customers verify: the snippet that they are given. */
const { isGenuine } = (await import(snippet.href)) as {
  isGenuine: (rawBody: Uint8Array, header: string | undefined, secret: string) => boolean
}

type OfType<Type extends Event["event"]> = Extract<Event, { event: Type }>

/** A customer's webhook receiver, a path for each bridge. What is not genuine or not as documented breaks the test. */
export async function startWebhook() {
  const events = new Map<string, Event[]>()
  const secrets = new Map<string, string>()
  const refusing = new Set<string>()
  const faults: string[] = []
  const arrivals = new EventEmitter().setMaxListeners(0)

  const server = createServer((request, response) => {
    void (async () => {
      const raw = await buffer(request)
      const ref = new URL(request.url ?? "/", "http://localhost").pathname.slice(1)
      const header = String(request.headers["x-webhook-signature"])
      if (!isGenuine(raw, header, secrets.get(ref) ?? "")) faults.push(`not genuine: ${raw.toString()}`)
      const told: unknown = JSON.parse(raw.toString())
      const { success, data } = Event.safeParse(told)
      // Parsing drops what the contract does not have, at any depth.
      if (!success || !isDeepStrictEqual(data, told)) faults.push(`not as documented: ${raw.toString()}`)
      if (success) events.set(ref, [...(events.get(ref) ?? []), data])
      response.writeHead(refusing.delete(ref) ? 400 : 200).end()
      arrivals.emit("arrival")
    })()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // listening on TCP

  return {
    urlOf: (ref: string) => `http://127.0.0.1:${port}/${ref}`,
    trust: (ref: string, secret: string) => void secrets.set(ref, secret),
    /** Answers the next delivery for a bridge with 400. */
    refuseNext: (ref: string) => void refusing.add(ref),
    /** Deliveries that no receiver of a customer would have taken. */
    faults,
    /** All that came for a bridge, in order. */
    of: (ref: string): Event[] => events.get(ref) ?? [],
    /** The first event of this type that matches, as soon as there is one. */
    event: async <Type extends Event["event"]>(
      ref: string,
      type: Type,
      matches: (event: OfType<Type>) => boolean = () => true,
    ): Promise<OfType<Type>> => {
      for (;;) {
        const found = (events.get(ref) ?? []).find(
          (event): event is OfType<Type> => event.event === type && matches(event as OfType<Type>), // just compared
        )
        if (found) return found
        await once(arrivals, "arrival")
      }
    },
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
