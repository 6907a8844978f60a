import { refOfName } from "#core/bridge/ref-of-name.ts"
import { invalid } from "#core/error.ts"
import { isGroup } from "#core/message/jid.ts"
import { Slots } from "#core/platform/slots.ts"
import { type Api, pathOf, unless } from "../http/own-api.ts"
import type { Bridge, Chat, Found, Kept } from "./ours.ts"

// What both dialects do with our API.

/** Our API about the bridge of this name. */
export function bridgeOf(api: Api, name: string) {
  const bridge = api.below(pathOf(refOfName(name)))
  return { bridge, proxy: bridge.below("/proxy/") }
}

/**
 * The account's bridges, each as our API describes it alone. Twenty are asked for at once, since an account
 * may have few calls under way.
 */
export async function bridgesOf(
  api: Api,
  isWanted: (bridge: Pick<Bridge, "state">) => boolean = () => true,
): Promise<Bridge[]> {
  const listed = await api.all<Bridge>("/api/instances", { query: { limit: 1000 }, most: Infinity })
  const few = new Slots({ most: 20 })
  const described = listed.filter(isWanted).map(({ customer_ref }) =>
    // One that is gone meanwhile is left out.
    few.use(async () => await unless("not_found", api.ask<Bridge>("GET", pathOf(customer_ref)))),
  )
  return (await Promise.all(described)).filter((bridge) => bridge !== undefined)
}

/**
 * Makes a bridge whole, or not at all: one that cannot be set up as it was asked for is gone again.
 * @returns false if there is one of this reference, which stays as it is
 */
export async function makeBridge(
  api: Api,
  customer_ref: string,
  setUp: () => Promise<void>,
): Promise<boolean> {
  const { status } = await api.answer("POST", "/api/instances", { body: { customer_ref } })
  if (status !== 201) return false
  try {
    await setUp()
  } catch (error) {
    await api.call("DELETE", pathOf(customer_ref))
    throw error
  }
  return true
}

/** The latest chats, up to so many. */
export async function chatsIn(proxy: Api, most: number): Promise<Chat[]> {
  return await proxy.all<Chat>("chats", { query: { limit: 100 }, most })
}

/** In Unix seconds. */
type Second = number | string | undefined

/** The latest messages of a chat, up to so many. @param until the last second that is meant */
export async function messagesIn(
  proxy: Api,
  chat: string,
  most: number,
  { since, until }: { since?: Second; until?: Second } = {},
): Promise<Kept[]> {
  const query = { limit: Math.min(100, most), since, until: until && Number(until) + 1 }
  return await proxy.all<Kept>(at`chats/${chat}/messages`, { query, most })
}

/** A message that was looked up by its id, as one that is kept. Its writer's name is not known then. */
export function keptOf({ sent_at, received_at, status, type, edit, ...found }: Found): Kept {
  return {
    ...found,
    ...(edit && { edit }),
    type: type || "text",
    timestamp: sent_at ?? received_at ?? 0,
    phone: "",
    name: "",
    status: status === "received" || status === "failed" ? undefined : status,
    is_group: isGroup(found.chat_id),
  }
}

/**
 * A path below a bridge, with parts that a caller has named.
 * @throws ApiError for one that is missing: the issue names what stands before it
 * @throws Refused for one that would lead elsewhere
 */
export function at(fixed: TemplateStringsArray, ...parts: string[]): string {
  const encoded = parts.map((part) => pathOf(part).slice(pathOf("").length))
  const path = String.raw({ raw: fixed }, ...encoded)
  const [, before] = /(\w+)\/(?:\/|$)/.exec(path) ?? []
  if (before !== undefined) throw invalid([{ path: before, message: "is missing" }])
  return path
}

/** The path of a chat's picture. */
export function pathOfPicture(jid: string): string {
  return at`${isGroup(jid) ? "groups" : "contacts"}/${jid}/avatar`
}

/** A proxy's URL, of which a gateway has the parts. @param server with or without a scheme */
export function proxyUrlOf(server: string, username = "", password = ""): string {
  const url = /^[a-z0-9]+:\/\//i.test(server) ? server : `http://${server}`
  if (!username) return url
  return url.replace("://", `://${encodeURIComponent(username)}:${encodeURIComponent(password)}@`)
}
