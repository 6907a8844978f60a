import type { Event } from "#contract/event.ts"
import { iso } from "#core/platform/clock.ts"
import type { EventFormat, Told } from "../format.ts"
import { recordOf } from "./content.ts"
import { keyOf, statuses } from "./names.ts"

/** An event by the name and with the data that Evolution gives it. */
type Said = [event: string, data: unknown]

/** How Evolution API posts events. Its own key stands in none. */
export const evolutionFormat: EventFormat = {
  translate: (told) => {
    const said = saidOf(told.event, told)
    const name = said && variableOf(said[0])
    if (!name || !isWanted(name, told.options.events)) return undefined
    const [event, data] = said
    const path = `/${name.toLowerCase().replaceAll("_", "-")}`
    return {
      body: {
        event,
        instance: told.instance,
        data,
        destination: told.destination,
        date_time: iso(told.createdAt * 1000),
        sender: told.me?.jid ?? "",
        server_url: told.serverUrl,
        apikey: null,
      },
      ...(told.options.path_per_event && { path }),
    }
  },
}

/** As a list of events to send names it. */
function variableOf(event: string): string {
  return event.replaceAll(/[.-]/g, "_").toUpperCase()
}

/** Evolution's list has another name for changes of groups than the event. */
function isWanted(name: string, events: string[] | undefined): boolean {
  return events?.some((one) => one === name || (one === "GROUP_UPDATE" && name === "GROUPS_UPDATE")) ?? true
}

function saidOf(event: Event, told: Told): Said | undefined {
  const { instance, me, file } = told
  switch (event.event) {
    case "message":
      return ofMessage(event, instance, file?.base64)
    case "message_status":
      return [
        "messages.update",
        {
          messageId: event.message_id,
          keyId: event.message_id,
          remoteJid: event.chat_id,
          fromMe: true,
          ...(event.participants?.[0] && { participant: event.participants[0] }),
          status: statuses[event.status],
          instanceId: instance,
        },
      ]
    case "poll_vote":
      return ofVote(event, instance)
    case "connected":
      return [
        "connection.update",
        {
          instance,
          wuid: `${event.phone}@s.whatsapp.net`,
          profileName: me?.name ?? "",
          profilePictureUrl: null,
          state: "open",
          statusReason: 200,
        },
      ]
    case "disconnected":
      return ["connection.update", { instance, ...connectionOf(event.reason) }]
    case "typing": {
      const doing = event.mode === "voice" ? "recording" : "composing"
      const lastKnownPresence = event.state === "paused" ? "paused" : doing
      return [
        "presence.update",
        { id: event.chat_id, presences: { [event.contact_id]: { lastKnownPresence } } },
      ]
    }
    case "presence": {
      const lastKnownPresence = event.unavailable ? "unavailable" : "available"
      const seen = { lastKnownPresence, ...(event.last_seen && { lastSeen: event.last_seen }) }
      return ["presence.update", { id: event.contact_id, presences: { [event.contact_id]: seen } }]
    }
    case "call_incoming":
      return ["call", { ...callOf(event), status: "offer", isVideo: event.video === true }]
    case "call_terminated":
      return ["call", { ...callOf(event), status: callEnds[event.reason] }]
    case "group":
      return ofGroup(event, instance)
    case "message_lost":
    case "event_response":
    case "offline_sync_preview":
    case "offline_sync_completed":
    case "profile_picture_updated":
    case "test":
      return undefined
  }
}

type Of<Type extends Event["event"]> = Extract<Event, { event: Type }>

function ofMessage(event: Of<"message">, instance: string, base64: string | undefined): Said {
  const target = { ...event, message_id: event.target_id ?? event.message_id }
  if (event.edit === "revoke")
    return ["messages.delete", { ...keyOf(target), status: "DELETED", instanceId: instance }]
  if (event.edit === "edit")
    return [
      "messages.edited",
      {
        key: keyOf(target),
        type: "MESSAGE_EDIT",
        editedMessage: { conversation: event.body },
        timestampMs: String(event.timestamp * 1000),
        pushName: event.name,
        instanceId: instance,
      },
    ]
  return ["messages.upsert", recordOf(event, instance, base64)]
}

function ofVote(event: Of<"poll_vote">, instanceId: string): Said {
  const { poll_id: keyId, chat_id: remoteJid, contact_id: participant, selected_options } = event
  const pollUpdates = selected_options.map((name) => ({ name, voters: [participant] }))
  return [
    "messages.update",
    { keyId, remoteJid, participant, status: "DELIVERY_ACK", pollUpdates, instanceId },
  ]
}

/** Without a reason the session connects again by itself. */
function connectionOf(reason: Of<"disconnected">["reason"]) {
  if (reason === "logged_out") return { state: "close", statusReason: 401 }
  if (reason === "stream_replaced") return { state: "close", statusReason: 440 }
  return { state: "connecting", statusReason: 200 }
}

const callEnds = {
  timeout: "timeout",
  hangup: "terminate",
  decline: "reject",
  busy: "reject",
  accept_elsewhere: "accept",
} as const

function callOf({ call_id, contact_id, chat_id, timestamp }: Of<"call_incoming"> | Of<"call_terminated">) {
  return {
    id: call_id,
    from: contact_id,
    chatId: chat_id,
    date: iso(timestamp * 1000),
    isGroup: false,
    offline: false,
  }
}

const memberActions = {
  added: "add",
  joined: "add",
  left: "remove",
  removed: "remove",
  promoted: "promote",
  demoted: "demote",
} as const

function ofGroup(event: Of<"group">, instance: string): Said | undefined {
  const { chat_id: id, contact_id: author, participants = [], subject, settings } = event
  switch (event.kind) {
    case "created":
      return [
        "groups.upsert",
        [
          {
            id,
            subject: subject ?? "",
            owner: author,
            creation: event.timestamp,
            participants: participants.map((jid) => ({ id: jid, admin: null })),
            instanceId: instance,
          },
        ],
      ]
    case "added":
    case "joined":
    case "left":
    case "removed":
    case "promoted":
    case "demoted":
      return [
        "group-participants.update",
        {
          id,
          author,
          participants,
          participantsData: participants.map((jid) => ({ jid, phoneNumber: jid.split("@")[0] })),
          action: memberActions[event.kind],
        },
      ]
    case "subject":
    case "description":
    case "picture":
    case "settings":
    case "link":
      return [
        "groups.update",
        [
          {
            id,
            author,
            ...(subject !== undefined && { subject }),
            ...(event.description !== undefined && { desc: event.description }),
            ...(settings?.write && { announce: settings.write === "admins" }),
            ...(settings?.edit && { restrict: settings.edit === "admins" }),
            ...(settings?.disappearing !== undefined && { ephemeralDuration: settings.disappearing }),
            ...(event.link !== undefined && { inviteCode: event.link.split("/").at(-1) }),
          },
        ],
      ]
    case "request":
    case "request_over":
    case "deleted":
      return undefined
  }
}
