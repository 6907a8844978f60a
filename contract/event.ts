import { z } from "@hono/zod-openapi"
import { ofChat, ContactJid, Offline, Phone, SenderName, Username } from "./event-fields.ts"
import { boolean, groupSettings, integer, string, Timestamp } from "./field-types.ts"
import {
  ChannelPostEvent,
  EventResponseEvent,
  MediaStoredEvent,
  MessageEvent,
  MessageLostEvent,
  MessageStatusEvent,
  PollVoteEvent,
} from "./message-events.ts"

const ConnectedEvent = z.object({ event: z.literal("connected"), phone: Phone }).openapi("ConnectedEvent", {
  description:
    "The session is up: after a phone was linked, and after every `disconnected`. A restart that is over within ten seconds gives no event.",
})

const DisconnectedEvent = z
  .object({
    event: z.literal("disconnected"),
    reason: z.enum(["logged_out", "stream_replaced"]).optional(),
    detail: string(
      "A sentence for people. It says, too, if the network has locked or banned the account, or banned it for some time.",
    ).optional(),
  })
  .openapi("DisconnectedEvent", {
    description:
      "The session is down. With a `reason` it stays so until you act. Without one, the connection has been gone for ten seconds, and the session connects again by itself.",
  })

const TypingEvent = z
  .object({
    event: z.literal("typing"),
    contact_id: ContactJid,
    ...ofChat,
    state: z.enum(["composing", "paused"]),
    mode: z.enum(["text", "voice"]),
  })
  .openapi("TypingEvent", {
    description:
      "Somebody begins or stops to type or record: a contact that was subscribed with `presence/subscribe`, or anybody in a group.",
  })

const PresenceEvent = z
  .object({
    event: z.literal("presence"),
    contact_id: ContactJid,
    unavailable: z.boolean(),
    last_seen: Timestamp.optional().openapi({ description: "Unix seconds; absent where it is hidden." }),
  })
  .openapi("PresenceEvent", {
    description: "A contact that was subscribed with `presence/subscribe` came online or left.",
  })

const CallIncomingEvent = z
  .object({
    event: z.literal("call_incoming"),
    call_id: z.string(),
    contact_id: ContactJid,
    ...ofChat,
    name: SenderName,
    username: Username,
    platform: string("As the network gives it, else `unknown`."),
    video: z.literal(true).optional(),
    timestamp: Timestamp,
  })
  .openapi("CallIncomingEvent", {
    description: "Somebody calls. `calls/{id}/reject` declines the call; only the phone can answer it.",
  })

const CallEnd = z.enum(["timeout", "hangup", "decline", "busy", "accept_elsewhere"]).openapi({
  description: "`accept_elsewhere`: it was answered on the phone or another of its devices.",
})

const CallTerminatedEvent = z
  .object({
    event: z.literal("call_terminated"),
    call_id: z.string(),
    contact_id: ContactJid,
    ...ofChat,
    reason: CallEnd,
    timestamp: Timestamp,
  })
  .openapi("CallTerminatedEvent", {
    description: "A call is over, whoever ended it. One event for each call.",
  })

const OfflineSyncPreviewEvent = z
  .object({
    event: z.literal("offline_sync_preview"),
    total: z.int(),
    messages: z.int(),
    notifications: z.int(),
    receipts: z.int(),
    app_data_changes: z.int(),
  })
  .openapi("OfflineSyncPreviewEvent", {
    description:
      "Catching up begins: how much the network has kept while the session was offline. The kept messages follow.",
  })

const OfflineSyncCompletedEvent = z
  .object({
    event: z.literal("offline_sync_completed"),
    count: integer("How many things the network had kept."),
  })
  .openapi("OfflineSyncCompletedEvent", {
    description:
      "Catching up is over. This comes each time the session connects, including after a restart; `count` is 0 if there was nothing to catch up on.",
  })

const ProfilePictureUpdatedEvent = z
  .object({
    event: z.literal("profile_picture_updated"),
    remove: z.boolean(),
    timestamp: Timestamp,
    picture_id: z.string().optional(),
  })
  .openapi("ProfilePictureUpdatedEvent", {
    description: "The session's own picture was changed or removed.",
  })

const GroupEvent = z
  .object({
    event: z.literal("group"),
    kind: z
      .enum([
        "created",
        "added",
        "joined",
        "left",
        "removed",
        "promoted",
        "demoted",
        "subject",
        "description",
        "picture",
        "settings",
        "link",
        "request",
        "request_over",
        "deleted",
      ])
      .openapi({
        description:
          "`joined`: by a link or an invitation; otherwise somebody has `added` them. `removed`: by somebody else than who has " +
          "`left`. `subject` and `description`: the group has another name or topic. `settings`: others may do something now. " +
          "`link`: the link was revoked, and there is a new one. `request`: somebody asks to join. `request_over`: they have " +
          "withdrawn that, or an admin has turned them away.",
      }),
    chat_id: string("JID of the group."),
    contact_id: string(
      'JID of the person who made the change, as in other events; `""` if the network does not say.',
    ),
    phone: Phone,
    name: string("That person's display name, as the network gives it."),
    username: Username,
    from_me: boolean(
      "The session's own account made the change, on its phone, another device or through this API.",
    ),
    timestamp: Timestamp,
    participants: z.array(z.string()).optional().openapi({
      description:
        "JIDs of the people whom it concerns, in the form of `contact_id`; of `created`: the first members.",
    }),
    subject: string(
      "The group's name: of `subject`, and where the account has come into the group.",
    ).optional(),
    description: string('The group\'s topic; `""`: it was removed.').optional(),
    picture_id: string("Of `picture`; absent: it was removed.").optional(),
    settings: z.object(groupSettings).partial().optional().openapi({ description: "What was changed." }),
    link: z.string().optional(),
    offline: Offline,
  })
  .openapi("GroupEvent", {
    description:
      "Something has changed in a group that the account is in, or its membership of one. It comes only if `events` of the bridge names " +
      "it. Changes that were made through this API come as well, as the network tells of them.",
  })

const TestEvent = z
  .object({ event: z.literal("test"), timestamp: Timestamp })
  .openapi("TestEvent", { description: "Sent by `webhook-test` only." })

/** Contract, "Events", and `test`. The first field is `event`. */
export const Event = z.discriminatedUnion("event", [
  MessageEvent,
  MessageLostEvent,
  ConnectedEvent,
  DisconnectedEvent,
  TypingEvent,
  PresenceEvent,
  PollVoteEvent,
  EventResponseEvent,
  CallIncomingEvent,
  CallTerminatedEvent,
  OfflineSyncPreviewEvent,
  OfflineSyncCompletedEvent,
  ProfilePictureUpdatedEvent,
  GroupEvent,
  MessageStatusEvent,
  MediaStoredEvent,
  ChannelPostEvent,
  TestEvent,
])
export type Event = z.infer<typeof Event>

/** The events that a bridge sends on its own; `test` is sent only on request. */
export const EventType = z
  .enum([
    "message",
    "connected",
    "disconnected",
    "typing",
    "presence",
    "poll_vote",
    "event_response",
    "call_incoming",
    "call_terminated",
    "offline_sync_preview",
    "offline_sync_completed",
    "profile_picture_updated",
    "group",
    "message_status",
    "message_lost",
    "media_stored",
    "channel_post",
  ] satisfies Exclude<Event["event"], "test">[])
  .openapi("EventType")
export type EventType = z.infer<typeof EventType>

/** The types of events that are sent only if the customer names them. */
const unusual = new Set<EventType>(["message_status", "group", "message_lost", "channel_post"])

/** Whether events of this type are sent to a customer who has chosen no types. */
export function isUsual(type: EventType): boolean {
  return !unusual.has(type)
}

/** What events of the type `message_status` say of a group: how many members, or also who. */
export const MessageStatusDetail = z.enum(["counts", "participants"])

/** Kinds of chats that a customer may ignore. */
export const Ignored = z.enum(["status", "groups"])
