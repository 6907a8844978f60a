import { randomBytes } from "node:crypto"
import { type Context, Hono } from "hono"
import { HTTPException } from "hono/http-exception"
import type { Conversation, Message, World } from "./book.ts"

interface Parts {
  token: string
  world: World
  tell: (conversation: Conversation, payload: { event: string; id: number }, message?: Message) => void
  urlOf: (id: string) => string
}

const base = "/api/v1/accounts/1"
const longest = 150_000
const mostFiles = 15
const largest = 40_000_000
const mostInAMinute = 200

const refused = (why: string) =>
  new HTTPException(422, { res: Response.json({ error: why, message: why }, { status: 422 }) })
const missing = () =>
  new HTTPException(404, { res: Response.json({ error: "Resource could not be found" }, { status: 404 }) })

/** The application API of one account, as far as a program needs it that serves inboxes of the kind API. */
export function api(parts: Parts) {
  const { token, world } = parts
  const app = new Hono()
  app.use("/api/*", async (c, next) => {
    if (c.req.header("api_access_token") !== token) return c.json({ error: "Invalid Access Token" }, 401)
    if (!c.req.path.startsWith(`${base}/`))
      return c.json({ error: "You are not authorized to access this account" }, 401)
    await next()
    return undefined
  })
  inboxes(app, world)
  contacts(app, world)
  conversations(app, parts)
  messages(app, parts)
  return app
}

type Fields = Record<string, unknown>
const jsonOf = async (c: Context) => await c.req.json<Fields>().catch((): Fields => ({}))
const textOf = (value: unknown) => (typeof value === "string" ? value : "")

function inboxes(app: Hono, world: World): void {
  const { inboxes: all } = world
  app.get(`${base}/inboxes`, (c) =>
    c.json({ payload: [...all.values()].map((one) => ({ ...one, secret: undefined })) }),
  )
  app.post(`${base}/inboxes`, async (c) => {
    const { name, channel } = (await jsonOf(c)) as {
      name?: string
      channel?: { type?: string; webhook_url?: string }
    }
    if (!name || channel?.type !== "api") throw refused("Name can't be blank")
    const id = world.next()
    const secret = randomBytes(12).toString("hex")
    all.set(id, { id, name, channel_type: "Channel::Api", webhook_url: channel.webhook_url ?? "", secret })
    return c.json({ ...all.get(id) })
  })
  app.patch(`${base}/inboxes/:id`, async (c) => {
    const inbox = all.get(Number(c.req.param("id")))
    if (!inbox) throw missing()
    const { channel } = (await jsonOf(c)) as { channel?: { webhook_url?: string } }
    inbox.webhook_url = channel?.webhook_url ?? inbox.webhook_url
    return c.json(inbox)
  })
}

function contacts(app: Hono, world: World): void {
  const { contacts: all, conversations: talks } = world
  const checked = (fields: Fields, own?: number) => {
    const { name, identifier, phone_number } = fields
    if (phone_number && !/^\+[1-9]\d{1,14}$/.test(textOf(phone_number)))
      throw refused("Phone number should be in e164 format")
    for (const one of all.values()) {
      if (one.id === own) continue
      if (identifier && one.identifier === identifier) throw refused("Identifier has already been taken")
      if (phone_number && one.phone_number === phone_number)
        throw refused("Phone number has already been taken")
    }
    return {
      ...(name !== undefined && { name: textOf(name) }),
      ...(identifier !== undefined && { identifier: textOf(identifier) }),
      ...(phone_number !== undefined && { phone_number: textOf(phone_number) }),
    }
  }
  const at = (id: unknown) => {
    const contact = all.get(Number(id))
    if (!contact) throw missing()
    return contact
  }
  app.get(`${base}/contacts/search`, (c) => {
    const q = c.req.query("q")
    if (!q) throw refused("Specify search string with parameter q")
    const fits = (text: string | null) => text?.toLowerCase().includes(q.toLowerCase()) === true
    const found = [...all.values()].filter(
      (one) => fits(one.name) || fits(one.identifier) || fits(one.phone_number),
    )
    return c.json({ meta: { count: found.length, current_page: 1 }, payload: found.slice(0, 15) })
  })
  app.post(`${base}/contacts`, async (c) => {
    const fields = checked(await jsonOf(c))
    const contact = { id: world.next(), name: "", identifier: null, phone_number: null, ...fields }
    all.set(contact.id, contact)
    return c.json({ payload: { contact, contact_inbox: null } })
  })
  app.put(`${base}/contacts/:id`, async (c) => {
    const contact = at(c.req.param("id"))
    return c.json({ payload: Object.assign(contact, checked(await jsonOf(c), contact.id)) })
  })
  app.get(`${base}/contacts/:id/conversations`, (c) => {
    const { id } = at(c.req.param("id"))
    const own = [...talks.values()].filter(({ contact_id }) => contact_id === id)
    return c.json({ payload: own.map((one) => world.shown(one)) })
  })
  app.post(`${base}/actions/contact_merge`, async (c) => {
    const { base_contact_id, mergee_contact_id } = await jsonOf(c)
    const [kept, other] = [at(base_contact_id), at(mergee_contact_id)]
    for (const one of talks.values()) if (one.contact_id === other.id) one.contact_id = kept.id
    all.delete(other.id)
    return c.json(kept)
  })
}

const conversationAt = (world: World, c: Context) => {
  const conversation = world.conversations.get(Number(c.req.param("id")))
  if (!conversation) throw missing()
  return conversation
}

function conversations(app: Hono, { world, tell }: Parts): void {
  const { conversations: all } = world
  app.get(`${base}/conversations`, (c) => {
    const { inbox_id, updated_within, status = "open" } = c.req.query()
    const since = updated_within ? Date.now() - Number(updated_within) * 1000 : 0
    const found = [...all.values()].filter(
      (one) =>
        (!inbox_id || one.inbox_id === Number(inbox_id)) &&
        (status === "all" || one.status === status) &&
        one.updatedAt > since,
    )
    return c.json({
      data: {
        meta: {},
        payload: (updated_within ? found : found.slice(0, 25)).map((one) => world.shown(one)),
      },
    })
  })
  app.get(`${base}/conversations/:id`, (c) => c.json(world.shown(conversationAt(world, c))))
  app.post(`${base}/conversations`, async (c) => {
    const { inbox_id, contact_id, source_id } = await jsonOf(c)
    if (!world.inboxes.has(Number(inbox_id)) || !world.contacts.has(Number(contact_id))) throw missing()
    // One `source_id` of an inbox belongs to one contact.
    const name = textOf(source_id) || randomBytes(8).toString("hex")
    for (const one of all.values())
      if (one.inbox_id === inbox_id && one.source_id === name && one.contact_id !== contact_id)
        throw refused("source_id should be unique")
    const conversation: Conversation = {
      id: world.next(),
      inbox_id: Number(inbox_id),
      contact_id: Number(contact_id),
      source_id: name,
      status: "open",
      updatedAt: Date.now(),
    }
    all.set(conversation.id, conversation)
    tell(conversation, { event: "conversation_created", ...world.shown(conversation) })
    return c.json(world.shown(conversation))
  })
}

function messages(app: Hono, { world, tell, urlOf }: Parts): void {
  const path = `${base}/conversations/:id/messages`
  const at = (c: Context, conversation: Conversation) => {
    const message = world.messagesOf(conversation.id).find(({ id }) => id === Number(c.req.param("message")))
    if (!message) throw missing()
    return message
  }
  app.get(path, (c) => {
    const own = world.messagesOf(conversationAt(world, c).id)
    const after = c.req.query("after")
    const payload = after ? own.filter(({ id }) => id > Number(after)).slice(0, 100) : own.slice(-20)
    return c.json({ meta: {}, payload })
  })
  app.post(path, async (c) => {
    const conversation = conversationAt(world, c)
    const isForm = c.req.header("content-type")?.startsWith("multipart/form-data") === true
    const fields = isForm ? await c.req.parseBody({ all: true }) : await jsonOf(c)
    const files = [fields["attachments[]"] ?? []].flat()
    const content = textOf(fields.content)
    if (!files.every((file) => file instanceof File)) throw refused("attachments are files of a form")
    if (files.length > mostFiles || files.some(({ size }) => size > largest))
      throw refused("File size is too big")
    if (content.length > longest) throw refused("Content is too long (maximum is 150000 characters)")
    const type = textOf(fields.message_type) || "outgoing"
    if (type !== "incoming" && type !== "outgoing") throw refused(`'${type}' is not a valid message_type`)
    const minuteAgo = Date.now() / 1000 - 60
    if (
      world.messagesOf(conversation.id).filter(({ created_at }) => created_at > minuteAgo).length >=
      mostInAMinute
    )
      throw refused("Too many messages")
    const { in_reply_to } = (fields.content_attributes ?? {}) as { in_reply_to?: number }
    const inReplyTo = Number(fields["content_attributes[in_reply_to]"] ?? in_reply_to ?? Number.NaN)
    const stored = []
    for (const file of files)
      stored.push(world.putFile(file.name, file.type, new Uint8Array(await file.arrayBuffer()), urlOf))
    const contact = world.contacts.get(conversation.contact_id)!
    const message = world.addMessage(conversation, {
      content,
      message_type: type === "incoming" ? 0 : 1,
      private: fields.private === true || fields.private === "true",
      source_id: textOf(fields.source_id) || null,
      content_attributes: Number.isNaN(inReplyTo) ? {} : { in_reply_to: inReplyTo },
      sender:
        type === "incoming"
          ? { id: contact.id, name: contact.name, type: "contact" }
          : { id: 9, name: "API", type: "user" },
      attachments: stored,
    })
    tell(conversation, world.payloadOf("message_created", message), message)
    return c.json(message)
  })
  app.patch(`${path}/:message`, async (c) => {
    const message = at(c, conversationAt(world, c))
    const { status, external_error } = await jsonOf(c)
    const isKnown = status === "sent" || status === "delivered" || status === "read" || status === "failed"
    if (isKnown && !(message.status === "read" && status === "delivered")) {
      message.status = status
      message.content_attributes.external_error = status === "failed" ? textOf(external_error) : undefined
    }
    return c.json(message)
  })
  app.delete(`${path}/:message`, (c) => {
    const conversation = conversationAt(world, c)
    const message = at(c, conversation)
    world.removeMessage(message)
    tell(conversation, world.payloadOf("message_updated", message))
    return c.json({})
  })
}
