import { unless } from "../../http/own-api.ts"
import { bridgeOf, pathOfPicture } from "../bridge.ts"
import type { Asked, Call, Rows as RowsOf } from "../dialect.ts"
import type { Sent } from "../ours.ts"
import type { Given } from "./given.ts"
import { chatOf, filesAt, partsOf, pictureAt } from "./ids.ts"
import { toSent } from "./messages.ts"

/** What each call of WAHA's does with our API. */
export type Rows = RowsOf<Its>

/** What a call of WAHA's names, and our API's calls about its session, which is a bridge. */
export type Its = ReturnType<typeof its>

export function its(asked: Asked<Given>) {
  const { api, params, query, given, origin } = asked
  const session = params.session ?? given.session ?? query.session ?? given.name ?? "default"
  const chatId =
    params.chatId ?? params.id ?? given.chatId ?? given.contactId ?? query.chatId ?? query.contactId
  const chat = chatOf(chatId ?? "")
  const { bridge, proxy } = bridgeOf(api, session)
  return {
    ...asked,
    session,
    chat,
    message: partsOf(params.messageId ?? given.messageId ?? given.id ?? ""),
    bridge,
    proxy,
    files: filesAt(origin, session),
    /** Asks for what has no other answer than that it is done. */
    done: async (method: Call["method"], path: string, fields?: object) => {
      await proxy.ask(method, path, fields)
      return { success: true }
    },
    /** Sends a message to the chat that is named. */
    send: async (kind: string, content: object) => {
      const { mentions = [], reply_to } = given
      const addressed = {
        chat: chatId && chat,
        quoted_message_id: reply_to ? partsOf(reply_to).id : undefined,
        mentions: mentions.length > 0 ? mentions.map(chatOf) : undefined,
      }
      const fields = { ...addressed, ...content }
      const sent = await proxy.ask<Sent>("POST", `send/${kind}`, fields)
      return toSent(sent, given.text ?? given.caption ?? given.poll?.name ?? "")
    },
    /** Where the picture of a chat is; null where there is none to see, which only looking shows. */
    picture: async (jid = chat) => {
      const answer = await unless("not_found", proxy.answer("GET", pathOfPicture(jid)))
      await answer?.body?.cancel()
      return answer ? pictureAt(origin, session, jid) : null
    },
  }
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
