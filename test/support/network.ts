import type { AuthenticationState, UserFacingSocketConfig } from "@whiskeysockets/baileys"
import { z } from "zod"
import { startSimulator } from "#simulator/simulator.ts"
import { type Client, connect, newDevice } from "./baileys-client.ts"

export type Network = Awaited<ReturnType<typeof aNetwork>>

const Phone = z.object({ number: z.string(), jid: z.string(), lid: z.string(), name: z.string() })
const Group = z.object({ jid: z.string(), subject: z.string() })
const Sent = z.object({ id: z.string(), timestamp: z.number(), error: z.string().optional() })
const Read = z.array(
  z.object({
    n: z.number(),
    id: z.string(),
    chat: z.string(),
    from: z.string(),
    from_me: z.boolean(),
    text: z.string(),
    kind: z.string(),
    content: z.unknown(),
    opened: z.unknown().optional(),
    times: z.number(),
    offline: z.boolean(),
  }),
)

const Log = z.array(
  z.object({
    n: z.number(),
    kind: z.string(),
    who: z.string(),
    stanza: z
      .object({ tag: z.string(), attrs: z.record(z.string(), z.string()), content: z.unknown().optional() })
      .optional(),
    event: z.string().optional(),
  }),
)

/** A simulated network of the test's own, steered over its control API as anybody would. */
export async function aNetwork(input: { dataDir?: string } = {}) {
  let simulator = await startSimulator(input)
  const clients = new Set<Client>()
  const client = (device?: AuthenticationState, config?: Partial<UserFacingSocketConfig>) => {
    const made = connect(simulator, device, config)
    clients.add(made)
    return made
  }
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${simulator.controlUrl}${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    })
    const answer: unknown = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }
  return {
    get url() {
      return simulator.url
    },
    get controlUrl() {
      return simulator.controlUrl
    },
    get rootKey() {
      return simulator.rootKey
    },
    call,
    async phone(name?: string) {
      const phone = Phone.parse(await call("POST", "/phones", name ? { name } : {}))
      const path = `/phones/${phone.number}`
      return {
        ...phone,
        scan: (qr: string, obstacle?: string) => call("POST", `${path}/scan`, { qr, obstacle }),
        typeCode: (code: string) => call("POST", `${path}/link-code`, { code }),
        send: async (to: string, text: string, more: { id?: string; addressing?: "lid" | "pn" } = {}) =>
          Sent.parse(await call("POST", `${path}/messages`, { to, text, ...more })),
        /** Sends what is not plain text. */
        post: async (to: string, content: Record<string, unknown>) =>
          Sent.parse(await call("POST", `${path}/messages`, { to, ...content })),
        /** The file of a message it read. */
        file: async (id: string) => {
          const response = await fetch(`${simulator.controlUrl}${path}/messages/${id}/media`)
          return Buffer.from(await response.arrayBuffer())
        },
        /** Waits until `count` messages match. */
        read: async (
          match: {
            text?: string
            id?: string
            from?: string
            chat?: string
            kind?: string
            count?: number
            after?: number
          } = {},
        ) => {
          const query = new URLSearchParams({ wait: "10000" })
          for (const [name, value] of Object.entries(match)) query.set(name, String(value))
          return Read.parse(await call("GET", `${path}/messages?${query.toString()}`))
        },
      }
    },
    /** A group of phones, made by the first of them. */
    async group(members: { number: string }[], addressing: "lid" | "pn" = "lid", subject = "A group") {
      const [creator, ...rest] = members.map(({ number }) => number)
      return Group.parse(await call("POST", "/groups", { creator, members: rest, addressing, subject }))
    },
    get tlsUrl() {
      return simulator.tlsUrl
    },
    get ca() {
      return simulator.ca
    },
    /** A Baileys socket on this network, closed with it. */
    client,
    /** A Baileys client linked to this phone, logged in and open. */
    async paired(
      phone: { scan(qr: string): Promise<unknown> },
      config?: Partial<UserFacingSocketConfig>,
    ): Promise<Client> {
      const device = newDevice()
      const unlinked = client(device)
      await phone.scan(await unlinked.qr())
      await unlinked.closed()
      const linked = client(device, config)
      await linked.online()
      await call("GET", `/devices/${deviceOf(linked)}/settled?wait=10000`)
      return linked
    },
    /** What the network's log has, or gets within 10 s, that matches. */
    async log(match: {
      kind?: string
      who?: string
      tag?: string
      event?: string
      after?: number
      attrs?: Record<string, string>
    }) {
      const query = new URLSearchParams({ wait: "10000" })
      for (const [name, value] of Object.entries(match))
        query.set(name, typeof value === "object" ? JSON.stringify(value) : String(value))
      return Log.parse(await call("GET", `/log?${query.toString()}`))
    },
    /** Arms a fault; gives back what removes it. */
    async fault(fault: {
      kind: string
      device?: string
      times?: number
      code?: number
      ms?: number
      expire?: number
      xmlns?: string
    }) {
      const { id } = z.object({ id: z.number() }).parse(await call("POST", "/faults", fault))
      return () => call("DELETE", `/faults/${id}`)
    },
    async close() {
      for (const one of clients) one.close()
      await simulator.close()
    },
    /** Stops the network and starts it again on the same directory, at new ports. */
    async restart() {
      await simulator.close()
      simulator = await startSimulator(input)
    },
  }
}

/** A client's device, as the control API names it: `number:device`. */
export const deviceOf = (client: Client) => client.device.creds.me?.id.split("@")[0] ?? ""
