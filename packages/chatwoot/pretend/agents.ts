import type { Attachment, Message, World } from "./book.ts"
import type { Webhooks } from "./webhooks.ts"

/** What people do at Chatwoot. */
export function agents(world: World, webhooks: Webhooks, urlOf: (id: string) => string) {
  const tell = (event: string, message: Message) =>
    webhooks.tell(world.conversations.get(message.conversation_id)!, world.payloadOf(event, message), message)
  return {
    write(
      conversation: number,
      content: string,
      { replyTo, files = [], note = false }: { replyTo?: number; files?: Attachment[]; note?: boolean } = {},
    ): Message {
      const message = world.addMessage(world.conversations.get(conversation)!, {
        content,
        message_type: 1,
        private: note,
        source_id: null,
        content_attributes: replyTo === undefined ? {} : { in_reply_to: replyTo },
        sender: { id: 1, name: "Anna Agent", available_name: "Anna", type: "user" },
        attachments: files,
      })
      tell("message_created", message)
      return message
    },
    remove(message: Message): void {
      world.removeMessage(message)
      tell("message_updated", message)
    },
    /** Has a failed message sent once more. */
    retry(message: Message): void {
      message.status = "sent"
      tell("message_updated", message)
    },
    resolve(id: number): void {
      const conversation = world.conversations.get(id)!
      conversation.status = "resolved"
      webhooks.tell(conversation, { event: "conversation_status_changed", ...world.shown(conversation) })
    },
    putFile: (name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Attachment =>
      world.putFile(name, type, bytes, urlOf),
  }
}
