import { createHmac } from "node:crypto"
import { type Event, EventType } from "#contract/event.ts"
import { nameOfRef } from "#core/bridge/ref-of-name.ts"
import { isGroup } from "#core/message/jid.ts"
import type { EventFormat } from "../format.ts"
import { chatIdOf, filesAt, messageIdOf, pnOf } from "./ids.ts"
import { ackOf, type Around, sidesOf, toMessage } from "./messages.ts"

/** What WAHA would say of its server. Programs look at the version and at the engine. */
export const environment = {
  version: "2026.9.2",
  engine: "NOWEB",
  tier: "PLUS",
  browser: "",
  platform: "linux/x64",
  worker: { id: "" },
}

/** How WAHA posts events. */
export const wahaFormat: EventFormat = {
  translate: ({ event, eventId, createdAt, instance, options, serverUrl, me }) => {
    const session = nameOfRef(instance)
    const own = pnOf(me?.phone ?? "")
    const files = filesAt(`${serverUrl.replace(/\/$/, "")}/waha`, session)
    const timestamp = createdAt * 1000
    const told = tell(event, { me: own ?? "", files, session, atMs: timestamp }, options.events ?? ["*"])
    if (!told) return undefined
    const account = me && own !== null && { id: own, lid: me.lid || null, jid: me.jid, pushName: me.name }
    const about = { session, metadata: {}, me: account || null, engine: environment.engine, environment }
    return { body: { id: eventId, timestamp, event: told.event, ...about, payload: told.payload } }
  },
  headers: (body, { hmac_key: key }): Record<string, string> => {
    if (key === undefined) return {}
    const hmac = createHmac("sha512", key).update(body).digest("hex")
    return { "x-webhook-hmac": hmac, "x-webhook-hmac-algorithm": "sha512" }
  },
}

/** An event as a webhook of WAHA's gets it, without what surrounds it. */
interface Told {
  event: string
  payload: object
}

type Of<Type extends Event["event"]> = Extract<Event, { event: Type }>

/** @param asks whether the webhook has asked for an event of this name */
type Tell<Type extends Event["event"]> = (
  event: Of<Type>,
  around: Surroundings,
  asks: (name: string) => boolean,
) => Told | undefined

interface Surroundings extends Around {
  session: string
  /** When it happened, Unix ms. */
  atMs: number
}

/** How each event of ours is told. Those that WAHA has no name for are not sent. */
const table: { [Type in Event["event"]]?: Tell<Type> } = {
  message: tellMessage,
  message_lost: (event, around) => ({
    event: "message.waiting",
    payload: toMessage({ ...event, body: "", type: "unknown", media_type: "" }, around),
  }),
  message_status: (event, around) => ({
    event: isGroup(event.chat_id) ? "message.ack.group" : "message.ack",
    payload: {
      ...sidesOf({ ...event, contact_id: "", from_me: true }, around),
      ...ackOf(event.status),
      _data: event,
    },
  }),
  connected: (_, around) => tellStatus("WORKING", around),
  disconnected: ({ reason }, around) => {
    if (reason === undefined) return tellStatus("STARTING", around)
    return tellStatus(reason === "logged_out" ? "SCAN_QR_CODE" : "FAILED", around)
  },
  typing: ({ chat_id, contact_id, state, mode }) => {
    const composing = mode === "voice" ? "recording" : "typing"
    return tellPresence(chat_id, contact_id, state === "paused" ? "paused" : composing)
  },
  presence: ({ contact_id, unavailable, last_seen }) =>
    tellPresence(contact_id, contact_id, unavailable ? "offline" : "online", last_seen),
  poll_vote: (event, around) => {
    const about = { timestamp: event.timestamp * 1000, selectedOptions: event.selected_options }
    const vote = { ...sidesOf(event, around), ...about }
    return { event: "poll.vote", payload: { vote, poll: ownOf(event, event.poll_id) } }
  },
  event_response: (event, around) => ({
    event: "event.response",
    payload: {
      ...sidesOf(event, around),
      source: "app",
      eventCreationKey: ownOf(event, event.event_id),
      eventResponse: {
        response: event.response.toUpperCase(),
        timestampMs: event.response_time_ms,
        extraGuestCount: event.extra_guest_count,
      },
    },
  }),
  call_incoming: (event) => tellCall("call.received", event, event.video === true),
  call_terminated: (event) =>
    tellCall(event.reason === "accept_elsewhere" ? "call.accepted" : "call.rejected", event, false),
  group: tellGroup,
}

/** WAHA's names of events, by the types of ours that stand behind them. */
const names: Partial<Record<EventType, string>> = {
  message: "message message.any message.reaction message.revoked message.edited",
  message_lost: "message.waiting",
  message_status: "message.ack message.ack.group",
  connected: "session.status",
  disconnected: "session.status",
  typing: "presence.update",
  presence: "presence.update",
  poll_vote: "poll.vote",
  event_response: "event.response",
  call_incoming: "call.received",
  call_terminated: "call.accepted call.rejected",
  group:
    "group.v2.join group.v2.leave group.v2.update group.v2.participants group.v2.participants.join-request",
}

/** The types of our events that these names stand for; `*` is all that have one. */
export function typesOf(asked: string[]): EventType[] {
  const stands = (type: EventType) => names[type]?.split(" ").some((name) => asked.includes(name)) ?? false
  return EventType.options.filter((type) => (asked.includes("*") ? type in names : stands(type)))
}

/** An event of ours as WAHA tells it; undefined where WAHA has no name for it, or nobody has asked for it. */
function tell(event: Event, around: Surroundings, asked: string[]): Told | undefined {
  const asks = (name: string) => asked.includes(name) || asked.includes("*")
  // The table has for each type what takes it.
  const told = (table[event.event] as Tell<Event["event"]> | undefined)?.(event, around, asks)
  return told && asks(told.event) ? told : undefined
}

/**
 * WAHA tells a message twice to who asks for `message` and `message.any`. Here it comes once: what others
 * write as `message`, if that is asked for.
 */
function tellMessage(event: Of<"message">, around: Surroundings, asks: (name: string) => boolean) {
  const { edit, reaction, target_id, from_me } = event
  if (edit === "pin") return undefined
  const payload = toMessage(event, around)
  if (edit === "revoke") {
    const before = { revokedMessageId: target_id, before: null }
    return { event: "message.revoked", payload: { ...before, after: payload, _data: event } }
  }
  if (edit === "edit") return { event: "message.edited", payload: { ...payload, editedMessageId: target_id } }
  if (reaction) {
    const isOwn = chatIdOf(reaction.contact_id) === around.me
    const about = { text: reaction.emoji, messageId: messageIdOf({ ...reaction, from_me: isOwn }) }
    const sides = sidesOf(event, around)
    return { event: "message.reaction", payload: { ...sides, source: "app", reaction: about } }
  }
  const isAny = from_me || !asks("message")
  return { event: isAny ? "message.any" : "message", payload }
}

function tellStatus(status: string, { session, atMs }: Surroundings): Told {
  const statuses = [{ status, timestamp: atMs }]
  return { event: "session.status", payload: { name: session, status, data: null, statuses } }
}

function tellPresence(chat: string, person: string, lastKnownPresence: string, lastSeen?: number): Told {
  const presence = { participant: chatIdOf(person), lastSeen: lastSeen ?? null, lastKnownPresence }
  return { event: "presence.update", payload: { id: chatIdOf(chat), presences: [presence] } }
}

/** A poll or an event message that somebody answers: as good as always one of the session's own. */
function ownOf({ chat_id }: { chat_id: string }, message_id: string) {
  const id = messageIdOf({ message_id, chat_id, from_me: true })
  return { id, to: chatIdOf(chat_id), from: chatIdOf(chat_id), fromMe: true, participant: null }
}

function tellCall(name: string, call: Of<"call_incoming"> | Of<"call_terminated">, isVideo: boolean): Told {
  const { call_id, contact_id, timestamp, chat_id } = call
  const about = { id: call_id, from: chatIdOf(contact_id), timestamp, isVideo }
  return { event: name, payload: { ...about, isGroup: isGroup(chat_id), _data: call } }
}

/** What happens to members of a group, and their `role` afterwards. */
const ofMembers = new Map<string, [type: string, role: string]>([
  ["added", ["join", "participant"]],
  ["joined", ["join", "participant"]],
  ["left", ["leave", "left"]],
  ["removed", ["leave", "left"]],
  ["promoted", ["promote", "admin"]],
  ["demoted", ["demote", "participant"]],
])

function tellGroup(event: Of<"group">): Told {
  const { kind, timestamp, chat_id: id } = event
  const about = { timestamp, _data: event }
  const people = (event.participants ?? [event.contact_id]).map(chatIdOf)
  const [type, role] = ofMembers.get(kind) ?? []
  // The name of the group is told where the account itself has come into it.
  if (kind === "created" || (type === "join" && event.subject !== undefined))
    return { event: "group.v2.join", payload: { ...about, group: cardOf(event, people) } }
  if (kind === "deleted" || (kind === "left" && event.from_me))
    return { event: "group.v2.leave", payload: { ...about, group: { id } } }
  if (type !== undefined) {
    const participants = people.map((person) => ({ id: person, pn: null, role }))
    return { event: "group.v2.participants", payload: { ...about, type, group: { id }, participants } }
  }
  if (kind === "request" || kind === "request_over") {
    const action = kind === "request" ? "created" : "revoked"
    const request = { action, requesterId: people[0], requesterPn: null, requestMethod: null }
    return { event: "group.v2.participants.join-request", payload: { ...about, ...request, group: { id } } }
  }
  return { event: "group.v2.update", payload: { ...about, group: changeOf(event) } }
}

/** What was changed of a group, in the words of its card. */
function changeOf({ chat_id: id, subject, description, link, settings = {} }: Of<"group">) {
  return {
    id,
    ...(subject !== undefined && { subject }),
    ...(description !== undefined && { description }),
    ...(link !== undefined && { invite: link }),
    ...(settings.add_members && { membersCanAddNewMember: settings.add_members === "all" }),
    ...(settings.write && { membersCanSendMessages: settings.write === "all" }),
    ...(settings.approval !== undefined && { newMembersApprovalRequired: settings.approval }),
  }
}

/** A group that the account has come into. What its event does not say is as in a new group. */
function cardOf(event: Of<"group">, people: string[]) {
  return {
    subject: "",
    description: "",
    invite: null,
    membersCanAddNewMember: true,
    membersCanSendMessages: true,
    newMembersApprovalRequired: false,
    ...changeOf(event),
    participants: people.map((id) => ({ id, pn: null, role: "participant" })),
  }
}
