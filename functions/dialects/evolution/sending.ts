import { nowMs } from "#core/platform/clock.ts"
import { at } from "../bridge.ts"
import { NotHere } from "../dialect.ts"
import type { Given } from "./given.ts"
import { groupIn, type Its, messageBy, needed, placeOf, type Rows, sent } from "./its.ts"
import { chatOf } from "./names.ts"

/** Sends by a route of our API. @param theirs the content, as the answer shows it */
async function send(its: Its, kind: string, ours: object, messageType: string, theirs: unknown) {
  const { number = "", delay, quoted } = its.given
  const addressed = {
    chat: chatOf(number),
    quoted_message_id: quoted?.key?.id || undefined,
    mentions: await mentionsOf(its),
    // It is shown as typing for that long, as by Evolution.
    typing_ms: delay ? Math.min(Math.round(delay), 10_000) : undefined,
  }
  return await sent(its, ["POST", `send/${kind}`, { ...addressed, ...ours }], messageType, theirs)
}

async function mentionsOf({ proxy, given }: Its): Promise<string[] | undefined> {
  const chat = chatOf(given.number ?? "")
  if (!(given.mentionsEveryOne ?? given.everyOne) || !chat.endsWith("@g.us"))
    return given.mentioned?.length ? given.mentioned.map(chatOf) : undefined
  const { members } = await proxy.ask<{ members: { jid: string }[] }>("GET", at`groups/${chat}`)
  return members.map(({ jid }) => jid)
}

async function sendMedia(its: Its) {
  const { mediatype = "document", media, mimetype, caption, fileName } = its.given
  const isDocument = mediatype === "document"
  const place = await placeOf(its, media, {
    // n8n's node calls each document a PDF: where there is a name, that says more.
    type: isDocument && !fileName?.includes(".") ? mimetype : undefined,
    name: fileName,
  })
  const words = mediatype === "audio" ? {} : { caption: caption || undefined }
  const named = isDocument ? { as_document: true, filename: fileName || undefined } : {}
  const theirs = { ...words, mimetype, fileName: isDocument ? fileName : undefined }
  return await send(its, "media", { ...place, ...words, ...named }, `${mediatype}Message`, theirs)
}

async function sendFile(its: Its, file: string | undefined, as: object, messageType: string) {
  return await send(its, "media", { ...(await placeOf(its, file)), ...as }, messageType, {})
}

function toCard({
  fullName: name,
  wuid,
  phoneNumber,
  organization,
  email,
}: NonNullable<Given["contact"]>[number]) {
  const phone = (phoneNumber ?? wuid ?? "").replace(/@.*/, "").replaceAll(/\D/g, "")
  return { name, phone, organization: organization || undefined, email: email || undefined }
}

async function sendContact(its: Its) {
  const contacts = its.given.contact?.map(toCard)
  const shown = contacts?.map(({ name }) => ({ displayName: name })) ?? []
  return shown.length === 1
    ? await send(its, "contact", { contacts }, "contactMessage", shown[0])
    : await send(its, "contact", { contacts }, "contactsArrayMessage", { contacts: shown })
}

async function sendStatus(its: Its) {
  const { type, content = "", caption, backgroundColor: background = "" } = its.given
  const toAll = async (ours: object, messageType: string, theirs: object) =>
    await sent(its, ["POST", "send/status", ours], messageType, theirs)
  const colour = /^#[0-9a-f]{6}$/i.test(background) ? background : undefined
  if (type === "image" || type === "video") {
    const ours = { ...(await placeOf(its, content)), body: caption || undefined }
    return await toAll(ours, `${type}Message`, { caption })
  }
  if (type === "audio")
    return await toAll({ ...(await placeOf(its, content)), background: colour }, "audioMessage", {})
  if (type !== "text") throw new NotHere("a status is of the type text, image, video or audio")
  return await toAll({ body: content, background: colour }, "extendedTextMessage", { text: content })
}

/** What changes a message that was sent. The time of such an answer is a text. */
async function changed(its: Its, call: Parameters<typeof sent>[1], change: object) {
  const made = await sent(its, call, "protocolMessage", change)
  return { ...made, messageTimestamp: String(made.messageTimestamp) }
}

async function deleteMessage(its: Its) {
  const { id, remoteJid, fromMe, participant } = its.given
  const { path, query } = messageBy(its.given)
  const key = { id, remoteJid, fromMe, participant }
  return await changed(its, ["DELETE", path, query], { key, type: "REVOKE" })
}

async function updateMessage(its: Its) {
  const { number, key, text: body } = its.given
  const { path, query } = messageBy({ ...key, remoteJid: number || key?.remoteJid })
  const editedMessage = { extendedTextMessage: { text: body } }
  const edit = { key, type: "MESSAGE_EDIT", editedMessage, timestampMs: String(nowMs()) }
  return await changed(its, ["PATCH", `${path}/edit`, { ...query, body }], edit)
}

export async function sendInvite(its: Its) {
  const { description, numbers } = its.given
  const chats = needed(numbers, "numbers").map(chatOf)
  const { link } = await its.proxy.ask<{ link: string }>("GET", `${groupIn(its)}/invite`)
  const body = description ? `${description}\n\n${link}` : link
  for (const chat of chats) {
    const key = its.idempotencyKey && `${its.idempotencyKey}.${chat}`.slice(-255)
    await its.proxy.ask("POST", "send/text", { chat, body }, key)
  }
  return { send: true, inviteUrl: link }
}

/** What sends a message. */
export const sending: Rows = {
  "POST /message/sendText/:instance": async (its) =>
    await send(
      its,
      "text",
      { body: its.given.text, link_preview: its.given.linkPreview },
      "conversation",
      its.given.text,
    ),
  "POST /message/sendMedia/:instance": sendMedia,
  "POST /message/sendWhatsAppAudio/:instance": async (its) =>
    await sendFile(its, its.given.audio, { as_voice: true }, "audioMessage"),
  // Evolution's first release calls it an image.
  "POST /message/sendSticker/:instance": async (its) =>
    await sendFile(its, its.given.sticker ?? its.given.image, { as_sticker: true }, "stickerMessage"),
  "POST /message/sendPtv/:instance": async (its) =>
    await sendFile(its, its.given.video, { video_note: true }, "ptvMessage"),
  "POST /message/sendPoll/:instance": async (its) => {
    const { name, values = [], selectableCount = 1 } = its.given
    const theirs = { name, options: values.map((optionName) => ({ optionName })) }
    const ours = { question: name, options: values, max_answers: selectableCount }
    return await send(its, "poll", ours, "pollCreationMessageV3", theirs)
  },
  "POST /message/sendLocation/:instance": async (its) => {
    const { latitude: lat, longitude: lng, name, address } = its.given
    const ours = { lat, lng, name: name || undefined, address: address || undefined }
    const theirs = { degreesLatitude: lat, degreesLongitude: lng, name, address }
    return await send(its, "location", ours, "locationMessage", theirs)
  },
  "POST /message/sendContact/:instance": sendContact,
  "POST /message/sendReaction/:instance": async (its) => {
    const { key, reaction: emoji } = its.given
    const ours = { chat: chatOf(key?.remoteJid ?? ""), message_id: key?.id, emoji }
    return await sent(its, ["POST", "send/reaction", ours], "reactionMessage", { key, text: emoji })
  },
  "POST /message/sendStatus/:instance": sendStatus,
  "DELETE /chat/deleteMessageForEveryone/:instance": deleteMessage,
}

export const updates: Rows = { "POST /chat/updateMessage/:instance": updateMessage }
