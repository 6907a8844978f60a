import { createHmac } from "node:crypto"
import { expect, test } from "vitest"
import type { Event } from "#contract/event.ts"
import { eventExamples } from "#contract/examples.ts"
import { wahaFormat } from "#functions/dialects/waha/events.ts"

// Our events as webhooks of WAHA's get them.

const me = { jid: "491719876543@s.whatsapp.net", lid: "123@lid", phone: "491719876543", name: "The Shop" }
const ada = "491711234567@c.us"
const group = "120363041234567890@g.us"

/** What a webhook is posted that has asked for these events. */
function told(event: Event, events?: string[]) {
  const translated = wahaFormat.translate({
    event,
    eventId: "evt_1",
    createdAt: 1_795_166_800,
    bridgeId: "b",
    instance: "shop",
    options: { ...(events && { events }) },
    destination: "https://shop.example/hook",
    serverUrl: "https://bridge.example/",
    me,
    file: undefined,
  })
  return translated?.body as { event: string; payload: Record<string, unknown> } | undefined
}

const { message } = eventExamples

test("a message comes in WAHA's envelope, with WAHA's ids", () => {
  expect(told(message)).toEqual({
    id: "evt_1",
    timestamp: 1_795_166_800_000,
    event: "message",
    session: "shop",
    metadata: {},
    me: { id: "491719876543@c.us", lid: "123@lid", jid: me.jid, pushName: "The Shop" },
    engine: "NOWEB",
    environment: expect.objectContaining({ engine: "NOWEB", version: "2026.9.2" }) as unknown,
    payload: expect.objectContaining({
      id: `false_${ada}_3A0F5C7B9D1E2F4A6B8C`,
      from: ada,
      to: "491719876543@c.us",
      fromMe: false,
      participant: "",
      body: "Is the blue one still there?",
      hasMedia: false,
      media: null,
      replyTo: expect.objectContaining({ participant: "491719876543@c.us", body: "New in" }) as unknown,
    }) as unknown,
  })
})

test.each([
  [{}, undefined, "message"],
  [{}, ["message", "message.any"], "message"],
  [{}, ["message.any"], "message.any"],
  [{}, ["*"], "message"],
  [{}, ["session.status"], undefined],
  [{ from_me: true }, ["message"], undefined],
  [{ from_me: true }, ["message", "message.any"], "message.any"],
  [{ edit: "revoke", target_id: "3A" } as const, undefined, "message.revoked"],
  [{ edit: "revoke", target_id: "3A" } as const, ["message"], undefined],
  [{ edit: "edit", target_id: "3A" } as const, undefined, "message.edited"],
  [{ edit: "pin", target_id: "3A" } as const, undefined, undefined],
])("a message that is %j comes to who asks for %j as %s, and once", (changes, events, name) => {
  expect(told({ ...message, ...changes }, events)?.event).toBe(name)
})

test("a file is where a program with the key can load it, under its own name", () => {
  const file = { name: "", content_type: "audio/ogg; codecs=opus", size: 4000 }
  const voice = { ...message, type: "media", media_type: "voice", file } as const
  const url = "https://bridge.example/waha/api/files/shop/false_491711234567%40c.us_3A0F5C7B9D1E2F4A6B8C"
  expect(told(voice)?.payload).toMatchObject({
    hasMedia: true,
    media: { url: `${url}/3A0F5C7B9D1E2F4A6B8C.oga`, mimetype: file.content_type, filename: null },
  })
  const named = { ...voice, file: { ...file, name: "a b.pdf", content_type: "application/pdf" } }
  expect(told(named)?.payload.media).toMatchObject({ url: `${url}/a%20b.pdf`, filename: "a b.pdf" })
})

test("in a group the writer is the participant; a reaction names the message that it is about", () => {
  const written = { ...message, chat_id: group, is_group: true }
  const id = `false_${group}_3A0F5C7B9D1E2F4A6B8C_${ada}`
  expect(told(written)?.payload).toMatchObject({ id, from: group, participant: ada, author: ada })
  const about = { message_id: "3EB0", chat_id: group, contact_id: me.jid, emoji: "👍" }
  const reaction = { ...written, type: "reaction", reaction: about, target_id: "3EB0" } as const
  expect(told(reaction)).toMatchObject({
    event: "message.reaction",
    payload: { id, reaction: { text: "👍", messageId: `true_${group}_3EB0` } },
  })
})

const { poll_vote, message_status, disconnected, group: changed, call_terminated } = eventExamples

test.each<[string, Event, string | undefined, object?]>([
  ["a connection", eventExamples.connected, "session.status", { name: "shop", status: "WORKING" }],
  ["the phone's logout", disconnected, "session.status", { status: "SCAN_QR_CODE" }],
  [
    "a replaced session",
    { ...disconnected, reason: "stream_replaced" },
    "session.status",
    { status: "FAILED" },
  ],
  ["a lost connection", { event: "disconnected" }, "session.status", { status: "STARTING" }],
  [
    "a status",
    message_status,
    "message.ack",
    { id: expect.stringMatching(/^true_/), ack: 3, ackName: "READ" },
  ],
  ["one in a group", { ...message_status, chat_id: group }, "message.ack.group", { ack: 3 }],
  ["a vote", poll_vote, "poll.vote", { vote: { selectedOptions: ["Tuesday"] }, poll: { fromMe: true } }],
  [
    "an answer to an event",
    eventExamples.event_response,
    "event.response",
    { eventResponse: { response: "GOING" } },
  ],
  ["typing", eventExamples.typing, "presence.update", { presences: [{ lastKnownPresence: "typing" }] }],
  [
    "a presence",
    eventExamples.presence,
    "presence.update",
    { presences: [{ lastKnownPresence: "offline" }] },
  ],
  ["a call", eventExamples.call_incoming, "call.received", { from: ada, isVideo: false, isGroup: false }],
  ["a call that is over", call_terminated, "call.rejected"],
  ["one that the phone took", { ...call_terminated, reason: "accept_elsewhere" }, "call.accepted"],
  [
    "somebody new",
    changed,
    "group.v2.participants",
    { type: "join", participants: [{ role: "participant" }] },
  ],
  [
    "the account's own coming",
    { ...changed, subject: "Regulars" },
    "group.v2.join",
    { group: { subject: "Regulars" } },
  ],
  ["its going", { ...changed, kind: "left", from_me: true }, "group.v2.leave", { group: { id: group } }],
  [
    "a new name",
    { ...changed, kind: "subject", subject: "Us" },
    "group.v2.update",
    { group: { subject: "Us" } },
  ],
  ["a request", { ...changed, kind: "request" }, "group.v2.participants.join-request", { action: "created" }],
  ["a lost message", eventExamples.message_lost, "message.waiting", { body: "" }],
  ["a change of the own picture", eventExamples.profile_picture_updated, undefined],
  ["the end of catching up", eventExamples.offline_sync_completed, undefined],
  ["a test", eventExamples.test, undefined],
])("%s comes as WAHA tells it", (_, event, name, payload = {}) => {
  const body = told(event)
  expect(body?.event).toBe(name)
  expect(body?.payload ?? {}).toMatchObject(payload)
})

test("X-Webhook-Hmac is the body's SHA-512 under the webhook's own key, if it has one", () => {
  const body = Buffer.from('{"event":"message"}')
  expect(wahaFormat.headers!(body, { hmac_key: "a key" })).toEqual({
    "x-webhook-hmac": createHmac("sha512", "a key").update(body).digest("hex"),
    "x-webhook-hmac-algorithm": "sha512",
  })
  expect(wahaFormat.headers!(body, {})).toEqual({})
})
