import { refOfName } from "#core/bridge/ref-of-name.ts"
import { invalid } from "#core/error.ts"
import type { GivenFile } from "../../http/own-api.ts"
import { bytesIn } from "../body.ts"
import { at, bridgeOf } from "../bridge.ts"
import type { Asked, Rows as RowsOf } from "../dialect.ts"
import type { Sent } from "../ours.ts"
import type { Given } from "./given.ts"
import { chatOf, groupOf, isUrl, jidOf } from "./names.ts"

/** What each call of Evolution's does with our API. */
export type Rows = RowsOf<Its>

/** What a call of Evolution's names, and our API's calls about its instance, which is a bridge. */
export interface Its extends Asked<Given>, ReturnType<typeof bridgeOf> {
  /** The instance's name, which is the bridge's reference. */
  instance: string
}

export function its(
  asked: Asked<Given>,
  name = asked.params.instance ?? asked.given.instanceName ?? "",
): Its {
  return { ...asked, ...bridgeOf(asked.api, name), instance: refOfName(name) }
}

/** What a call cannot do without, and no call of our API would miss. @throws ApiError `invalid_request` */
export function needed<Value>(value: Value | undefined, path: string): Value {
  if (value !== undefined && value !== "") return value
  throw invalid([{ path, message: "is missing" }])
}

/** The path of the group that a call is about: its query says which, or its body. */
export function groupIn({ query, given }: Its): string {
  return at`groups/${groupOf(query.groupJid ?? given.groupJid ?? "")}`
}

/** The path of a message, and the query that says in which chat it is. */
export function messageBy({ id = "", remoteJid }: NonNullable<Given["key"]> = {}) {
  return { path: at`messages/${id}`, query: chatQuery(remoteJid) }
}

export function chatQuery(chat: string | undefined) {
  return chat ? { chat: chatOf(chat) } : {}
}

/** The path of the contact that is meant. */
export function contactIn(number: string | undefined): string {
  return at`contacts/${jidOf(needed(number, "number"))}`
}

/** "Whatever it is": callers give types that files are not of, and Evolution takes them. */
const unknownType = "application/octet-stream"

/** Where our API finds a file: at a URL, in base64, or in the form that brought it. */
export async function placeOf(
  { bridge, file }: Its,
  given: string | undefined,
  { type = unknownType, name = file?.name ?? "" }: Partial<GivenFile> = {},
): Promise<object> {
  if (!file && isUrl(given ?? "")) return { url: given, content_type: type }
  const bytes = file?.bytes ?? bytesIn(needed(given, "media"), "media")
  return await bridge.placeOf({ type, name, bytes })
}

/** Does what makes a message, and answers with it. @param theirs its content, as Evolution calls it */
export async function sent(
  { proxy, instance }: Its,
  [method, path, fields]: ["POST" | "PATCH" | "DELETE", string, object],
  messageType: string,
  theirs: unknown,
) {
  const { chat_id, message_id, timestamp } = await proxy.ask<Sent>(method, path, fields)
  const key = { remoteJid: chat_id, fromMe: true, id: message_id }
  return {
    key,
    pushName: "",
    status: "PENDING",
    // A client's type wants the key here as well; Evolution has the content alone.
    message: { [messageType]: theirs, key },
    contextInfo: null,
    messageType,
    messageTimestamp: timestamp,
    instanceId: instance,
    source: "unknown",
  }
}
