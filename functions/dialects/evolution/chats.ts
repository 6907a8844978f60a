import { z } from "zod"
import type { Chat as ChatSchema, KeptMessage } from "#contract/chat.ts"
import type { Contact as ContactSchema } from "#contract/contact.ts"
import type { SentMessage } from "#contract/message.ts"
import { ApiError } from "#core/error.ts"
import { iso } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { pathOf, type Query, unless } from "../../http/own-api.ts"
import { type Call, missing, NotHere } from "../dialect.ts"
import { mediaTypeOf, recordOf } from "./content.ts"
import { chatOf, isUrl, jidOf, statuses } from "./names.ts"
import { asSent, at, type Here, nothing, on, type Sent, Text } from "./on.ts"
import { MessageKey } from "./sending.ts"

type Chat = z.infer<typeof ChatSchema>
type Contact = z.infer<typeof ContactSchema>
type Kept = z.infer<typeof KeptMessage>
type Remembered = z.infer<typeof SentMessage>

const text = z.string().nullish()
const count = z.coerce.number().int().min(0).nullish()
/** What a search may be narrowed to. Fields that do not narrow it here are ignored. */
const Search = z.object({
  where: z
    .object({
      id: text,
      remoteJid: text,
      keyId: text,
      key: MessageKey.partial().nullish(),
      messageType: text,
      messageTimestamp: z.object({ gte: Text, lte: Text }).partial().nullish(),
    })
    .nullish(),
  page: count,
  offset: count,
  take: count,
  skip: count,
})
type Search = z.infer<typeof Search>

/** The part of a list that a search asks for: all of it, unless it says how much. */
function part<Item>(items: Item[], { page, offset, take, skip }: Search): Item[] {
  const length = take || offset || items.length
  const from = skip ?? ((page || 1) - 1) * length
  return items.slice(from, from + length)
}

/** How many of a list are read at most, and in how many chats messages of any are looked for. */
const most = { chats: 2000, contacts: 10_000, messages: 1000, lookedThrough: 20 }

async function contactsOf({ api, instance }: Here): Promise<Contact[]> {
  return await api.allByJid<Contact>(pathOf(instance, ...at("contacts")), 1000, most.contacts)
}

function ofContact({ jid, full_name, name, business_name }: Contact, instanceId: string) {
  return {
    id: jid,
    remoteJid: jid,
    pushName: full_name || name || business_name,
    profilePicUrl: null,
    instanceId,
    isGroup: false,
    isSaved: full_name !== "",
    type: "contact",
  }
}

function ofChat(
  { chat_id: id, name, unread, last_message_at, is_group, archived, pinned }: Chat,
  instanceId: string,
) {
  const updatedAt = iso(last_message_at * 1000)
  const unreadOnes = { unreadCount: unread, unreadMessages: unread }
  const about = { archived, pinned, isGroup: is_group, isSaved: true, labels: [] }
  return {
    id,
    remoteJid: id,
    name,
    pushName: name,
    profilePicUrl: null,
    updatedAt,
    ...unreadOnes,
    ...about,
    instanceId,
  }
}

async function chatsOf({ list }: Here): Promise<Chat[]> {
  return await list<Chat>(at("chats"), { limit: 100 }, most.chats)
}

const chatQuery = (chat: string | null | undefined) => (chat ? { chat: chatOf(chat) } : {})

/** A message that is known by its id. */
async function messageBy({ ask }: Here, id: string, chat: string | null | undefined) {
  return await unless("not_found", ask<Remembered>("GET", at("messages", id), chatQuery(chat)))
}

const secondsOf = (time: string | undefined) => Math.floor(Date.parse(time ?? "") / 1000) || undefined

/** The messages that a search asks for, newest first: by an id, of a chat, or of the latest chats. */
async function found(here: Here, { where }: Search, howMany: number): Promise<Kept[]> {
  const { key, messageTimestamp: time } = where ?? {}
  const until = secondsOf(time?.lte)
  const query: Query = {
    since: secondsOf(time?.gte),
    until: until && until + 1,
    limit: Math.min(100, howMany),
  }
  const inChat = (chat: string) => here.list<Kept>(at("chats", chat, "messages"), query, howMany)
  if (key?.id) {
    const known = await messageBy(here, key.id, key.remoteJid)
    return known ? [asKept(known)] : []
  }
  if (key?.remoteJid) return await inChat(jidOf(key.remoteJid))
  const all: Kept[] = []
  for (const { chat_id } of (await chatsOf(here)).slice(0, most.lookedThrough))
    all.push(...(await inChat(chat_id)))
  return all.toSorted((one, other) => other.timestamp - one.timestamp)
}

/** A message of which a line is known: its text, and how far it has come. */
function asKept(message: Remembered): Kept {
  const timestamp = message.received_at ?? message.sent_at ?? 0
  const is_group = message.chat_id.endsWith("@g.us")
  const unknown = { phone: "", name: "", status: undefined, edit: undefined }
  return { ...message, ...unknown, type: message.type || "text", is_group, timestamp }
}

const findMessages = on("POST chat/findMessages", Search, async (here) => {
  const { where, page, offset } = here.body
  const size = offset || 50
  const currentPage = page || 1
  // One more than is shown says whether there is another page.
  const messages = await found(here, here.body, Math.min(currentPage * size, most.messages) + 1)
  const records = messages
    .map((message) => ({
      id: message.message_id,
      ...recordOf(message, here.instance),
      MessageUpdate: message.status ? [{ status: statuses[message.status] }] : [],
    }))
    .filter(({ key, messageType }) => {
      const { fromMe = key.fromMe } = where?.key ?? {}
      return fromMe === key.fromMe && (where?.messageType ?? messageType) === messageType
    })
  const total = records.length
  const shown = records.slice((currentPage - 1) * size, currentPage * size)
  return { messages: { total, pages: Math.ceil(total / size), currentPage, records: shown } }
})

/** What has become of messages that were sent through the API: a line for each step that is known. */
const findStatusMessage = on("POST chat/findStatusMessage", Search, async (here) => {
  const { where, offset } = here.body
  const id = where?.keyId ?? where?.id
  const messages = id
    ? [await messageBy(here, id, where?.remoteJid)].flatMap((one) => one ?? [])
    : await here.list<Remembered>(at("sent"), { ...chatQuery(where?.remoteJid), limit: 100 }, most.messages)
  const lines = messages.flatMap((message) =>
    stepsOf(message).map((status) => ({
      id: `${message.message_id}-${status}`,
      messageId: message.message_id,
      keyId: message.message_id,
      remoteJid: message.chat_id,
      fromMe: message.from_me,
      status,
      instanceId: here.instance,
    })),
  )
  return part(lines, { ...here.body, offset: offset || 50 })
})

const steps = ["sent", "delivered", "read", "played", "failed"] as const

function stepsOf(message: Remembered): string[] {
  return steps.flatMap((step) => (message[`${step}_at`] === undefined ? [] : [statuses[step]]))
}

/** A picture as an address that shows it without a key; null where there is none, or it is hidden. */
async function pictureOf({ api, instance }: Here, jid: string): Promise<string | null> {
  const kind = jid.endsWith("@g.us") ? "groups" : "contacts"
  const path = pathOf(instance, ...at(kind, jid, "avatar"))
  const file = await unless("not_found", api.file(path, { maxBytes: 1_000_000 }))
  return file?.bytes ? `data:${file.type};base64,${file.bytes.toString("base64")}` : null
}

/** Files larger than this are not put into an answer: on AWS a function takes 6 MB. */
const largestFile = () => (config.STORAGE_DIR ? 16_000_000 : 4_000_000)

const getBase64 = on(
  "POST chat/getBase64FromMediaMessage",
  z.object({ message: z.object({ key: MessageKey }) }),
  async (here) => {
    const { id, remoteJid } = here.body.message.key
    const known = await messageBy(here, id, remoteJid)
    if (!known) throw new ApiError("not_found", "Message not found")
    const asked = { query: chatQuery(remoteJid), maxBytes: largestFile() }
    const { type, size, bytes, headers } = await here.api.file(
      pathOf(here.instance, ...at("messages", id, "media")),
      asked,
    )
    if (!bytes) throw new ApiError("payload_too_large", "the file is too large for an answer of this call")
    return {
      mediaType: mediaTypeOf(known.media_type),
      fileName: /filename="?([^";]+)/.exec(headers["content-disposition"] ?? "")?.[1] ?? id,
      caption: known.body || undefined,
      size: { fileLength: String(size), height: null, width: null },
      mimetype: type,
      base64: bytes.toString("base64"),
      buffer: null,
    }
  },
  201,
)

interface Check {
  jid: string
  is_on_whatsapp: boolean
  verified_name: string
}

function phoneOf(number: string): string | undefined {
  return /^(\d{7,15})(?:@s\.whatsapp\.net)?$/.exec(chatOf(number))?.[1]
}

async function checkNumbers({ ask, body: { numbers } }: Here<{ numbers: string[] }>) {
  const phones = numbers.flatMap((number) => phoneOf(number) ?? [])
  const checks: Check[] = []
  for (let from = 0; from < phones.length; from += 100) {
    const some = { phones: phones.slice(from, from + 100) }
    checks.push(...(await ask<Check[]>("POST", at("contacts", "check"), some)))
  }
  return numbers.map((number) => {
    const check = phoneOf(number) === undefined ? undefined : checks.shift()
    // The network is not asked for a group, or somebody's private id.
    const exists = check?.is_on_whatsapp ?? /@(?:lid|g\.us)$/.test(number)
    return { jid: check?.jid || jidOf(number), exists, number, name: check?.verified_name || null }
  })
}

const OfNumber = z.object({ number: Text.nullish() })

/** The contact that is meant: the session's own account, if none is named. */
async function contactOf({ ask, body: { number } }: Here<z.infer<typeof OfNumber>>): Promise<Contact> {
  const jid = number ? jidOf(number) : (await ask<Contact>("GET", at("profile"))).jid
  return await ask<Contact>("GET", at("contacts", jid))
}

const fetchProfile = on("POST chat/fetchProfile", OfNumber, async (here) => {
  const contact = await contactOf(here)
  const { jid: wuid, about: status, is_business: isBusiness, business_email: email } = contact
  const about = { name: contact.full_name || contact.name, numberExists: contact.registered }
  return { wuid, ...about, picture: await pictureOf(here, wuid), status, isBusiness, email }
})

const fetchBusinessProfile = on("POST chat/fetchBusinessProfile", OfNumber, async (here) => {
  const { jid, registered: exists, phone: number, ...contact } = await contactOf(here)
  if (!contact.is_business)
    return { isBusiness: false, message: "Not is business profile", jid, exists, number }
  const { business_address: address, business_email: email, business_name: name } = contact
  return { isBusiness: true, wid: jid, name, address, email, description: "", website: [] }
})

/** Names a chat, or its last message. */
const OfChat = z.looseObject({
  chat: text,
  lastMessage: z.object({ key: MessageKey.partial().nullish() }).nullish(),
})

/** A row that changes something about a chat. */
function changesChat(
  name: string,
  become: (body: Record<string, unknown>) => { archived?: boolean; unread?: boolean },
) {
  const run = async ({ ask, body }: Here<z.infer<typeof OfChat>>) => {
    const named = body.chat || body.lastMessage?.key?.remoteJid
    if (!named) throw new ApiError("invalid_request", "chat: is missing")
    const { archived, unread } = become(body)
    await ask("PATCH", at("chats", jidOf(named)), { archived, unread })
    return { chatId: jidOf(named), archived, markedChatUnread: unread }
  }
  return on(`POST chat/${name}`, OfChat, run, 201)
}

/** A row that changes the session's own profile. */
function changesProfile(
  line: `${Call["method"]} ${string}`,
  body: z.ZodObject,
  become: (here: Here) => Promise<unknown>,
) {
  return on(line, body, async (here) => {
    await become(here)
    return { update: "success" }
  })
}

const sendPresence = on(
  "POST chat/sendPresence",
  z.object({ number: Text, presence: z.string() }),
  async ({ ask, body: { number, presence } }) => {
    const isOfAll = presence === "available" || presence === "unavailable"
    if (isOfAll) await ask("POST", at("presence"), { state: presence })
    else await ask("POST", at("send", "typing"), { chat: chatOf(number), state: presence })
    return { presence }
  },
  201,
)

/** The answer where another message was changed: its time is a text. */
function asChanged(here: Here, sent: Sent, change: object) {
  return { ...asSent(here, sent, "protocolMessage", change), messageTimestamp: String(sent.timestamp) }
}

const deleteMessage = on(
  "DELETE chat/deleteMessageForEveryone",
  MessageKey,
  async (here) => {
    const { body: key, ask } = here
    const sent = await ask<Sent>("DELETE", at("messages", key.id), chatQuery(key.remoteJid))
    return asChanged(here, sent, { key, type: "REVOKE" })
  },
  201,
)

const updateMessage = on(
  "POST chat/updateMessage",
  z.object({ number: Text.nullish(), key: MessageKey, text: z.string() }),
  async (here) => {
    const { number, key, text: body } = here.body
    const changed = { ...chatQuery(number || key.remoteJid), body }
    const sent = await here.ask<Sent>("PATCH", at("messages", key.id, "edit"), changed)
    const editedMessage = { extendedTextMessage: { text: body } }
    const timestampMs = `${sent.timestamp}000`
    return asChanged(here, sent, { key, type: "MESSAGE_EDIT", editedMessage, timestampMs })
  },
)

const markAsRead = on(
  "POST chat/markMessageAsRead",
  z.object({ readMessages: z.array(MessageKey) }),
  async ({ ask, body }) => {
    for (const { id, remoteJid, fromMe } of body.readMessages)
      if (!fromMe) await ask("POST", at("messages", id, "read"), chatQuery(remoteJid))
    return { message: "Read messages", read: "success" }
  },
  201,
)

/** The second path of these is no one of Evolution's: a client has it. */
const inBothPlaces = [
  ...(["chat/whatsappNumbers", "chat/checkIsWhatsappNumber"] as const).map((route) =>
    on(`POST ${route}`, z.object({ numbers: z.array(Text) }), checkNumbers),
  ),
  ...(["chat/updateBlockStatus", "message/updateBlockStatus"] as const).map((route) =>
    on(
      `POST ${route}`,
      z.object({ number: Text, status: z.enum(["block", "unblock"]) }),
      async ({ ask, body: { number, status } }) => {
        await ask(status === "block" ? "PUT" : "DELETE", at("contacts", chatOf(number), "block"))
        return { block: "success" }
      },
      201,
    ),
  ),
]

const noPrivacy = "who sees what of an account is set on its phone"

export const chatCalls = [
  findMessages,
  findStatusMessage,
  getBase64,
  fetchProfile,
  fetchBusinessProfile,
  sendPresence,
  deleteMessage,
  updateMessage,
  markAsRead,
  ...inBothPlaces,
  changesChat("archiveChat", ({ archive }) => ({ archived: archive !== false })),
  changesChat("markChatUnread", () => ({ unread: true })),
  on("POST chat/findChats", Search, async (here) => {
    const jid = here.body.where?.remoteJid
    const chats = (await chatsOf(here)).filter(({ chat_id }) => !jid || chat_id === jidOf(jid))
    return part(chats, here.body).map((chat) => ofChat(chat, here.instance))
  }),
  on("GET chat/findChatByRemoteJid", nothing, async (here) => {
    const chat = (await chatsOf(here)).find(({ chat_id }) => chat_id === jidOf(here.query.remoteJid ?? ""))
    return chat ? ofChat(chat, here.instance) : null
  }),
  on("POST chat/findContacts", Search, async (here) => {
    const named = here.body.where?.remoteJid ?? here.body.where?.id
    const contacts = (await contactsOf(here)).filter(({ jid }) => !named || jid === jidOf(named))
    return part(contacts, here.body).map((contact) => ofContact(contact, here.instance))
  }),
  on("POST chat/fetchProfilePictureUrl", OfNumber, async (here) => {
    const wuid = here.body.number ? jidOf(here.body.number) : (await contactOf(here)).jid
    return { wuid, profilePictureUrl: await pictureOf(here, wuid) }
  }),
  changesProfile("POST chat/updateProfileStatus", z.object({ status: z.string() }), async ({ ask, body }) => {
    await ask("PATCH", at("profile", "status"), body as object)
  }),
  changesProfile(
    "POST chat/updateProfilePicture",
    z.object({ picture: z.string() }),
    async ({ ask, body }) => {
      const { picture: url } = body as { picture: string }
      if (!isUrl(url)) throw new NotHere("a profile's picture is taken from a URL: give one")
      await ask("PUT", at("profile", "avatar"), { url })
    },
  ),
  changesProfile("DELETE chat/removeProfilePicture", z.object({}), async ({ ask }) => {
    await ask("DELETE", at("profile", "avatar"))
  }),
  missing("POST", "/chat/updateProfileName/:instance", "an account's name is changed on its phone"),
  missing("GET", "/chat/fetchPrivacySettings/:instance", noPrivacy),
  missing("POST", "/chat/updatePrivacySettings/:instance", noPrivacy),
]
