import { html } from "hono/html"
import type { z } from "zod"
import type { SentMessage } from "#contract/message.ts"
import type { StoredEvent } from "#contract/stored-event.ts"
import { sentenceForPeople } from "../api-words.ts"
import { copyable, type Html } from "../elements.ts"
import { wordsOf } from "../events/message-words.ts"
import { phoneOrJid } from "../numbers/session-answer.ts"
import { ago } from "../times.ts"

export type Sent = z.infer<typeof SentMessage>
export type MessageEvent = Extract<StoredEvent["event"], { event: "message" }>

const outcomes: Record<Sent["status"], readonly [kind: string, word: string]> = {
  pending: ["warn", "Not confirmed"],
  sent: ["good", "Sent"],
  delivered: ["good", "Delivered"],
  read: ["good", "Read"],
  played: ["good", "Played"],
  failed: ["bad", "Failed"],
  received: ["good", "Received"],
}

/** A message that was sent. `call`: where its call is listed, if it is. */
export function sentItem(sent: Sent, call: string | undefined): Html {
  const [kind, word] = outcomes[sent.status]
  const counts = sent.counts
  return html`<li class="line" id="${sent.message_id}">
    <span class="state ${kind}">${word}</span>
    <div class="about whole">
      <p>
        to <b><bdi>${phoneOrJid(sent.chat_id)}</bdi></b
        >: <bdi>${wordsOf(sent)}</bdi>
      </p>
      ${sent.reason === undefined ? "" : html`<p>${sentenceForPeople(sent.reason)}</p>`}
      ${
        sent.status === "pending"
          ? html`<p class="small muted">
              It may have left; the network has not said that it has it. The same call with the same
              <code>Idempotency-Key</code> finds out.
            </p>`
          : ""
      }
      ${
        counts
          ? html`<p class="small muted">
              Delivered to ${counts.delivered} of ${counts.recipients}, read by ${counts.read}.
            </p>`
          : ""
      }
      <div class="small muted row">
        <span class="row">message ${copyable(sent.message_id)}</span>
        ${sent.request_id === undefined ? "" : html`<span class="row">by ${call === undefined ? "the request" : html`<a href="${call}">this request</a>`} ${copyable(sent.request_id)}</span>`}
      </div>
    </div>
    <span class="small muted">${ago(sent.asked_at * 1000)}</span>
  </li>`
}

const states: Record<StoredEvent["state"], readonly [kind: string, word: string]> = {
  pending: ["warn", "Webhook: waiting"],
  delivered: ["good", "Webhook: delivered"],
  undelivered: ["bad", "Webhook: undelivered"],
  inbox: ["", "No webhook"],
}

/** A message that came, or was written on the phone. */
export function cameItem(
  ref: string,
  { event_id, state, created_at }: StoredEvent,
  event: MessageEvent,
): Html {
  const [kind, word] = states[state]
  const who = event.from_me ? phoneOrJid(event.chat_id) : event.name || phoneOrJid(event.contact_id)
  return html`<li class="line" id="${event_id}" data-into="messages">
    <span class="state ${kind}">${word}</span>
    <div class="about whole">
      <p>
        ${event.from_me ? "from the phone to" : "from"} <b><bdi>${who}</bdi></b
        >${event.is_group && !event.from_me ? html` in <bdi>${event.chat_id}</bdi>` : ""}:
        <bdi>${wordsOf(event)}</bdi>
      </p>
      <p class="small">
        <a href="/numbers/${ref}/events/${event_id}"
          >Delivery details<span class="hidden"> ${event_id}</span></a
        >
      </p>
    </div>
    <span class="small muted">${ago(created_at * 1000)}</span>
  </li>`
}
