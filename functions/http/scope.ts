import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import { TrieRouter } from "hono/router/trie-router"
import { type RouteName, routes } from "#contract/routes.ts"
import type { ApiKey } from "#core/account/api-key.ts"
import { ApiError, noSuchBridge } from "#core/error.ts"
import { toJid } from "#core/message/jid.ts"
import { isAmong } from "#core/message/spellings.ts"
import { lazily } from "#core/platform/lazily.ts"
import type { ApiEnv } from "./contract-router.ts"

// Contract, "Scopes of keys". This file alone compares a request with what its key may do.

/**
 * Paths of the code that links a phone, and of a group's link. Whoever has the code or link can take the
 * bridge over, or join the group.
 */
const keys = /^\/api\/instances\/[^/]+\/proxy\/(?:qr|groups\/[^/]+\/invite)$/

/** Whether a sandbox that is not there is created for this key. */
export function mayCreateSandbox({ scope, bridges, chats }: ApiKey.Access): boolean {
  return scope === "all" && !bridges && !chats
}

/** Whether this key is shown what signs deliveries: who has that can write events of any chat. */
export function seesSecrets({ scope, chats }: ApiKey.Access): boolean {
  return scope === "all" && !chats
}

/**
 * Compares a request with the scope of its key and with the key's bridges, once its bridge was found.
 * @throws ApiError `forbidden`; `not_found` for a bridge that is not the key's
 */
export const withinScope = createMiddleware<ApiEnv>(async (c, next) => {
  const { scope, bridges } = c.var.access
  const isRead = c.req.method === "GET"
  if (bridges) {
    const isOfBridge = c.var.bridge !== undefined
    if (isOfBridge && !bridges.some(({ id }) => id === c.var.bridge.id)) throw noSuchBridge()
    if (!isOfBridge && !(isRead && c.req.path === "/api/instances")) {
      const names = bridges.map(({ customerRef }) => customerRef).join(", ")
      throw new ApiError("forbidden", `this API key is for these bridges alone: ${names}`)
    }
  }
  if (scope === "read" && (!isRead || keys.test(c.req.path)))
    throw new ApiError("forbidden", "this API key may only read: use one with the scope `all`")
  await next()
})

/** Where a call names its chat, or each of its chats. */
type Place = { body: readonly string[] } | { query: "chat" } | { path: "chat" | "jid" }

const inBody = { body: ["chat"] } as const
const inQuery = { query: "chat" } as const

/**
 * What a key for some chats may call: what shows and changes nothing of a chat, what shows only the key's
 * chats, and what names its chat. Everything else it may not, so a route that is added later it may not
 * either.
 */
const within: Partial<Record<RouteName, "no chat" | "shows its chats" | Place>> = {
  listBridges: "no chat",
  getBridge: "no chat",
  status: "no chat",
  getProfile: "no chat",
  ownAvatar: "no chat",
  createUpload: "no chat",
  listEvents: "shows its chats",
  sendText: inBody,
  sendMedia: inBody,
  sendReaction: inBody,
  sendPoll: inBody,
  sendLocation: inBody,
  sendEvent: inBody,
  sendContact: inBody,
  sendForward: { body: ["chat", "from_chat"] },
  listPlanned: inQuery,
  getPlanned: inQuery,
  changePlanned: inQuery,
  cancelPlanned: inQuery,
  sendTyping: inBody,
  getMessage: inQuery,
  listSent: inQuery,
  revokeMessage: inQuery,
  deleteForMe: inQuery,
  editMessage: inBody,
  pinMessage: inBody,
  unpinMessage: inQuery,
  readMessage: inBody,
  messageMedia: inQuery,
  updateChat: { path: "chat" },
  clearChat: { path: "chat" },
  deleteChat: { path: "chat" },
  getChatTimer: { path: "chat" },
  setChatTimer: { path: "chat" },
  listMessages: { path: "chat" },
  searchMessages: inQuery,
  askForOlder: { path: "chat" },
  listHandovers: inQuery,
  setHandover: { path: "chat" },
  getContact: { path: "jid" },
  contactAvatar: { path: "jid" },
  getGroup: { path: "jid" },
  groupAvatar: { path: "jid" },
  subscribePresence: inBody,
}

/** Leads from a method and a path to the route, as the app itself finds it. */
const router = lazily(() => {
  const found = new TrieRouter<RouteName>()
  for (const [name, { method, path }] of Object.values(routes).flatMap((group) => Object.entries(group)))
    found.add(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ":$1"), name as RouteName)
  return found
})

/**
 * Compares a request with the chats of its key, once its body was read.
 * @throws ApiError `forbidden`
 */
export const withinChats = createMiddleware<ApiEnv>(async (c, next) => {
  const { chats } = c.var.access
  if (chats) {
    const [name, parameters] = router.match(c.req.method, c.req.path)[0][0] ?? []
    const place = name && within[name]
    if (place === undefined)
      throw new ApiError("forbidden", "this API key reads and writes in its chats alone, and this is in none")
    if (typeof place === "object")
      for (const [field, chat] of await namedChats(c, place, parameters as Record<string, string>))
        if (typeof chat !== "string" || !isAmong(toJid(chat), chats))
          throw new ApiError(
            "forbidden",
            `this API key is for these chats alone: name one of them, in this form, as \`${field}\`: ${chats.join(", ")}`,
          )
  }
  await next()
})

/**
 * The chats that a call names, by the fields in which it does. One that is not there, or there twice, is
 * undefined.
 */
async function namedChats(
  c: Context<ApiEnv>,
  place: Place,
  parameters: Record<string, string>,
): Promise<[field: string, chat: unknown][]> {
  if ("query" in place) {
    const [chat, ...more] = c.req.queries(place.query) ?? []
    return [[place.query, more.length === 0 ? chat : undefined]]
  }
  if ("path" in place) return [[place.path, decoded(parameters[place.path] ?? "")]]
  const given: unknown = await c.req.json()
  const body = typeof given === "object" && given !== null ? (given as Record<string, unknown>) : {}
  return place.body.map((field) => [field, Object.hasOwn(body, field) ? body[field] : undefined])
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    // It names no chat.
    return undefined
  }
}
