import { z } from "zod"
import { each, some, withoutNulls } from "../given.ts"

/** Some callers make a number of a text. */
const text = z.preprocess((given) => (typeof given === "number" ? String(given) : given), z.string())
const texts = z.array(text)
const count = z.coerce.number()
/** Forms bring it as a text. */
const is = z.preprocess((given) => (typeof given === "string" ? given === "true" : given), z.boolean())

/** A message, by its key. */
const Key = some({ ...each(text, "id", "remoteJid", "participant"), fromMe: is })
const ofKey = some({ key: Key })

/** The longer names are those of earlier releases, and of n8n's node. */
const Webhook = some({
  url: text,
  headers: z.record(z.string(), text),
  events: texts,
  ...each(is, "enabled", "byEvents", "webhookByEvents", "webhook_by_events"),
  ...each(is, "base64", "webhookBase64", "webhook_base64"),
})

/** What a search may be narrowed to. Fields that do not narrow it here are ignored. */
const Where = some({
  ...each(text, "id", "remoteJid", "keyId", "messageType"),
  key: Key,
  messageTimestamp: some(each(text, "gte", "lte")),
})

/** The body of any call of Evolution's. */
export const Given = z.preprocess(
  (given) => flat(withoutNulls(given)),
  some({
    ...each(text, "instanceName", "number", "presence", "status", "chat", "groupJid", "action"),
    ...each(text, "text", "mediatype", "media", "mimetype", "caption", "fileName"),
    ...each(text, "audio", "sticker", "video", "image", "picture", "reaction", "name", "address"),
    ...each(text, "type", "content", "backgroundColor", "subject", "description"),
    ...each(text, "proxyHost", "proxyPort", "proxyProtocol", "proxyUsername", "proxyPassword"),
    ...each(text, "host", "port", "protocol", "username", "password"),
    ...each(text, "readreceipts", "profile", "online", "last", "groupadd", "calladd", "messages", "labelId"),
    ...each(texts, "values", "numbers", "participants"),
    ...each(count, "delay", "selectableCount", "latitude", "longitude", "expiration"),
    ...each(count.int().min(0), "page", "offset", "take", "skip"),
    ...each(is, "archive", "mentionsEveryOne", "everyOne", "promoteParticipants", "qrcode"),
    ...each(is, "linkPreview"),
    ...each(is, "groupsIgnore", "syncFullHistory"),
    // Forms bring these as texts.
    quoted: ofKey.optional().catch(undefined),
    mentioned: texts.optional().catch(undefined),
    contact: z.array(some(each(text, "fullName", "wuid", "phoneNumber", "organization", "email"))),
    ...each(ofKey, "lastMessage", "message"),
    key: Key,
    // Of settings it is a flag, which has no counterpart here.
    readMessages: z.array(Key).optional().catch(undefined),
    where: Where,
    // In Evolution's first release it is an address, or has no object around it.
    webhook: z.union([Webhook, text.transform((url) => ({ url }))]),
    // A message is deleted by its bare key.
    ...Webhook.shape,
    ...Key.shape,
  }),
)
export type Given = z.infer<typeof Given>

/** The names under which Evolution's first release has the content of a message; the rest is in `options`. */
const contents =
  /^(?:text|media|audio|sticker|poll|location|contact|reaction|status)Message$|^options$|^mentions$/

function flat(given: unknown): unknown {
  const fields = Object.entries(given as object).flatMap(([name, value]): [string, unknown][] => {
    if (!contents.test(name) || typeof value !== "object" || value === null) return [[name, value]]
    if (Array.isArray(value)) return [[name.replace("Message", ""), value]]
    return Object.entries(flat(value) as object)
  })
  return Object.fromEntries(fields)
}
