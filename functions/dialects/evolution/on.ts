import { z } from "zod"
import type { BridgeWithManager } from "#contract/bridge.ts"
import { refOfName } from "#core/bridge/ref-of-name.ts"
import { pathOf, type Query } from "../../http/own-api.ts"
import { type Asked, call, type Call } from "../dialect.ts"

/** A call about an instance, which is a bridge. */
export interface Here<Body = unknown> extends Asked<Body> {
  /** Its name, which is the bridge's reference. */
  instance: string
  /** Calls our API below its path, with this query or body. @throws Refused */
  ask: <Answer>(
    method: Call["method"],
    path: string[],
    more?: object,
    idempotencyKey?: string,
  ) => Promise<Answer>
  /** Every page of such a list, up to so many. @throws Refused */
  list: <Item>(path: string[], query: Query, most: number) => Promise<Item[]>
}

/** The way to what a bridge's session answers. */
export function at(...parts: string[]): string[] {
  return ["proxy", ...parts]
}

export function here<Body>(asked: Asked<Body>, name = asked.params.instance!): Here<Body> {
  const { api } = asked
  const instance = refOfName(name)
  return {
    ...asked,
    instance,
    ask: async (method, path, more, idempotencyKey) =>
      await api.ask(method, pathOf(instance, ...path), more, idempotencyKey),
    list: async (path, query, most) => (await api.all(pathOf(instance, ...path), { query, most })) as never,
  }
}

/** A row of the table: `on("POST chat/findChats", Search, async (here) => ...)`. */
export function on<Body extends z.ZodType>(
  line: `${Call["method"]} ${string}`,
  body: Body,
  run: (here: Here<z.output<Body>>) => Promise<unknown>,
  status?: 201,
): Call {
  const [method, route] = line.split(" ") as [Call["method"], string]
  const about = { method, path: `/${route}/:instance`, ...(status && { status }) }
  return call({ ...about, body, run: (asked) => run(here(asked)) })
}

/** Of a call whose body says nothing. */
export const nothing = z.unknown()

/** A text, of which some callers make a number. */
export const Text = z.coerce.string()
/** Forms bring it as a text. */
export const Flag = z.union([z.boolean(), z.string().transform((text) => text === "true")])

export type Bridge = z.infer<typeof BridgeWithManager>

/** As our API answers a send. */
export interface Sent {
  message_id: string
  chat_id: string
  timestamp: number
}

/**
 * The answer to a send. Within `message` Evolution has the content alone; a client whose type wants the key
 * there as well finds it behind that.
 */
export function asSent({ instance }: Here, sent: Sent, messageType: string, content: unknown) {
  const key = { remoteJid: sent.chat_id, fromMe: true, id: sent.message_id }
  return {
    key,
    pushName: "",
    status: "PENDING",
    message: { [messageType]: content, key },
    contextInfo: null,
    messageType,
    messageTimestamp: sent.timestamp,
    instanceId: instance,
    source: "unknown",
  }
}
