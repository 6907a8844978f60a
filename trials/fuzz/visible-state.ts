import { z } from "zod"
import type { Customer, Service } from "#test/support/service/service.ts"

/** Everything that an account can see of itself, and what its phone sent to the network, by name. */
export type State = Record<string, string>

const Bridges = z.array(z.object({ customer_ref: z.string() }))
const written = new Set(["message", "poll_vote", "event_response"])
const Listed = z.array(z.object({ event_id: z.string(), event: z.object({ event: z.string() }) }))

/** Looks at an account whose bridge `ref` is linked to the phone of this number. */
export function watcher(service: Service, customer: Customer, ref: string, number: string) {
  let last = 0
  const sent: string[] = []

  async function read(path: string): Promise<[string, string]> {
    const answer = await customer.call("GET", path)
    return [path, `${answer.status} ${await answer.text()}`]
  }

  /** The events that people wrote. The others come by themselves, or some time after what caused them. */
  async function inbox(): Promise<[string, string]> {
    const [path, text] = await read(`/instances/${ref}/events?state=inbox`)
    const listed = Listed.safeParse(JSON.parse(text.slice(4))).data
    const lasting = listed?.filter(({ event }) => written.has(event.event)).map((one) => one.event_id)
    return [path, lasting?.join() ?? text]
  }

  /** The device's messages to others, without the traffic between the account's own devices. */
  async function sentBy(): Promise<[string, string]> {
    const seen = await service.network.log({ kind: "in", who: number, tag: "message", after: last })
    for (const { n, stanza } of seen) {
      last = n
      if (stanza?.attrs.category !== "peer") sent.push(stanza?.attrs.id ?? "")
    }
    return ["messages sent", sent.join()]
  }

  /** `all` is slow; without it, only its list of bridges and what was sent. */
  return async (all: boolean): Promise<State> => {
    const list = await read("/instances")
    if (!all) return Object.fromEntries([list, await sentBy()])
    const refs = Bridges.parse(JSON.parse(list[1].slice(4))).map((bridge) => bridge.customer_ref)
    const one = async (each: string): Promise<[string, string]> => {
      const [path, text] = await read(`/instances/${each}`)
      // The session's condition changes by itself.
      return [path, text.replace(/"manager":\{.*?\}/, "")]
    }
    const rest = await Promise.all([
      ...refs.map(one),
      inbox(),
      read(`/instances/${ref}/proxy/contacts`),
      read(`/instances/${ref}/proxy/profile`),
      sentBy(),
    ])
    return Object.fromEntries([list, ...rest])
  }
}

/** The names of what has changed. */
export function changes(before: State, after: State): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: was ${brief(before[name])}, is ${brief(after[name])}`)
}

function brief(text: string | undefined): string {
  return text === undefined ? "not there" : text.slice(-300)
}
