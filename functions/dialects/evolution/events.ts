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

type Of<Type extends Event["event"]> = Extract<Event, { event: Type }>

/** How each event of ours is told. Those that Evolution has no name for are not sent. */
const table: { [Type in Event["event"]]?: (event: Of<Type>, told: Told) => Said | undefined } = {
  message: ofMessage,
  message_status: ({ message_id: keyId, chat_id: remoteJid, participants, status }, { instance }) => [
    "messages.update",
    {
      messageId: keyId,
      keyId,
      remoteJid,
      fromMe: true,
      participant: participants?.[0],
      status: statuses[status],
      instanceId: instance,
    },
  ],
  poll_vote: ({ poll_id: keyId, chat_id: remoteJid, contact_id: participant, selected_options }, told) => {
    const pollUpdates = selected_options.map((name) => ({ name, voters: [participant] }))
    const vote = { keyId, remoteJid, participant, status: "DELIVERY_ACK", pollUpdates }
    return ["messages.update", { ...vote, instanceId: told.instance }]
  },
  connected: ({ phone }, { instance, me }) => {
    const about = { wuid: `${phone}@s.whatsapp.net`, profileName: me?.name ?? "", profilePictureUrl: null }
    return ["connection.update", { instance, ...about, state: "open", statusReason: 200 }]
  },
  // Without a reason the session connects again by itself.
  disconnected: ({ reason }, { instance }) => {
    if (reason === undefined)
      return ["connection.update", { instance, state: "connecting", statusReason: 200 }]
    const statusReason = reason === "logged_out" ? 401 : 440
    return ["connection.update", { instance, state: "close", statusReason }]
  },
  typing: ({ chat_id, contact_id, state, mode }) => {
    const doing = mode === "voice" ? "recording" : "composing"
    return ofPresence(chat_id, contact_id, { lastKnownPresence: state === "paused" ? "paused" : doing })
  },
  presence: ({ contact_id, unavailable, last_seen: lastSeen }) =>
    ofPresence(contact_id, contact_id, {
      lastKnownPresence: unavailable ? "unavailable" : "available",
      lastSeen,
    }),
  call_incoming: (event) => ofCall(event, { status: "offer", isVideo: event.video === true }),
  call_terminated: (event) => ofCall(event, { status: callEnds[event.reason] }),
  group: ofGroup,
}

function saidOf(event: Event, told: Told): Said | undefined {
  // The table has for each type what takes it.
  return (table[event.event] as ((event: Event, told: Told) => Said | undefined) | undefined)?.(event, told)
}

function ofMessage(event: Of<"message">, { instance, file }: Told): Said {
  const key = keyOf({ ...event, message_id: event.target_id ?? event.message_id })
  if (event.edit === "revoke") return ["messages.delete", { ...key, status: "DELETED", instanceId: instance }]
  if (event.edit !== "edit") return ["messages.upsert", recordOf(event, instance, file?.base64)]
  const editedMessage = { conversation: event.body }
  const edit = { key, type: "MESSAGE_EDIT", editedMessage, timestampMs: String(event.timestamp * 1000) }
  return ["messages.edited", { ...edit, pushName: event.name, instanceId: instance }]
}

function ofPresence(id: string, person: string, presence: object): Said {
  return ["presence.update", { id, presences: { [person]: presence } }]
}

const callEnds = {
  timeout: "timeout",
  hangup: "terminate",
  decline: "reject",
  busy: "reject",
  accept_elsewhere: "accept",
} as const

function ofCall(event: Of<"call_incoming"> | Of<"call_terminated">, more: object): Said {
  const { call_id: id, contact_id: from, chat_id: chatId, timestamp } = event
  return ["call", { id, from, chatId, date: iso(timestamp * 1000), isGroup: false, offline: false, ...more }]
}

const memberActions = new Map([
  ["added", "add"],
  ["joined", "add"],
  ["left", "remove"],
  ["removed", "remove"],
  ["promoted", "promote"],
  ["demoted", "demote"],
])

/** What of a group's changes Evolution has no name for. */
const untold = new Set(["request", "request_over", "deleted"])

function ofGroup(event: Of<"group">, { instance: instanceId }: Told): Said | undefined {
  const { kind, chat_id: id, contact_id: author, timestamp: creation, participants = [] } = event
  const action = memberActions.get(kind)
  if (kind === "created") {
    const about = { id, subject: event.subject ?? "", owner: author, creation, instanceId }
    return [
      "groups.upsert",
      [{ ...about, participants: participants.map((jid) => ({ id: jid, admin: null })) }],
    ]
  }
  if (action) {
    const participantsData = participants.map((jid) => ({ jid, phoneNumber: jid.split("@")[0] }))
    return ["group-participants.update", { id, author, participants, participantsData, action }]
  }
  return untold.has(kind) ? undefined : ["groups.update", [{ id, author, ...changeOf(event) }]]
}

/** What was changed of a group. */
function changeOf({ subject, description: desc, link, settings = {} }: Of<"group">) {
  return {
    subject,
    desc,
    announce: settings.write && settings.write === "admins",
    restrict: settings.edit && settings.edit === "admins",
    ephemeralDuration: settings.disappearing,
    inviteCode: link?.split("/").at(-1),
  }
}
