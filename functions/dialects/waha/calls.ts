import { STATUS_CODES } from "node:http"
import type { z } from "zod"
import type { Channel } from "#contract/channel.ts"
import { nowMs } from "#core/platform/clock.ts"
import { at, pathOfPicture } from "../bridge.ts"
import { type Dialect, NotHere, type Rows as RowsOf, toCalls, toMissing } from "../dialect.ts"
import { chats, chatting, placeOf } from "./chats.ts"
import { environment } from "./events.ts"
import { Given } from "./given.ts"
import { chatOf } from "./ids.ts"
import { type Its, its, type Rows } from "./its.ts"
import { labels } from "./labels.ts"
import { contacts, groups } from "./people.ts"
import { sessions } from "./sessions.ts"

const presences = { typing: "composing", recording: "recording", paused: "paused" } as const

async function post(its: Its, content: object) {
  if (its.given.contacts && its.given.contacts.length > 0)
    throw new NotHere("who sees a status is the account's own choice: leave out `contacts`")
  return await its.send("status", content)
}

type OurChannel = z.infer<typeof Channel>

/** A channel, by its id or the code of its link. */
async function channelOf({ proxy, params: { id = "" } }: Its) {
  const path = id.includes("@") ? at`channels/${id}` : `channels/invite?link=${encodeURIComponent(id)}`
  return await proxy.ask<OurChannel>("GET", path)
}

const channelRoles = { owner: "OWNER", admin: "ADMIN", follower: "SUBSCRIBER", none: "GUEST" }

function toChannel({ jid: id, name, description, link: invite, role, followers, verified }: OurChannel) {
  const pictures = { preview: null, picture: null }
  return {
    id,
    name,
    description,
    invite,
    ...pictures,
    verified,
    role: channelRoles[role],
    subscribersCount: followers,
  }
}

const startedAt = nowMs()

/** What is not about chats, people and sessions. */
const others: Rows = {
  "GET /health": () => ({ status: "ok", info: {}, error: {}, details: {} }),
  "GET /api/server/version": () => environment,
  "GET /api/version": () => environment,
  "GET /api/server/environment": () => ({}),
  "GET /api/server/status": () => ({
    startTimestamp: startedAt,
    uptime: nowMs() - startedAt,
    worker: environment.worker,
  }),
  "POST /api/:session/presence": ({ done, chat, given: { presence = "online" } }) =>
    presence === "online" || presence === "offline"
      ? done("POST", "presence", { state: presence === "online" ? "available" : "unavailable" })
      : done("POST", "send/typing", { chat, state: presences[presence] }),
  "POST /api/:session/presence/:chatId/subscribe": ({ done, chat }) =>
    done("POST", "presence/subscribe", { chat }),
  "GET /api/:session/channels": async ({ proxy, query }) =>
    (await proxy.ask<OurChannel[]>("GET", "channels"))
      .map(toChannel)
      .filter(({ role }) => query.role === undefined || role === query.role),
  "GET /api/:session/channels/:id": async (its) => toChannel(await channelOf(its)),
  "POST /api/:session/channels/:id/follow": async (its) =>
    await its.done("POST", at`channels/${(await channelOf(its)).jid}/follow`),
  "POST /api/:session/channels/:id/unfollow": async (its) =>
    await its.done("DELETE", at`channels/${(await channelOf(its)).jid}/follow`),
  "POST /api/:session/calls/reject": ({ done, given: { id = "", from = "" } }) =>
    done("POST", at`calls/${id}/reject`, { contact_id: chatOf(from) }),
  "POST /api/:session/status/text": (its) =>
    post(its, { body: its.given.text, background: its.given.backgroundColor }),
  "POST /api/:session/status/image": async (its) =>
    await post(its, { ...(await placeOf(its)), body: its.given.caption }),
  "POST /api/:session/status/video": async (its) =>
    await post(its, { ...(await placeOf(its)), body: its.given.caption }),
  "POST /api/:session/status/voice": async (its) =>
    await post(its, { ...(await placeOf(its)), background: its.given.backgroundColor }),
  "POST /api/:session/status/delete": ({ done, message }) => done("DELETE", at`messages/${message.id}`),
  "GET /api/files/:session/picture/:chatId": ({ proxy, chat }) =>
    proxy.answer("GET", pathOfPicture(chatOf(chat.replace(/\.jpg$/, "")))),
  "GET /api/files/:session/:messageId/:filename": ({ proxy, message: { id, chat } }) =>
    proxy.answer("GET", at`messages/${id}/media`, { query: { chat } }),
}

const noButtons = "phones do not show them reliably"
const ownIds = "this service chooses the ids of messages: use an Idempotency-Key"

/** What this service has not, and why. */
const absent = {
  "POST /api/server/stop": "the operator of this service stops it, and no call does",
  "PUT /api/star": "this service stars no messages: a star shows on the own phone alone",
  "POST /api/sendPollVote": "this service does not vote in polls",
  "POST /api/sendButtons": `this service sends no buttons: ${noButtons}`,
  "POST /api/sendList": `this service sends no lists: ${noButtons}`,
  "POST /api/send/buttons/reply": "this service does not tap the buttons of businesses",
  "GET /api/:session/lids": "this service lists no LIDs: ask for one of them",
  "GET /api/:session/lids/count": "this service counts no LIDs: ask for one of them",
  "DELETE /api/:session/groups/:id": "this service deletes no group: leave it",
  "GET /api/:session/presence": "this service keeps no presences: the webhook tells them",
  "GET /api/:session/presence/:chatId": "this service keeps no presences: subscribe to one",
  "* /api/:session/groups/:id/settings/security/member-share-history-mode":
    "no group's history is shared here",
  "GET /api/:session/auth/passkey/confirmation": "this service compares no codes: the passkey is enough",
  "POST /api/:session/auth/passkey/confirm": "this service compares no codes: the passkey is enough",
  "* /api/server/debug/*": "this service shows nothing of its inside here",
  "* /api/screenshot": "this service works without a browser, so there is nothing to see",
  "POST /api/:session/channels": "this service makes no channels: the phone does",
  "DELETE /api/:session/channels/:id": "this service deletes no channels: the phone does",
  "POST /api/:session/channels/:id/mute": "this service mutes no channels: the phone does",
  "POST /api/:session/channels/:id/unmute": "this service mutes no channels: the phone does",
  "* /api/:session/channels/search/*": "this service does not search for channels",
  "* /api/apps/*": "this service has no apps: its webhooks bring events to other programs",
  "* /api/keys/*": "this service makes keys in its dashboard and by its own API, POST /api/keys",
  "* /api/:session/media/convert/*": "this service converts what it sends: `convert` of sendVoice",
  "* /api/:session/new-message-id": ownIds,
  "* /api/:session/status/new-message-id": ownIds,
}

const open: RowsOf<object> = { "GET /ping": () => ({ message: "pong" }) }

const rows: Rows = { ...others, ...sessions, ...chatting, ...chats, ...contacts, ...labels, ...groups }
const made = Object.fromEntries(Object.entries(rows).filter(([row]) => row.startsWith("POST ")))

/** WAHA's language, of its release 2026.9. */
export const waha: Dialect = {
  name: "waha",
  keyHeader: "x-api-key",
  names: {
    chat: "chatId",
    chats: "chatId",
    contacts: "contactId",
    groups: "id",
    calls: "id",
    messages: "messageId",
    message_id: "messageId",
    quoted_message_id: "reply_to",
    body: "text",
    customer_ref: "name",
    phones: "phone",
    members: "participants",
    question: "poll.name",
    options: "poll.options",
    lat: "latitude",
    lng: "longitude",
    emoji: "reaction",
    link: "code",
  },
  sentences: {
    unauthorized: "no valid API key: send it as X-Api-Key",
    not_found: "Session not found: GET /api/sessions lists yours",
    recipient_not_found: "nobody on the network has this address: check `chatId`",
  },
  calls: [
    ...toCalls(open, (asked) => asked, { isOpen: true }),
    ...toMissing(absent),
    ...toCalls(made, its, { body: Given, status: 201 }),
    ...toCalls(rows, its, { body: Given }),
  ],
  // WAHA says so of a session that is not as a call needs it, and of one without a store.
  statusOf: ({ status, code }) => (code === "not_kept" ? 400 : status === 409 ? 422 : status),
  refusal: ({ status, sentence, issues }) => ({
    statusCode: status,
    message: issues.length > 0 ? issues.map(({ path, message }) => `${path}: ${message}`) : sentence,
    error: STATUS_CODES[status],
  }),
}
