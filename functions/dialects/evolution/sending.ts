import { z } from "zod"
import { invalid } from "#core/error.ts"
import { type GivenFile, pathOf } from "../../http/own-api.ts"
import { bytesIn } from "../body.ts"
import { missing, NotHere } from "../dialect.ts"
import { chatOf, groupOf, isUrl } from "./names.ts"
import { asSent, at, Flag, type Here, on, type Sent, Text } from "./on.ts"

/** A message, by its key. */
export const MessageKey = z.object({
  id: z.string(),
  remoteJid: z.string().nullish(),
  fromMe: Flag.nullish(),
  participant: z.string().nullish(),
})

/** What every message has beside its content. Forms bring all of it as text. */
const common = {
  number: Text,
  delay: z.coerce.number().nullish(),
  quoted: z.object({ key: MessageKey.partial().nullish() }).nullish().catch(undefined),
  mentionsEveryOne: Flag.nullish(),
  mentioned: z.array(z.string()).nullish().catch(undefined),
}
type Common = z.output<z.ZodObject<typeof common>>

/** In Evolution's first release the content is in `textMessage` and its like, the rest in `options`. */
function flat(given: unknown): unknown {
  const { options, ...fields } = given as Record<string, Record<string, unknown> | undefined>
  const contents = Object.entries(fields).flatMap(([name, value]) =>
    name.endsWith("Message") ? [value] : [],
  )
  return Object.assign({}, options, ...contents, fields)
}

function message<Fields extends z.ZodRawShape>(fields: Fields) {
  return z.preprocess(flat, z.object({ ...common, ...fields }))
}

/** The fields of our API's sends that those in `common` become. */
async function addressed({ body, ask }: Here<Common>) {
  const chat = chatOf(body.number)
  const quoted = body.quoted?.key?.id
  const isForAll = body.mentionsEveryOne && chat.endsWith("@g.us")
  const group = isForAll && (await ask<{ members: { jid: string }[] }>("GET", at("groups", chat)))
  const mentions = group ? group.members.map(({ jid }) => jid) : body.mentioned?.map(chatOf)
  return {
    chat,
    ...(quoted && { quoted_message_id: quoted }),
    ...(mentions?.length && { mentions }),
    // It is shown as typing for that long, as by Evolution.
    ...(body.delay && { typing_ms: Math.min(Math.round(body.delay), 10_000) }),
  }
}

/** A row that sends by a route of our API. @param become the content, as ours and as the answer shows it */
function sends<Fields extends z.ZodRawShape>(
  name: string,
  fields: Fields,
  kind: string,
  become: (here: Here<Common & z.output<z.ZodObject<Fields>>>) => Promise<Content> | Content,
) {
  const run = async (here: Here) => {
    // Its body has these fields.
    const typed = here as Here<Common & z.output<z.ZodObject<Fields>>>
    const { ours, theirs, messageType } = await become(typed)
    const sent = await here.ask<Sent>("POST", at("send", kind), { ...(await addressed(typed)), ...ours })
    return asSent(here, sent, messageType, theirs)
  }
  return on(`POST message/${name}`, message(fields), run, 201)
}

interface Content {
  ours: object
  theirs: unknown
  messageType: string
}

/** "Whatever it is": callers give types that files are not of, and Evolution takes them. */
const unknownType = "application/octet-stream"

/** Where our API finds a file: at a URL, in base64, or in the form that brought it. */
async function placeOf(
  { api, instance, file }: Here,
  given: string | null | undefined,
  about: Partial<GivenFile> = {},
) {
  if (!file && !given)
    throw invalid([{ path: "media", message: "give a URL, base64, or a form with a file" }])
  if (!file && isUrl(given!)) return { url: given, content_type: about.type ?? unknownType }
  const bytes = file?.bytes ?? bytesIn(given!, "media") // one of the two is there
  const name = about.name || file?.name || ""
  return await api.placeOf(pathOf(instance), { type: about.type ?? unknownType, name, bytes })
}

const text = z.string().nullish()

const sendMedia = sends(
  "sendMedia",
  { mediatype: z.string().default("document"), media: text, mimetype: text, caption: text, fileName: text },
  "media",
  async ({ body: { mediatype, media, mimetype, caption, fileName }, ...here }) => {
    const isDocument = mediatype === "document"
    const place = await placeOf({ ...here, body: undefined }, media, {
      // n8n's node calls each document a PDF: where there is a name, that says more.
      ...(isDocument && mimetype && !fileName?.includes(".") && { type: mimetype }),
      ...(fileName && { name: fileName }),
    })
    const words = mediatype === "audio" ? {} : { ...(caption && { caption }) }
    const named = isDocument ? { as_document: true, ...(fileName && { filename: fileName }) } : {}
    const theirs = { ...words, mimetype, ...(isDocument && { fileName }) }
    return { ours: { ...place, ...words, ...named }, theirs, messageType: `${mediatype}Message` }
  },
)

/** A row that sends one file, which its body has under this name. */
function sendsFile(name: string, field: string, messageType: string, ours: object) {
  return sends(name, { [field]: text }, "media", async (here) => {
    const given = (here.body as Record<string, unknown>)[field] as string | undefined
    return { ours: { ...(await placeOf(here, given)), ...ours }, theirs: {}, messageType }
  })
}

const Card = z.object({
  fullName: z.string(),
  wuid: text,
  phoneNumber: text,
  organization: text,
  email: text,
})

function cardOf({ fullName: name, wuid, phoneNumber, organization, email }: z.infer<typeof Card>) {
  const phone = (phoneNumber ?? wuid ?? "").replace(/@.*/, "").replaceAll(/\D/g, "")
  return { name, phone, ...(organization && { organization }), ...(email && { email }) }
}

const Status = z.preprocess(
  flat,
  z.object({ type: z.string(), content: text, caption: text, backgroundColor: text }),
)

const sendStatus = on(
  "POST message/sendStatus",
  Status,
  async (here) => {
    const { type, content, caption, backgroundColor: background } = here.body
    if (type !== "text" && type !== "image")
      throw new NotHere("a status here is a text or a picture: videos and sounds cannot be posted as one")
    const colour = /^#[0-9a-f]{6}$/i.test(background ?? "") && { background }
    const ours =
      type === "text"
        ? { body: content ?? "", ...colour }
        : { ...(await placeOf(here, content)), ...(caption && { body: caption }) }
    const sent = await here.ask<Sent>("POST", at("send", "status"), ours)
    return type === "text"
      ? asSent(here, sent, "extendedTextMessage", { text: content })
      : asSent(here, sent, "imageMessage", { caption })
  },
  201,
)

const sendReaction = on(
  "POST message/sendReaction",
  z.preprocess(flat, z.object({ key: MessageKey.extend({ remoteJid: z.string() }), reaction: z.string() })),
  async (here) => {
    const { key, reaction: emoji } = here.body
    const ours = { chat: chatOf(key.remoteJid), message_id: key.id, emoji }
    const sent = await here.ask<Sent>("POST", at("send", "reaction"), ours)
    return asSent(here, sent, "reactionMessage", { key, text: emoji })
  },
  201,
)

const sendInvite = on(
  "POST group/sendInvite",
  z.object({ groupJid: z.string(), description: text, numbers: z.array(Text) }),
  async ({ body: { groupJid, description, numbers }, ask, idempotencyKey }) => {
    const { link } = await ask<{ link: string }>("GET", at("groups", groupOf(groupJid), "invite"))
    const body = description ? `${description}\n\n${link}` : link
    for (const chat of numbers.map(chatOf)) {
      const key = idempotencyKey && `${idempotencyKey}.${chat}`.slice(-255)
      await ask("POST", at("send", "text"), { chat, body }, key)
    }
    return { send: true, inviteUrl: link }
  },
)

const noButtons =
  "phones show the buttons and lists of businesses' own accounts alone: send a text, or a poll"

/** What sends a message. */
export const sendingCalls = [
  sends("sendText", { text: z.string() }, "text", ({ body: { text: body } }) => ({
    ours: { body },
    theirs: body,
    messageType: "conversation",
  })),
  sendMedia,
  sendsFile("sendWhatsAppAudio", "audio", "audioMessage", { as_voice: true }),
  sendsFile("sendSticker", "sticker", "stickerMessage", { as_sticker: true }),
  // Our API sends no round videos: it goes as a usual one.
  sendsFile("sendPtv", "video", "ptvMessage", {}),
  sends(
    "sendPoll",
    { name: z.string(), selectableCount: z.coerce.number().nullish(), values: z.array(z.string()) },
    "poll",
    ({ body: { name, selectableCount, values } }) => ({
      ours: { question: name, options: values, max_answers: selectableCount ?? 1 },
      theirs: { name, options: values.map((optionName) => ({ optionName })) },
      messageType: "pollCreationMessageV3",
    }),
  ),
  sends(
    "sendLocation",
    { latitude: z.coerce.number(), longitude: z.coerce.number(), name: text, address: text },
    "location",
    ({ body: { latitude: lat, longitude: lng, name, address } }) => ({
      ours: { lat, lng, ...(name && { name }), ...(address && { address }) },
      theirs: { degreesLatitude: lat, degreesLongitude: lng, name, address },
      messageType: "locationMessage",
    }),
  ),
  sends("sendContact", { contact: z.array(Card) }, "contact", ({ body: { contact } }) => {
    const contacts = contact.map(cardOf)
    const shown = contacts.map(({ name }) => ({ displayName: name }))
    return contacts.length === 1
      ? { ours: { contacts }, theirs: shown[0], messageType: "contactMessage" }
      : { ours: { contacts }, theirs: { contacts: shown }, messageType: "contactsArrayMessage" }
  }),
  sendReaction,
  sendStatus,
  sendInvite,
  missing("POST", "/message/sendList/:instance", noButtons),
  missing("POST", "/message/sendButtons/:instance", noButtons),
  missing("POST", "/message/sendTemplate/:instance", "templates are of WhatsApp's Business Platform alone"),
]
