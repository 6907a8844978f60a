import { html } from "hono/html"
import type { EventType } from "#contract/event.ts"
import type { StoredEvent } from "#contract/stored-event.ts"
import { chatName, type NameOf } from "../conversations/chat-name.ts"
import { codeBlock, copyable, facts, type Html, buttonForm } from "../elements.ts"
import { ago } from "../times.ts"
import { webhookQuery } from "../webhooks/webhook-health.ts"
import { outcomeMark } from "./event-outcomes.ts"
import { wordsOf } from "./message-words.ts"

/** An event in a list: what it is in one line, and all of it when it is opened. */
export function eventItem(
  ref: string,
  stored: StoredEvent,
  more: {
    isNew?: boolean
    maySend?: boolean
    list: string
    elsewhere?: { id: string; url: string }[] | undefined
    nameOf?: NameOf
  },
): Html {
  const { event_id: id, event } = stored
  const atMs = stored.created_at * 1000
  return html`<li id="${id}" data-into="${more.list}" class="${more.isNew ? "new" : ""}">
    <details>
      <summary>
        <span class="tag">${event.event}</span>
        <span class="about">${eventLine(event, more.nameOf)}</span>
        <span class="row"
          >${outcomeMark(id, stored.state)}
          ${more.elsewhere ? html`<span class="state bad">undelivered at another webhook</span>` : ""}
          <span class="small muted">${ago(atMs)}</span></span
        >
      </summary>
      <div class="more">
        ${facts([
          ["Event", copyable(id)],
          ["Time", ago(atMs)],
        ])}
        ${codeBlock(JSON.stringify(event, undefined, 2), "The event as JSON")}
        <div class="row">
          <a class="button slim" href="/numbers/${ref}/events/${id}">Its deliveries</a>
          ${more.elsewhere?.map((at) => html`<a class="button slim" href="/numbers/${ref}/events/${id}${webhookQuery(at.id)}">Undelivered at ${at.url}</a>`)}
          ${"chat_id" in event ? html`<a class="button slim" href="/numbers/${ref}/events?${new URLSearchParams({ chat: event.chat_id }).toString()}">Only this chat</a>` : ""}
          ${more.maySend ? buttonForm({ action: `/numbers/${ref}/events/${id}/resend`, label: "Send to the webhook", kind: "slim" }) : ""}
        </div>
      </div>
    </details>
  </li>`
}

/** The meaning of each type of event, written as the beginning of a sentence. */
export const eventMeanings: Record<EventType, string> = {
  message: "a message came, or was written on the phone",
  connected: "the number is connected",
  disconnected: "the number is not connected, and why",
  typing: "somebody types or records",
  presence: "somebody is online or was last seen",
  poll_vote: "somebody votes in a poll",
  event_response: "somebody answers an invitation to an event",
  call_incoming: "somebody calls",
  call_terminated: "a call ended",
  offline_sync_preview: "how much came while the number was away",
  offline_sync_completed: "all that came while the number was away is here",
  profile_picture_updated: "somebody has another picture",
  group: "a group or its members change",
  message_status: "a sent message was delivered, read or has failed",
  message_lost: "a message came that cannot be read",
  channel_post: "a channel that the account follows has a new post",
  media_stored: "a message's file is in your own S3, or was given up",
}

type Event = StoredEvent["event"]

/** The people and chats that an event names. */
export function jidsOf(event: Event): string[] {
  return [
    ...("chat_id" in event ? [event.chat_id] : []),
    ...("contact_id" in event ? [event.contact_id] : []),
  ]
}

/** The event in one line. `nameOf`: what people are called, where that was asked for. */
export function eventLine(event: Event, nameOf: NameOf = chatName): Html | string {
  switch (event.event) {
    case "message": {
      const { chat_id: chat, contact_id: contact, from_me, name, is_group } = event
      if (from_me) return html`from the phone to <b>${nameOf(chat)}</b> ${wordsOf(event)}`
      return html`<b>${nameOf(contact, name)}</b>${is_group ? ` in ${nameOf(chat)}` : ""} ${wordsOf(event)}`
    }
    case "channel_post":
      return html`in <b>${event.channel_id}</b> ${event.body}`
    case "media_stored":
      return html`${event.error ?? "it is there"}: <code>${event.key}</code>`
    case "message_lost":
      return html`from <b>${nameOf(event.contact_id, event.name)}</b>: the phone has not given it`
    case "connected":
      return html`as <b>+${event.phone}</b>`
    case "disconnected":
      return (
        [event.reason, event.detail].filter(Boolean).join(": ") ||
        "the connection is gone; it comes back by itself"
      )
    case "typing":
      return html`<b>${nameOf(event.contact_id)}</b> ${event.state}`
    case "poll_vote":
      return html`<b>${nameOf(event.contact_id, event.name)}</b> chose
        ${event.selected_options.join(", ") || "nothing"}`
    case "event_response":
      return html`<b>${nameOf(event.contact_id, event.name)}</b> answered ${event.response}`
    case "call_incoming":
      return html`<b>${nameOf(event.contact_id)}</b> calls`
    case "call_terminated":
      return html`<b>${nameOf(event.contact_id)}</b> ${event.reason}`
    case "offline_sync_completed":
      return event.count === 0 ? "nothing was missed" : `${event.count} things happened meanwhile`
    case "group":
      return html`<b>${nameOf(event.contact_id, event.name)}</b> ${event.kind}`
    case "message_status":
      return html`to <b>${nameOf(event.chat_id)}</b> ${event.status}`
    case "presence":
    case "offline_sync_preview":
    case "profile_picture_updated":
    case "test":
      return ""
  }
}
