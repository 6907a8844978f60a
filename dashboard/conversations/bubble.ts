import { html } from "hono/html"
import { toQuery } from "../answer.ts"
import { type Html, icon } from "../elements.ts"
import { emojiIn, kindOf, plainText, wordsOf } from "../events/message-words.ts"
import { moment } from "../times.ts"
import { sentWords } from "../where/steps.ts"
import { numberOf } from "./chat-name.ts"
import type { Said, Shown, Vote } from "./said.ts"

/** What a bubble needs to know of its chat. */
export interface Chat {
  /** The path of the chat's page, and the number's reference. */
  at: string
  ref: string
  isGroup: boolean
  /** Whether the reader may answer and react. */
  mayAnswer: boolean
  nameOf: (jid: string, said?: string) => string
}

/** How far an own message has come; `""` for others'. */
export function step({ from_me, status, counts }: Said): Html | string {
  if (!from_me || !status) return ""
  const [, word] = sentWords[status]
  const read = counts && status !== "failed" ? `, read by ${counts.read} of ${counts.recipients}` : ""
  return html`<b class="step ${status === "failed" ? "bad" : status}">${word}${read}</b>`
}

const reactions = ["👍", "❤️", "😂", "🙏", "😮", "😢"]

/** A message in its chat. */
export function bubble(said: Shown, chat: Chat, votes: Vote[] = []): Html {
  const { message_id: id, from_me, edit } = said
  const isGone = edit === "revoke"
  const mayAct = chat.mayAnswer && !isGone && !said.reaction
  return html`<li
    id="m-${id}"
    class="${from_me ? "own" : "theirs"}"
    data-into="messages"
    data-place="end"
    ${isGone ? "" : byOf(said)}
    ${from_me ? "" : html`data-from="${id}"`}
  >
    <article class="bubble" aria-label="${from_me ? "This number" : chat.nameOf(said.contact_id, said.name)}">
      ${!from_me && chat.isGroup ? writer(said, chat) : ""}
      ${said.forwarded ? html`<p class="small muted">Forwarded</p>` : ""}
      ${said.quoted && !isGone ? quote(said, chat) : ""} ${content(said, chat, votes)}
      <footer>${foot(said)} ${mayAct ? acts(said, chat) : ""}</footer>
      <ul class="reactions" id="reactions-${id}">
        ${said.reactions.map((one) => reaction(one, chat))}
      </ul>
    </article>
  </li>`
}

/** People choose the ids of their messages: a live piece takes only the place of one by the same writer. */
function byOf({ from_me, contact_id }: Pick<Said, "from_me" | "contact_id">): Html {
  return html`data-by="${from_me ? "" : contact_id}"`
}

/** Names are chosen by their owners, and may look like another's: the number says who it is. */
function writer({ contact_id, name }: Said, { nameOf }: Chat): Html {
  const known = nameOf(contact_id, name)
  const number = numberOf(contact_id)
  return html`<p class="writer">
    <b><bdi>${known}</bdi></b> ${known === number ? "" : html`<span class="small muted">${number}</span>`}
  </p>`
}

function quote({ quoted }: Said, { nameOf }: Chat): Html {
  if (!quoted) return html``
  const words = plainText(quoted.body) || "A message without words"
  return html`<blockquote>
    <b><bdi>${nameOf(quoted.contact_id)}</bdi></b>
    <p dir="auto">${words.slice(0, 200)}</p>
  </blockquote>`
}

/** What a message has: its file, place, poll or cards, and its text. */
function content(said: Shown, chat: Chat, votes: Vote[]): Html {
  if (said.edit === "revoke")
    return html`<p class="muted">
      ${said.from_me ? "You took this message back" : "This message was taken back"}
    </p>`
  if (said.reaction || said.edit === "pin" || said.type === "unknown")
    return html`<p class="muted" dir="auto">${wordsOf(said)}</p>`
  return html`${file(said, chat)} ${place(said)} ${poll(said, chat, votes)} ${cards(said)} ${other(said)}
  ${text(said)}`
}

/** The text, which an edit renews by itself. */
export function text(
  said: Pick<
    Shown,
    | "message_id"
    | "body"
    | "isEdited"
    | "type"
    | "contacts"
    | "location"
    | "event_details"
    | "from_me"
    | "contact_id"
  >,
): Html {
  // The body of cards is their names, that of a poll its question, and so on: they stand above.
  const { type, contacts = [], location, event_details } = said
  const isAbove = type === "poll" || contacts.length > 0 || said.body === (location ?? event_details)?.name
  return html`<div id="text-${said.message_id}" ${byOf(said)}>
    ${said.body === "" || isAbove ? "" : html`<p class="words" dir="auto">${plainText(said.body)}</p>`}
    ${said.isEdited ? html`<p class="small muted">Edited</p>` : ""}
  </div>`
}

function file({ message_id, media_type, type, file: about, view_once }: Said, { at }: Chat): Html | string {
  if (media_type === "")
    return type === "media" || view_once ? html`<p class="muted">To be seen once, on the phone</p>` : ""
  const href = `${at}/files/${encodeURIComponent(message_id)}`
  const name = plainText(about?.name ?? "") || "Save the file"
  const missing = html`<a class="missing" href="${href}?save" download
    >${icon("warning")} This cannot be shown here. Save it</a
  >`
  switch (media_type) {
    case "image":
    case "sticker":
      return html`<a class="picture ${media_type}" href="${href}" target="_blank"
          ><img
            src="${href}"
            loading="lazy"
            alt="${media_type === "image" ? "Picture" : "Sticker"}"
            ${sizeOf(about)}
        /></a>
        ${missing}`
    case "video":
      return html`<video controls preload="none" src="${href}" aria-label="Video" ${sizeOf(about)}></video>
        ${missing}`
    case "audio":
    case "voice":
      return html`<audio
          controls
          preload="none"
          src="${href}"
          aria-label="${media_type === "voice" ? "Voice message" : "Audio"}"
        ></audio>
        ${missing}`
    case "document":
      return html`<a class="document" href="${href}?save" download
        >${icon("file")} <span><bdi>${name}</bdi> <small class="muted">${sizeWords(about)}</small></span></a
      >`
  }
}

function sizeOf(about: Said["file"]): Html | string {
  const { width = 0, height = 0 } = about ?? {}
  return width > 0 && height > 0 ? html`width="${width}" height="${height}"` : ""
}

function sizeWords(about: Said["file"]): string {
  const { size = 0, pages } = about ?? {}
  const kb = size > 1_000_000 ? `${(size / 1_000_000).toFixed(1)} MB` : `${Math.ceil(size / 1000)} kB`
  return [pages && (pages === 1 ? "1 page" : `${pages} pages`), size > 0 && kb].filter(Boolean).join(", ")
}

function place({ location }: Said): Html | string {
  if (!location) return ""
  const { lat, lng, name, address, live } = location
  const query = new URLSearchParams({ api: "1", query: `${lat},${lng}` }).toString()
  return html`<a
    class="document"
    href="https://www.google.com/maps/search/?${query}"
    target="_blank"
    rel="noopener noreferrer"
    >${icon("place")}
    <span
      >${live ? "Where they are now" : "A place"}${name ? html`: <bdi>${plainText(name)}</bdi>` : ""}
      <small class="muted">${plainText(address) || `${lat.toFixed(5)}, ${lng.toFixed(5)}`}</small></span
    ></a
  >`
}

function poll(
  { message_id, type, body, options = [], event_details }: Said,
  chat: Chat,
  votes: Vote[],
): Html | string {
  if (type !== "poll" && !event_details) return ""
  const about = event_details
  return html`<p class="words" dir="auto"><b>${plainText(about ? about.name : body)}</b></p>
    ${about ? html`<p class="small">${moment(about.start_time * 1000)} ${about.is_canceled ? "Cancelled" : ""}</p>` : ""}
    ${
      options.length === 0
        ? ""
        : html`<ul class="options">
            ${options.map((option) => html`<li><bdi>${plainText(option)}</bdi></li>`)}
          </ul>`
    }
    <ul class="votes small" id="votes-${message_id}">
      ${votes.toReversed().map((one) => vote(one, chat))}
    </ul>`
}

/** Somebody's vote, below its poll; a later one takes its place. */
export function vote({ about, id, who, words }: Vote, { nameOf }: Chat): Html {
  return html`<li id="vote-${id}" data-into="votes-${about}" data-place="end">
    <bdi>${nameOf(who.jid, who.name)}</bdi>: <bdi>${plainText(words)}</bdi>
  </li>`
}

function cards({ contacts = [] }: Said): Html[] {
  return contacts.map(
    ({ name, phones }) =>
      html`<p class="document">
        ${icon("people")}
        <span
          ><bdi>${plainText(name)}</bdi> <small class="muted">${phones.slice(0, 5).join(", ")}</small></span
        >
      </p>`,
  )
}

/** What this page has no form of its own for. */
function other(said: Said): Html | string {
  const { order, product, payment, invitation, interactive } = said
  if (order ?? product ?? payment ?? invitation) return html`<p class="small muted">${kindOf(said)}</p>`
  const buttons = interactive?.buttons ?? []
  return buttons.length === 0
    ? ""
    : html`<ul class="options">
        ${buttons.map((one) => html`<li><bdi>${plainText(one.text)}</bdi></li>`)}
      </ul>`
}

function foot(said: Said): Html {
  const { message_id, timestamp, reason } = said
  const how = step(said)
  return html`<span class="small muted" id="foot-${message_id}"
    >${moment(timestamp * 1000)} ${how === "" ? "" : html`· ${how}`}
    ${reason ? html`<span class="bad">${reason}</span>` : ""}</span
  >`
}

function acts({ message_id: id, ...said }: Shown, { at, ref }: Chat): Html {
  return html`<details class="acts">
    <summary aria-label="Answer or react to: ${wordsOf({ ...said, message_id: id }).slice(0, 60)}">⋯</summary>
    <div>
      <a class="button slim" href="${at}?quote=${encodeURIComponent(id)}#answer" data-quote="${id}"
        >Answer this</a
      >
      ${reactions.map((emoji) => html`<button class="button bare" form="react" name="react" value="${id} ${emoji}">${emoji}</button>`)}
      <button class="button bare small" form="react" name="react" value="${id} ">No reaction</button>
      <a class="button slim" href="/where?${toQuery({ q: id, number: ref })}">Where is it?</a>
    </div>
  </details>`
}

/** Somebody's reaction, at its message; a later one takes its place. */
export function reaction(
  { contact_id, from_me, name, target_id, reaction: reacted }: Said,
  { nameOf }: Chat,
): Html {
  const who = from_me ? "This number" : nameOf(contact_id, name)
  return html`<li
    id="r-${target_id}-${from_me ? "me" : contact_id}"
    data-into="reactions-${target_id}"
    data-place="end"
    ${reacted?.emoji ? "" : "hidden"}
    title="${who}"
  >
    <bdi>${reacted ? emojiIn(reacted) : ""}</bdi><span class="hidden"> by <bdi>${who}</bdi></span>
  </li>`
}
