import { z } from "zod"

/** Where a Chatwoot is, and how it is asked. */
export interface Place {
  /** Its address, such as `https://chat.example.com`. */
  url: string
  /** The access token of an administrator, from their profile. */
  token: string
  /** The number of the account, as its pages have it in their address: `/app/accounts/1`. */
  account: number
  /** Used in place of the global `fetch`. */
  fetch?: typeof fetch
  /**
   * How long a call may take, and how long one that broke off may still have its effect, in ms. Chatwoot ends
   * a request that waited for 30 s, or that it has worked on for 15 s (rack-timeout): a minute by default.
   */
  patienceMs?: number
}

/** Chatwoot has refused a call (`status`), or not answered it (0). Its message never has the token. */
export class ChatwootError extends Error {
  override readonly name = "ChatwootError"
  readonly status: number

  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }

  /** Whether it may have been done all the same: Chatwoot also says 422 after it has stored. */
  get isOpen(): boolean {
    return this.status === 0 || this.status === 422 || this.status >= 500
  }

  /** Whether the same call may succeed later. */
  get passes(): boolean {
    return [0, 401, 402, 403, 408, 429].includes(this.status) || this.status >= 500
  }
}

const Contact = z.object({
  id: z.number(),
  name: z.string().nullish(),
  identifier: z.string().nullish(),
  phone_number: z.string().nullish(),
})
export type Contact = z.infer<typeof Contact>

const Conversation = z.object({
  /** The number of the conversation in its account. */
  id: z.number(),
  inbox_id: z.number(),
  status: z.string(),
  meta: z.object({ sender: Contact }),
})

export const Message = z.object({
  id: z.number(),
  content: z.string().nullish(),
  /** 0: incoming, 1: outgoing, 2: what has happened, 3: what Chatwoot writes by itself. */
  message_type: z.number(),
  private: z.boolean().default(false),
  status: z.string().default("sent"),
  /** Unix seconds. */
  created_at: z.number(),
  source_id: z.string().nullish(),
  content_attributes: z
    .object({ in_reply_to: z.number().nullish(), deleted: z.boolean().nullish() })
    .nullish()
    .catch(null),
  sender: z.object({ name: z.string().nullish(), available_name: z.string().nullish() }).nullish(),
  attachments: z
    .array(
      z.object({ file_type: z.string(), data_url: z.string().nullish(), extension: z.string().nullish() }),
    )
    .default([]),
})
export type Message = z.infer<typeof Message>

/** What a message is made with. */
export interface NewMessage {
  content: string
  message_type: "incoming" | "outgoing"
  source_id: string
  private?: boolean
  /** The answered message: its number at Chatwoot. */
  replyTo?: number | undefined
  file?: File | undefined
}

const Inbox = z.object({ id: z.number(), name: z.string(), webhook_url: z.string().nullish() })
const Contacts = z.object({ payload: z.array(Contact) })
const Conversations = z.object({ payload: z.array(Conversation) })
const NewContact = z.object({ payload: z.object({ contact: Contact }) })

type Fields = Record<string, unknown>

const messagesOf = (conversation: number) => `/conversations/${conversation}/messages`
const queryOf = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

/** In a form each line break becomes two characters, so it is used where there is a file alone. */
function formOf(fields: Fields, file: File, replyTo?: number): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
  if (replyTo !== undefined) form.set("content_attributes[in_reply_to]", `${replyTo}`)
  form.set("attachments[]", file)
  return form
}

const done = z.unknown()

/** The calls of Chatwoot's application API that are used. Each throws `ChatwootError`. */
export class Chatwoot {
  readonly patienceMs: number
  readonly #place: Place
  readonly #send: typeof fetch

  constructor(place: Place) {
    this.#place = place
    this.#send = place.fetch ?? fetch
    this.patienceMs = place.patienceMs ?? 60_000
  }

  async #call<Answer>(
    method: string,
    path: string,
    read: z.ZodType<Answer>,
    body?: Fields | FormData,
  ): Promise<Answer> {
    const { url, token, account } = this.#place
    const isForm = body instanceof FormData
    const asked = `${method} ${path.split("?")[0]}`
    try {
      const answer = await this.#send(`${url.replace(/\/+$/, "")}/api/v1/accounts/${account}${path}`, {
        method,
        headers: { api_access_token: token, ...(body && !isForm && { "content-type": "application/json" }) },
        redirect: "manual",
        signal: AbortSignal.timeout(this.patienceMs),
        ...(body && { body: isForm ? body : JSON.stringify(body) }),
      })
      const text = await answer.text()
      const said = `Chatwoot answered ${asked} with`
      if (!answer.ok)
        throw new ChatwootError(answer.status, `${said} ${answer.status}: ${text.slice(0, 200)}`)
      const { data, success } = read.safeParse(text === "" ? undefined : JSON.parse(text))
      if (success) return data
      throw new ChatwootError(0, `${said} something else than its API: is this its address?`)
    } catch (error) {
      if (error instanceof ChatwootError) throw error
      throw new ChatwootError(0, `Chatwoot does not answer ${asked}`, error)
    }
  }

  async inboxes() {
    return (await this.#call("GET", "/inboxes", z.object({ payload: z.array(Inbox) }))).payload
  }

  async createInbox(name: string, webhook_url: string) {
    return await this.#call("POST", "/inboxes", Inbox, { name, channel: { type: "api", webhook_url } })
  }

  async moveInbox(id: number, webhook_url: string) {
    await this.#call("PATCH", `/inboxes/${id}`, done, { channel: { webhook_url } })
  }

  async findContacts(q: string): Promise<Contact[]> {
    return (await this.#call("GET", `/contacts/search?${queryOf({ q })}`, Contacts)).payload
  }

  async createContact(fields: Fields): Promise<Contact> {
    return (await this.#call("POST", "/contacts", NewContact, fields)).payload.contact
  }

  async updateContact(id: number, fields: Fields) {
    await this.#call("PUT", `/contacts/${id}`, done, fields)
  }

  async mergeContacts(base_contact_id: number, mergee_contact_id: number) {
    await this.#call("POST", "/actions/contact_merge", done, { base_contact_id, mergee_contact_id })
  }

  async conversationsOf(contact: number) {
    return (await this.#call("GET", `/contacts/${contact}/conversations`, Conversations)).payload
  }

  /** Of an inbox: those in which something has changed in the last seconds. */
  async changedConversations(inbox: number, seconds: number) {
    const all = { inbox_id: `${inbox}`, status: "all", assignee_type: "all", updated_within: `${seconds}` }
    const read = z.object({ data: Conversations })
    return (await this.#call("GET", `/conversations?${queryOf(all)}`, read)).data.payload
  }

  async conversation(id: number) {
    return await this.#call("GET", `/conversations/${id}`, Conversation)
  }

  async createConversation(inbox_id: number, contact_id: number, source_id?: string): Promise<number> {
    const fields = { inbox_id, contact_id, source_id }
    return (await this.#call("POST", "/conversations", z.object({ id: z.number() }), fields)).id
  }

  /** The messages of a conversation behind this one, page after page, the oldest first. */
  async *messages(conversation: number, after: number): AsyncGenerator<Message> {
    const read = z.object({ payload: z.array(Message) })
    for (let last = after; ;) {
      const { payload } = await this.#call("GET", `${messagesOf(conversation)}?after=${last}`, read)
      yield* payload
      if (payload.length < 100) return
      last = Math.max(...payload.map(({ id }) => id))
    }
  }

  async createMessage(conversation: number, { replyTo, file, ...fields }: NewMessage): Promise<Message> {
    const about = replyTo !== undefined && { content_attributes: { in_reply_to: replyTo } }
    const body = file ? formOf(fields, file, replyTo) : { ...fields, ...about }
    return await this.#call("POST", messagesOf(conversation), Message, body)
  }

  async setStatus(conversation: number, id: number, status: string, external_error?: string) {
    await this.#call("PATCH", `${messagesOf(conversation)}/${id}`, done, { status, external_error })
  }

  async removeMessage(conversation: number, id: number) {
    await this.#call("DELETE", `${messagesOf(conversation)}/${id}`, done)
  }

  /** A file that somebody has put into a message; its address carries its own permission. */
  async file(address: string): Promise<Blob> {
    const signal = AbortSignal.timeout(this.patienceMs)
    const answer = await this.#send(new URL(address, this.#place.url), { signal }).catch((error: unknown) => {
      throw new ChatwootError(0, "Chatwoot does not give the file", error)
    })
    if (!answer.ok) throw new ChatwootError(answer.status, `Chatwoot gives the file with ${answer.status}`)
    return await answer.blob()
  }
}
