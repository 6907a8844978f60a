import { html } from "hono/html"
import type { EventType } from "#contract/event.ts"
import type { StoredEvent } from "#contract/stored-event.ts"
import { codeBlock, copyable, facts, type Html, buttonForm } from "../elements.ts"
import { phoneOrJid } from "../numbers/session-answer.ts"
import { ago } from "../times.ts"
import { webhookQuery } from "../webhooks/webhook-health.ts"
import { outcomeMark } from "./event-outcomes.ts"
import { wordsOf } from "./message-words.ts"

/** An event in a list: what it is in one line, and all of it when it is opened. */
export function eventItem(
  ref: string,
  stored: StoredEvent,
  more: { isNew?: boolean; maySend?: boolean; list: string; elsewhere?: string[] | undefined },
): Html {
  const { event_id: id, event } = stored
  const atMs = stored.created_at * 1000
  return html`<li id="${id}" data-into="${more.list}" class="${more.isNew ? "new" : ""}">
    <details>
      <summary>
        <span class="tag">${event.event}</span>
        <span class="about">${eventLine(event)}</span>
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
          ${more.elsewhere?.map((at) => html`<a class="button slim" href="/numbers/${ref}/events/${id}${webhookQuery(at)}">Undelivered at ${at}</a>`)}
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
}

type Event = StoredEvent["event"]

/** The event in one line. */
export function eventLine(event: Event): Html | string {
  switch (event.event) {
    case "message": {
      const who = event.from_me ? "from the phone" : event.name || event.phone || event.contact_id
      return html`<b>${who}</b> ${wordsOf(event)}`
    }
    case "message_lost":
      return html`from <b>${event.name || phoneOrJid(event.contact_id)}</b>: the phone has not given it`
    case "connected":
      return html`as <b>+${event.phone}</b>`
    case "disconnected":
      return (
        [event.reason, event.detail].filter(Boolean).join(": ") ||
        "the connection is gone; it comes back by itself"
      )
    case "typing":
      return html`<b>${phoneOrJid(event.contact_id)}</b> ${event.state}`
    case "poll_vote":
      return html`<b>${event.name || phoneOrJid(event.contact_id)}</b> chose
        ${event.selected_options.join(", ") || "nothing"}`
    case "event_response":
      return html`<b>${event.name || phoneOrJid(event.contact_id)}</b> answered ${event.response}`
    case "call_incoming":
      return html`<b>${phoneOrJid(event.contact_id)}</b> calls`
    case "call_terminated":
      return html`<b>${phoneOrJid(event.contact_id)}</b> ${event.reason}`
    case "offline_sync_completed":
      return event.count === 0 ? "nothing was missed" : `${event.count} things happened meanwhile`
    case "group":
      return html`<b>${event.name || phoneOrJid(event.contact_id)}</b> ${event.kind}`
    case "message_status":
      return html`to <b>${phoneOrJid(event.chat_id)}</b> ${event.status}`
    case "presence":
    case "offline_sync_preview":
    case "profile_picture_updated":
    case "test":
      return ""
  }
}
