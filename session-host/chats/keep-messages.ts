import type { Event } from "#contract/event.ts"
import { type Change, isChange } from "../content/changes.ts"
import type { Changing, Messages } from "../memory/messages/messages.ts"
import type { SessionStore, SessionWrite } from "../memory/rows.ts"
import type { Outgoing } from "../network/connection.ts"
import type { Chats } from "./chats.ts"
import type { Transcript } from "./transcript.ts"

interface KeepMessagesParts {
  store: Pick<SessionStore, "remove">
  transcript: Transcript
  chats: Chats
  messages: Pick<Messages, "changing">
}

/**
 * Keeps messages: adds the line in the transcript, and the change of the chat's row, to a unit that is made
 * for each message anyway. An edit or a revocation has no line: it changes what its message says.
 */
export class MessageKeeping {
  readonly #parts: KeepMessagesParts

  constructor(parts: KeepMessagesParts) {
    this.#parts = parts
  }

  /** Whether this event is a message to be kept. */
  takes(event: Event): boolean {
    return this.#parts.transcript.takes(event)
  }

  /**
   * Reads what is needed to keep the messages among these events.
   * @returns a function that makes an event's writes: none if the event is not kept
   * @throws SessionEnded
   */
  async ready(events: Event[]): Promise<(event: Event) => SessionWrite[]> {
    const { transcript, chats } = this.#parts
    const kept = new Map<Event, () => SessionWrite[]>()
    for (const event of events) {
      if (!transcript.takes(event) || isChange(event)) continue
      const chat = await chats.load(event.chat_id)
      // A message that came when it could not be read has a row.
      const { message_id: messageId, chat_id, timestamp: time } = event
      const named = { messageId, chat: chat_id, time }
      const earlier = event.target_id === messageId ? await transcript.keyOf(named) : undefined
      kept.set(event, () => [transcript.row(event, earlier), ...chats.said(chat, event)])
    }
    return (event) => kept.get(event)?.() ?? []
  }

  /**
   * The writes that go with a message that is sent, and those that go with its refusal by the network.
   * Undefined if there are none.
   * @param change what it makes of an earlier message
   * @throws SessionEnded
   */
  async outgoing(
    outgoing: Pick<Outgoing, "messageId" | "chat" | "message" | "askedMs">,
    change: Change | undefined,
  ): Promise<Changing | undefined> {
    const { transcript, chats, store, messages } = this.#parts
    if (change) return await messages.changing(change)
    const line = await transcript.rowOf(outgoing)
    if (!line) return undefined
    const { row, said } = line
    const chat = await chats.load(said.chat_id)
    return {
      // Called at the moment when the unit is made, since messages may come in before that.
      writes: () => [row, ...chats.said(chat, said)],
      withdrawal: () => [store.remove(row.sk)],
    }
  }
}
