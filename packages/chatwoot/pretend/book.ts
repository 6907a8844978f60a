import { randomBytes } from "node:crypto"

export interface Inbox {
  id: number
  name: string
  channel_type: "Channel::Api"
  webhook_url: string
  /** Signs its webhooks. */
  secret: string
}

export interface Contact {
  id: number
  name: string
  identifier: string | null
  phone_number: string | null
}

export interface Conversation {
  id: number
  inbox_id: number
  contact_id: number
  source_id: string
  status: "open" | "resolved" | "pending" | "snoozed"
  /** Unix ms. */
  updatedAt: number
}

export interface Attachment {
  id: number
  file_type: "image" | "audio" | "video" | "file"
  data_url: string
  extension: string | null
  file_size: number
}

export interface Message {
  id: number
  conversation_id: number
  content: string
  /** 0: incoming, 1: outgoing. */
  message_type: 0 | 1
  private: boolean
  status: "sent" | "delivered" | "read" | "failed"
  /** Unix seconds. */
  created_at: number
  source_id: string | null
  content_attributes: { in_reply_to?: number; deleted?: boolean; external_error?: string }
  sender: { id: number; name: string; available_name?: string; type: string }
  attachments: Attachment[]
}

/** What one account of Chatwoot has. Messages have numbers across all conversations. */
export class World {
  readonly inboxes = new Map<number, Inbox>()
  readonly contacts = new Map<number, Contact>()
  readonly conversations = new Map<number, Conversation>()
  readonly messages: Message[] = []
  readonly files = new Map<string, { bytes: Uint8Array<ArrayBuffer>; type: string }>()
  #last = 0

  next(): number {
    return ++this.#last
  }

  shown(conversation: Conversation) {
    const sender = this.contacts.get(conversation.contact_id)!
    return { ...conversation, meta: { sender }, channel: "Channel::Api" }
  }

  messagesOf(id: number): Message[] {
    return this.messages.filter(({ conversation_id }) => conversation_id === id)
  }

  addMessage(
    conversation: Conversation,
    about: Omit<Message, "id" | "conversation_id" | "status" | "created_at">,
  ): Message {
    const now = Date.now()
    const own = { id: this.next(), conversation_id: conversation.id, status: "sent" as const }
    const message: Message = { ...own, created_at: Math.floor(now / 1000), ...about }
    this.messages.push(message)
    conversation.updatedAt = now
    if (about.message_type === 0 && conversation.status === "resolved") conversation.status = "open"
    return message
  }

  /** As Chatwoot does: its words and files go, and it stays. */
  removeMessage(message: Message): void {
    message.content = "This message was deleted"
    message.content_attributes = { deleted: true }
    message.attachments = []
    this.conversations.get(message.conversation_id)!.updatedAt = Date.now()
  }

  /** With its conversations. */
  removeContact(id: number): void {
    this.contacts.delete(id)
    for (const one of this.conversations.values())
      if (one.contact_id === id) {
        this.conversations.delete(one.id)
        for (const message of this.messagesOf(one.id)) this.messages.splice(this.messages.indexOf(message), 1)
      }
  }

  payloadOf(event: string, message: Message) {
    const conversation = this.conversations.get(message.conversation_id)!
    return {
      event,
      ...message,
      message_type: ["incoming", "outgoing"][message.message_type],
      conversation: this.shown(conversation),
      account: { id: 1, name: "Shop" },
      inbox: { id: conversation.inbox_id },
    }
  }

  putFile(
    name: string,
    type: string,
    bytes: Uint8Array<ArrayBuffer>,
    urlOf: (id: string) => string,
  ): Attachment {
    const id = `${randomBytes(8).toString("hex")}-${encodeURIComponent(name)}`
    this.files.set(decodeURIComponent(id), { bytes, type })
    const kind = /^(image|audio|video)\//.exec(type)?.[1] ?? "file"
    return {
      id: this.next(),
      file_type: kind as Attachment["file_type"],
      data_url: urlOf(id),
      extension: name.split(".").at(-1) ?? null,
      file_size: bytes.length,
    }
  }
}
