import type { z } from "zod"
import type { SendResult } from "#contract/message.ts"
import { refOfName } from "#core/bridge/ref-of-name.ts"
import { isGroup } from "#core/message/jid.ts"
import { pathOf, unless } from "../../http/own-api.ts"
import { type Asked, call, type Call } from "../dialect.ts"
import { Given } from "./given.ts"
import { chatOf, filesAt, partsOf, pictureAt } from "./ids.ts"
import { toSent } from "./messages.ts"

type Method = Call["method"]

/** What each call of WAHA's, such as `POST /api/sendText`, does with our API. */
export type Rows = Record<string, (its: Ours) => unknown>

export function toCalls(rows: Rows): Call[] {
  return Object.entries(rows).map(([row, run]) => {
    const [method, path] = row.split(" ") as [Method, string] // as each row begins
    const status = method === "POST" && { status: 201 as const }
    return call({ method, path, ...status, body: Given, run: async (asked) => await run(ours(asked)) })
  })
}

/** What a call of WAHA's names, and our API's calls about its session. */
export type Ours = ReturnType<typeof ours>

function ours(asked: Asked<Given>) {
  const { api, params, query, body: given, origin, accept } = asked
  const session = params.session ?? given.session ?? query.session ?? given.name ?? "default"
  const chatId =
    params.chatId ?? params.id ?? given.chatId ?? given.contactId ?? query.chatId ?? query.contactId
  const chat = chatOf(chatId ?? "")
  const message = partsOf(params.messageId ?? given.messageId ?? given.id ?? "")
  /** The path of the session's bridge. */
  const bridge = pathOf(refOfName(session))

  /** Asks our API. The contract says what it answers. @param path below that of the session */
  const ask = async <Answer>(method: Method, path: string, fields?: object) =>
    await api.ask<Answer>(method, `${bridge}/proxy/${path}`, fields)
  /** The answer itself: a file. */
  const file = async (path: string, filter: object = {}) =>
    await api.answer("GET", `${bridge}/proxy/${path}`, { query: { ...filter } })

  const named = { api, query, params, given, session, bridge, chat, message, origin, accept }
  return {
    ...named,
    ask,
    file,
    files: filesAt(origin, session),
    /** Asks for what has no other answer than that it is done. */
    done: async (method: Method, path: string, fields?: object) => {
      await ask(method, path, fields)
      return { success: true }
    },
    /** A list of our API's, up to so many items. */
    all: async <Item>(path: string, most: number, filter: object = {}) =>
      (await api.all(`${bridge}/proxy/${path}`, { query: { limit: 100, ...filter }, most })) as Item[],
    /** Sends a message to the chat that is named. */
    send: async (kind: string, content: object) => {
      const { mentions = [], reply_to } = given
      const addressed = {
        ...(chatId !== undefined && { chat }),
        ...(reply_to && { quoted_message_id: partsOf(reply_to).id }),
        ...(mentions.length > 0 && { mentions: mentions.map(chatOf) }),
      }
      const sent = await ask<z.infer<typeof SendResult>>("POST", `send/${kind}`, { ...addressed, ...content })
      return toSent(sent, given.text ?? given.caption ?? given.poll?.name ?? "")
    },
    /** Where the picture of a chat is; null where there is none to see, which only looking shows. */
    picture: async (jid = chat) => {
      const answer = await unless("not_found", file(pathOfPicture(jid)))
      await answer?.body?.cancel()
      return answer ? pictureAt(origin, session, jid) : null
    },
  }
}

export function pathOfPicture(jid: string): string {
  return at`${isGroup(jid) ? "groups" : "contacts"}/${jid}/avatar`
}

/** A path with parts that a caller has named. @throws Refused for a part that would lead elsewhere */
export function at(fixed: TemplateStringsArray, ...parts: string[]): string {
  const encoded = parts.map((part) => pathOf("", part).slice(pathOf("", "").length))
  return String.raw({ raw: fixed }, ...encoded)
}

interface Part {
  limit?: unknown
  offset?: unknown
}

/** How many items of a list lead to the end of a part of it. */
export function reachOf({ limit, offset }: Part, usual = Infinity): number {
  return numberIn(offset, 0) + numberIn(limit, usual)
}

export function partOf<Item>(items: Item[], part: Part, usual = Infinity): Item[] {
  return items.slice(numberIn(part.offset, 0), reachOf(part, usual))
}

function numberIn(given: unknown, usual: number): number {
  return /^\d{1,6}$/.test(String(given)) ? Number(given) : usual
}
