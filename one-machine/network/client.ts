import type { z } from "zod"
import type * as Schema from "#simulator/control/schemas.ts"
import { call, Unexpected } from "../api-client.ts"

export type NetworkClient = ReturnType<typeof networkClient>
export type Phone = z.output<typeof Schema.Phone>
/** A message that a phone has read; `content` is the protobuf as JSON. */
export type ReadMessage = z.output<typeof Schema.Message> & { content: object }
type Sent = z.output<typeof Schema.Sent>

/** A stanza that the network received or sent. The API's schema leaves its form open. */
export type Entry = Omit<z.output<typeof Schema.Entry>, "stanza"> & {
  stanza?: { tag: string; attrs: Record<string, string>; content?: unknown }
}

type Sought<Query> = Partial<Omit<Query, "after" | "wait" | "count">> & {
  after?: number
  /** Milliseconds. */
  wait?: number
  count?: number
}
type Query = Record<string, string | number | object | undefined>

/**
 * The simulated network and its people, over the control API. Requests and answers are typed by its schemas.
 * A refused request throws `Unexpected`.
 */
export function networkClient(at: { controlUrl: string }) {
  const asking = askingAt(at)
  return {
    /** Any other call of the API. */
    call: (method: string, path: string, body?: unknown) => asking.ask<unknown>(method, path, body),
    ...people(asking),
    ...network(asking),
  }
}

type Asking = ReturnType<typeof askingAt>

function askingAt(at: { controlUrl: string }) {
  async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await call(`${at.controlUrl}${path}`, method, body)
    return (await answer.json()) as Answer // the simulator is typed by the same schemas
  }
  const askAbout = <Answer>(path: string, query: Query) =>
    ask<Answer>("GET", `${path}?${parametersOf(query)}`)
  return { at, ask, askAbout }
}

/** What people do with their phones. */
function people({ at, ask, askAbout }: Asking) {
  return {
    phones: () => ask<Phone[]>("GET", "/phones"),
    phone: (number: string) => ask<Phone>("GET", `/phones/${number}`),
    create: (name?: string, number?: string) => ask<Phone>("POST", "/phones", { name, number }),
    change: (number: string, changes: z.input<typeof Schema.ChangePhone>) =>
      ask<Phone>("PATCH", `/phones/${number}`, changes),
    /** Scans a QR code: its text, or a picture of it. */
    scan: async (number: string, code: string | Uint8Array<ArrayBuffer>, obstacle?: string) => {
      const path = `/phones/${number}/scan`
      if (typeof code === "string") return await ask("POST", path, { qr: code, obstacle })
      return await call(`${at.controlUrl}${path}`, "POST", code, { "content-type": "image/png" })
    },
    typeCode: (number: string, code: string) => ask("POST", `/phones/${number}/link-code`, { code }),

    /** Sends a text. It resolves when the network has it. */
    send: (
      number: string,
      to: string,
      text: string,
      more: Pick<z.input<typeof Schema.NewMessage>, "id" | "addressing"> = {},
    ) => ask<Sent>("POST", `/phones/${number}/messages`, { to, text, ...more }),
    /** Sends anything but plain text. */
    post: (number: string, to: string, content: object) =>
      ask<Sent>("POST", `/phones/${number}/messages`, { to, ...content }),
    /**
     * The matching messages that a phone read or sent; with `wait` (ms), as soon as there are `count` of
     * them.
     */
    read: (number: string, match: Sought<z.input<typeof Schema.ReadMessages>>) =>
      askAbout<ReadMessage[]>(`/phones/${number}/messages`, match),
    /** All messages that a phone has read and sent, page after page. */
    readAll: async (number: string): Promise<ReadMessage[]> => {
      const all: ReadMessage[] = []
      for (;;) {
        const page = await askAbout<ReadMessage[]>(`/phones/${number}/messages`, {
          after: all.at(-1)?.n ?? 0,
        })
        if (page.length === 0) return all
        all.push(...page)
      }
    },
    /** The file of a message that a phone has. */
    file: async (number: string, id: string) => {
      const answer = await call(`${at.controlUrl}/phones/${number}/messages/${id}/media`, "GET")
      return { type: answer.headers.get("content-type"), data: Buffer.from(await answer.arrayBuffer()) }
    },
    /** Makes the phone call another person. */
    ring: (number: string, to: string) =>
      ask<z.output<typeof Schema.Call>>("POST", `/phones/${number}/calls`, { to }),
    /** Creates a crowd on the network: people whom no phone plays. */
    crowd: (crowd: z.input<typeof Schema.NewCrowd>) => ask<{ numbers: string[] }>("POST", "/crowds", crowd),
    /** Puts many people into a phone's address book at once. */
    addressBook: (number: string, people: z.input<typeof Schema.AddressBook>["people"]) =>
      ask("POST", `/phones/${number}/address-book`, { people }),
    /** Gives a phone earlier chats with these people. */
    chats: (number: string, chats: z.input<typeof Schema.OldChats>) =>
      ask("POST", `/phones/${number}/chats`, chats),
    /** Sends texts whose counters claim that others before them are still to come. Returns their ids. */
    jump: (number: string, how: z.input<typeof Schema.Jumps>) =>
      ask<{ ids: string[] }>("POST", `/phones/${number}/jumps`, how),
    /** Sends many messages of one kind in a row. Returns their ids. */
    flood: (number: string, how: z.input<typeof Schema.Flood>) =>
      ask<{ ids: string[] }>("POST", `/phones/${number}/floods`, how),
  }
}

/** What the network knows and does. */
function network({ ask, askAbout }: Asking) {
  return {
    groups: () => ask<z.output<typeof Schema.Group>[]>("GET", "/groups"),
    group: (group: z.input<typeof Schema.NewGroup>) =>
      ask<z.output<typeof Schema.Group>>("POST", "/groups", group),

    /** The matching entries of the network's log; with `wait` (ms), as soon as there is one. */
    log: (match: Sought<Omit<z.input<typeof Schema.ReadLog>, "attrs">> & { attrs?: object }) =>
      askAbout<Entry[]>("/log", match),
    /**
     * Whether a device (`number:device`) has settled everything queued for it; waits up to `waitMs` until it
     * has.
     */
    settled: async (device: string, waitMs: number) =>
      (await askAbout<z.output<typeof Schema.Settled>>(`/devices/${device}/settled`, { wait: waitMs }))
        .settled,
    /** Queues any stanza for a device. */
    stanza: (device: string, stanza: z.input<typeof Schema.NewStanza>) =>
      ask("POST", `/devices/${device}/stanzas`, stanza),
    /** Tells a device what the live network tells unasked. */
    notice: (device: string, notice: z.input<typeof Schema.NewNotice>) =>
      ask<{ id: string }>("POST", `/devices/${device}/notices`, notice),
    /** Arms a fault. Returns a function that removes what is left of it. */
    fault: async (fault: z.input<typeof Schema.NewFault>) => {
      const { id } = await ask<{ id: number }>("POST", "/faults", fault)
      return () => ifThere(ask("DELETE", `/faults/${id}`))
    },
    clearFaults: () => ask("DELETE", "/faults"),
    /** Ends the connection of a device. */
    end: (device: string, how: z.input<typeof Schema.EndConnection>["how"]) =>
      ask("POST", `/connections/${device}/end`, { how }),
    /** Cuts the connection of a device, if it has one. */
    cut: (device: string) => ifThere(ask("POST", `/connections/${device}/end`, { how: "cut" })),
  }
}

async function ifThere(asked: Promise<unknown>): Promise<void> {
  try {
    await asked
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error
  }
}

function parametersOf(query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined)
      parameters.set(name, typeof value === "object" ? JSON.stringify(value) : String(value))
  return parameters.toString()
}
