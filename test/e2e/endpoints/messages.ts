import { expect } from "vitest"
import { z } from "zod"
import { aFileServer } from "#test/support/file-server.ts"
import { mp4 } from "#test/support/media-files.ts"
import { until } from "#test/support/until.ts"
import type { CasesOf } from "./cases.ts"
import { ada, adaReads, adaWrites, arrived, grace, group, network, seen, whole } from "./stage.ts"

const Upload = z.object({
  file: z.string(),
  upload: z.object({ url: z.string(), fields: z.record(z.string(), z.string()) }),
})
const Sent = z.object({ message_id: z.string() })
const idIn = ({ json }: { json: unknown }) => Sent.parse(json).message_id

/** Sends a message for others to refer to. */
async function sendText(body: string): Promise<string> {
  const answer = await whole.call("POST", "/api/instances/shop/proxy/send/text", {
    chat: ada.number,
    body,
  })
  const id = Sent.parse(await answer.json()).message_id
  await adaReads({ id })
  return id
}

export const messages: CasesOf<"Messages" | "Calls"> = {
  sendText: async (ask) => {
    const id = idIn(await ask({ body: { chat: ada.number, body: "hello" } }))
    expect(await adaReads({ id })).toMatchObject([{ text: "hello" }])
    const inGroup = idIn(await ask({ body: { chat: group, body: "hello all", mentions: [ada.number] } }))
    expect(await adaReads({ id: inGroup })).toMatchObject([{ text: "hello all" }])
  },
  sendMedia: async (ask) => {
    const { url } = await aFileServer({
      "/plan.pdf": { type: "application/pdf", body: Buffer.from("%PDF-1.7 x") },
      "/a.mp4": { type: "text/plain", body: mp4(3, { kind: "vide", width: 320, height: 240 }) },
    })
    const body = { chat: ada.number, url: `${url}/plan.pdf`, caption: "the plan" }
    const id = idIn(await ask({ body }))
    const [read] = await adaReads({ id })
    expect(JSON.stringify(read!.content)).toContain("the plan")
    const file = await whole.network.file(ada.number, id)
    expect(file.data.toString()).toBe("%PDF-1.7 x")
    const moving = { chat: ada.number, url: `${url}/a.mp4`, content_type: "video/mp4" }
    const gif = idIn(await ask({ body: { ...moving, gif_playback: true } }))
    expect(await adaReads({ id: gif })).toMatchObject([
      { content: { videoMessage: { gifPlayback: true, seconds: 3, width: 320, height: 240 } } },
    ])
    const document = idIn(await ask({ body: { ...moving, as_document: true } }))
    expect(await adaReads({ id: document })).toMatchObject([
      { content: { documentMessage: { fileName: "a.mp4", mimetype: "video/mp4" } } },
    ])
  },
  createUpload: async (ask) => {
    const { json } = await ask({ body: { content_type: "text/plain", filename: "list.txt" } })
    const { file, upload } = Upload.parse(json)
    const form = new FormData()
    for (const [name, value] of Object.entries(upload.fields)) form.set(name, value)
    form.set("file", new Blob(["one, two"]))
    expect((await fetch(upload.url, { method: "POST", body: form })).status).toBe(204)
    const sent = await whole.call("POST", "/api/instances/shop/proxy/send/media", { chat: ada.number, file })
    const id = Sent.parse(await sent.json()).message_id
    const [read] = await adaReads({ id })
    expect(read).toMatchObject({ content: { documentMessage: { fileName: "list.txt" } } })
    expect((await network.file(ada.number, id)).data.toString()).toBe("one, two")
  },
  sendReaction: async (ask) => {
    const about = await adaWrites({ text: "nice?" })
    await arrived(about)
    const id = idIn(await ask({ body: { chat: ada.number, emoji: "👍", message_id: about } }))
    expect(await adaReads({ id })).toMatchObject([
      { content: { reactionMessage: { text: "👍", key: { id: about } } } },
    ])
  },
  sendPoll: async (ask) => {
    const id = idIn(await ask({ body: { chat: ada.number, question: "When?", options: ["now", "later"] } }))
    const [read] = await adaReads({ id })
    expect(Object.values(read!.content)).toContainEqual(
      expect.objectContaining({ name: "When?", options: [{ optionName: "now" }, { optionName: "later" }] }),
    )
  },
  sendLocation: async (ask) => {
    const id = idIn(
      await ask({ body: { chat: ada.number, lat: 52.5, lng: 13.4, name: "Berlin", address: "Mitte" } }),
    )
    const place = { degreesLatitude: 52.5, degreesLongitude: 13.4, name: "Berlin", address: "Mitte" }
    expect(await adaReads({ id })).toMatchObject([{ content: { locationMessage: place } }])
  },
  sendEvent: async (ask) => {
    const event = { name: "Opening", description: "coffee", start_time: 1_900_000_000 }
    const id = idIn(await ask({ body: { chat: ada.number, ...event } }))
    const { name, description } = event
    expect(await adaReads({ id })).toMatchObject([{ content: { eventMessage: { name, description } } }])
    await adaWrites({ rsvp: { message_id: id, response: "going" } })
    await whole.webhook.event("shop", "event_response", (answer) => answer.event_id === id)
  },
  sendContact: async (ask) => {
    const card = { name: "Ada", phone: ada.number }
    const id = idIn(await ask({ body: { chat: ada.number, contacts: [card] } }))
    expect(await adaReads({ id })).toMatchObject([{ content: { contactMessage: { displayName: "Ada" } } }])
  },
  sendForward: async (ask) => {
    const about = await adaWrites({ text: "pass it on" })
    await arrived(about)
    const id = idIn(await ask({ body: { chat: group, message_id: about } }))
    const contextInfo = { isForwarded: true }
    expect(await adaReads({ id })).toMatchObject([
      { text: "pass it on", content: { extendedTextMessage: { contextInfo } } },
    ])
  },
  sendStatus: async (ask) => {
    await network.addressBook(grace.number, [{ number: ada.number, full_name: "Ada" }])
    const contact = `/api/instances/shop/proxy/contacts/${ada.number}`
    await until(async () => (await (await whole.call("GET", contact)).text()).includes(`"full_name":"Ada"`))
    const id = idIn(await ask({ body: { body: "open till ten" } }))
    expect(await adaReads({ id })).toMatchObject([{ text: "open till ten" }])
  },
  sendTyping: async (ask) => {
    await ask({ body: { chat: ada.number, state: "recording" } })
    expect(await seen("chatstate")).toMatchObject([
      { stanza: { content: [{ tag: "composing", attrs: { media: "audio" } }] } },
    ])
  },
  getMessage: async (ask) => {
    const id = await sendText("what becomes of it?")
    const { json } = await ask({ with: { id, chat: ada.number } })
    expect(json).toMatchObject({
      message_id: id,
      chat_id: ada.jid,
      contact_id: grace.jid,
      from_me: true,
      type: "text",
      body: "what becomes of it?",
      status: "sent",
    })
    const theirs = await adaWrites({ text: "and of this?" })
    await arrived(theirs)
    expect((await ask({ with: { id: theirs } })).json).toMatchObject({
      contact_id: ada.jid,
      status: "received",
      body: "and of this?",
    })
  },
  findMessage: async (ask) => {
    const body = { chat: ada.number, body: "under a key" }
    const headers = { "idempotency-key": "an order's number / 17" }
    const sent = await whole.call("POST", "/api/instances/shop/proxy/send/text", body, headers)
    const { message_id } = Sent.parse(await sent.json())
    const found = await ask({ with: { idempotency_key: headers["idempotency-key"] } })
    expect(found.json).toMatchObject({ message_id, body: body.body, status: "sent" })
  },
  listSent: async (ask) => {
    const body = { chat: ada.number, body: "listed" }
    const sent = await whole.call("POST", "/api/instances/shop/proxy/send/text", body)
    const { message_id } = Sent.parse(await sent.json())
    const first = await ask({ with: { chat: ada.number, limit: 1 } })
    const request_id = sent.headers.get("x-request-id")
    expect(first.json).toMatchObject([{ message_id, body: "listed", status: "sent", request_id }])
    const after = first.headers.get("x-next-after")!
    expect(JSON.stringify((await ask({ with: { after } })).json)).not.toContain(message_id)
  },
  revokeMessage: async (ask) => {
    const id = await sendText("wrong chat")
    await ask({ with: { id } })
    const [revocation] = await adaReads({ kind: "protocolMessage" })
    expect(revocation).toMatchObject({ content: { protocolMessage: { key: { id } } } })
  },
  deleteForMe: async (ask) => {
    const id = await sendText("not for me")
    await ask({ with: { id } })
    await until(async () => {
      const messages = await whole.network.call("GET", `/phones/${grace.number}/messages`)
      return !JSON.stringify(messages).includes("not for me")
    })
  },
  editMessage: async (ask) => {
    const id = await sendText("frist")
    expect(idIn(await ask({ with: { id }, body: { chat: ada.number, body: "first" } }))).toBe(id)
    const [, edit] = await adaReads({ kind: "protocolMessage", count: 2 })
    expect(edit).toMatchObject({ content: { protocolMessage: { key: { id } } } })
    expect(JSON.stringify(edit!.content)).toContain("first")
  },
  pinMessage: async (ask) => {
    const about = await sendText("to remember")
    const id = idIn(await ask({ with: { id: about }, body: { duration: 86_400 } }))
    expect(await adaReads({ id })).toMatchObject([
      { content: { pinInChatMessage: { key: { id: about }, type: "PIN_FOR_ALL" } } },
    ])
  },
  unpinMessage: async (ask) => {
    const about = await sendText("to forget")
    const id = idIn(await ask({ with: { id: about } }))
    expect(await adaReads({ id })).toMatchObject([
      { content: { pinInChatMessage: { key: { id: about }, type: "UNPIN_FOR_ALL" } } },
    ])
  },
  readMessage: async (ask) => {
    const id = await adaWrites({ text: "seen?" })
    await arrived(id)
    await ask({ with: { id }, body: { chat: ada.number } })
    expect(await seen("receipt", { id, type: "read" })).toHaveLength(1)
  },
  messageMedia: async (ask) => {
    const data = Buffer.from("a voice")
    const media = { kind: "audio", voice: true, mimetype: "audio/ogg", data: data.toString("base64") }
    const id = await adaWrites({ media })
    await arrived(id)
    const { headers, bytes } = await ask({ with: { id } })
    expect([headers.get("content-type"), bytes.toString()]).toEqual(["audio/ogg", "a voice"])
    expect(headers.get("content-disposition")).toMatch(/^attachment/)
  },

  rejectCall: async (ask) => {
    const { call_id } = await whole.network.ring(ada.number, grace.number)
    await whole.webhook.event("shop", "call_incoming", (call) => call.call_id === call_id)
    await ask({ with: { id: call_id }, body: { contact_id: ada.jid } })
    const reject = { tag: "reject", attrs: expect.objectContaining({ "call-id": call_id }) as unknown }
    expect(await seen("call")).toMatchObject([{ stanza: { content: [reject] } }])
  },
}
