import { z } from "@hono/zod-openapi"
import { groupSettings } from "./field-types.ts"

const Timestamp = z.number().int().openapi({ description: "Unix seconds." })
const ContactJid = z
  .string()
  .openapi({ description: "JID of the person: the phone number's where known, else the LID." })
const Phone = z.string().openapi({ description: 'Digits; `""` where the number is not known.' })
const ChatJid = z.string().openapi({
  description:
    "JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`.",
})
const Username = z.string().optional().openapi({
  description:
    "The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown.",
})
const Name = z.string().openapi({ description: "The sender's display name, as the network gives it." })
const FromMe = z
  .boolean()
  .openapi({ description: "Written on the phone of this session, or another of its devices." })
const Offline = z
  .literal(true)
  .optional()
  .openapi({ description: "It happened while the session was offline." })

const Quoted = z.object({
  message_id: z.string(),
  contact_id: z.string().openapi({ description: "Who wrote it." }),
  body: z.string().openapi({
    description: "The first 4,096 characters of its text, as quoted by the sender of the reply.",
  }),
  type: z.string().openapi({ description: 'As `type` of a message; `""` for every other kind.' }),
})

const Reaction = z.object({
  emoji: z.string().openapi({ description: '`""`: the reaction was removed.' }),
  message_id: z.string().openapi({ description: "The message that it reacts to." }),
  contact_id: z.string().openapi({ description: "Who wrote that message." }),
})

const Location = z.object({ lat: z.number(), lng: z.number(), name: z.string(), address: z.string() })

const EventDetails = z.object({
  name: z.string(),
  description: z.string(),
  start_time: Timestamp,
  end_time: z.number().int().openapi({ description: "Unix seconds; 0: none was given." }),
  join_link: z.string(),
})

/** Which message it is, where it was written, and who wrote it. */
const ofMessage = {
  message_id: z.string(),
  contact_id: ContactJid,
  phone: Phone,
  chat_id: ChatJid,
  name: Name,
  username: Username,
}

export const MessageEvent = z
  .object({
    event: z.literal("message"),
    ...ofMessage,
    body: z.string().openapi({ description: "Its text: the caption of media, the question of a poll." }),
    type: z.enum(["text", "media", "reaction", "poll", "location", "event"]),
    media_type: z.enum(["", "image", "video", "audio", "voice", "document", "sticker"]).openapi({
      description:
        'The kind of `media`. `""`: the message may be viewed once, on the phone. The network gives linked devices neither ' +
        "its file nor its caption, so `messages/{id}/media` answers 404.",
    }),
    is_group: z.boolean(),
    from_me: FromMe,
    timestamp: Timestamp,
    caption: z.string().optional().openapi({ description: "The caption of media." }),
    quoted: Quoted.optional().openapi({ description: "The message that this one replies to." }),
    mentions: z
      .array(z.string())
      .optional()
      .openapi({ description: "JIDs of the people whom the text mentions." }),
    forwarded: z.literal(true).optional(),
    reaction: Reaction.optional(),
    edit: z
      .enum(["edit", "revoke", "pin"])
      .optional()
      .openapi({
        description:
          "This is not a new message. `edit`: the message `target_id` now has this text. `revoke`: it is revoked. `pin`: it " +
          "is pinned in the chat (unpinning gives no event).",
      }),
    target_id: z
      .string()
      .optional()
      .openapi({ description: "The message that an edit, revoke, pin or reaction refers to." }),
    location: Location.optional(),
    options: z.array(z.string()).optional().openapi({ description: "The options of a poll." }),
    max_answers: z
      .number()
      .int()
      .optional()
      .openapi({ description: "How many options of a poll one person may choose; 0: any number." }),
    event_details: EventDetails.optional(),
    offline: Offline,
    is_broadcast: z
      .literal(true)
      .optional()
      .openapi({ description: "Sent to a broadcast list, or posted as a status." }),
    verified_business: z
      .literal(true)
      .optional()
      .openapi({ description: "The sender is a business whose name the network has verified." }),
  })
  .openapi("MessageEvent", {
    description:
      "A message that came in, or that was written on the phone or another of its devices. Messages sent through this API do not come back.",
  })

const MessageLostEvent = z
  .object({
    event: z.literal("message_lost"),
    ...ofMessage,
    is_group: z.boolean(),
    from_me: FromMe,
    timestamp: Timestamp,
    offline: Offline,
  })
  .openapi("MessageLostEvent", {
    description:
      "Somebody wrote a message that this session cannot read: the network gave only a placeholder, and the phone, asked for it again " +
      "and again, has not given it in two days, or was logged out before. It can be read on the phone. It comes only if `events` of the bridge names it. If the phone gives the " +
      "message after all, its event `message` follows.",
  })

const ConnectedEvent = z.object({ event: z.literal("connected"), phone: Phone }).openapi("ConnectedEvent", {
  description:
    "The session is up: after a phone was linked, and after every `disconnected`. A restart that is over within ten seconds gives no event.",
})

const DisconnectedEvent = z
  .object({
    event: z.literal("disconnected"),
    reason: z.enum(["logged_out", "stream_replaced"]).optional(),
    detail: z.string().optional().openapi({
      description:
        "A sentence for people. It says, too, if the network has locked or banned the account, or banned it for some time.",
    }),
  })
  .openapi("DisconnectedEvent", {
    description:
      "The session is down. With a `reason` it stays so until you act. Without one, the connection has been gone for ten seconds, and the session connects again by itself.",
  })

const TypingEvent = z
  .object({
    event: z.literal("typing"),
    contact_id: ContactJid,
    chat_id: ChatJid,
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

const PollVoteEvent = z
  .object({
    event: z.literal("poll_vote"),
    contact_id: ContactJid,
    phone: Phone,
    chat_id: ChatJid,
    poll_id: z.string().openapi({ description: "The message id of the poll." }),
    message_id: z.string().openapi({ description: "The message id of the vote." }),
    name: Name,
    username: Username,
    from_me: FromMe,
    timestamp: Timestamp,
    selected_options: z
      .array(z.string())
      .openapi({ description: "Everything that is selected now; empty if the vote was withdrawn." }),
    offline: Offline,
  })
  .openapi("PollVoteEvent", { description: "A vote on a poll, or a change of one." })

const EventResponseEvent = z
  .object({
    event: z.literal("event_response"),
    contact_id: ContactJid,
    phone: Phone,
    chat_id: ChatJid,
    event_id: z.string().openapi({ description: "The message id of the event message." }),
    message_id: z.string().openapi({ description: "The message id of the answer." }),
    name: Name,
    username: Username,
    from_me: FromMe,
    timestamp: Timestamp,
    response: z.enum(["going", "not_going", "maybe", "unknown"]),
    response_time_ms: z.number().int().openapi({ description: "Unix milliseconds." }),
    extra_guest_count: z.number().int().openapi({ description: "How many more people will come along." }),
    offline: Offline,
  })
  .openapi("EventResponseEvent", {
    description: "An answer to an event message, such as `send/event` sends.",
  })

const CallIncomingEvent = z
  .object({
    event: z.literal("call_incoming"),
    call_id: z.string(),
    contact_id: ContactJid,
    platform: z.string().openapi({ description: "As the network gives it, else `unknown`." }),
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
    reason: CallEnd,
    timestamp: Timestamp,
  })
  .openapi("CallTerminatedEvent", {
    description: "A call is over, whoever ended it. One event for each call.",
  })

const OfflineSyncPreviewEvent = z
  .object({
    event: z.literal("offline_sync_preview"),
    total: z.number().int(),
    messages: z.number().int(),
    notifications: z.number().int(),
    receipts: z.number().int(),
    app_data_changes: z.number().int(),
  })
  .openapi("OfflineSyncPreviewEvent", {
    description:
      "Catching up begins: how much the network has kept while the session was offline. The kept messages follow.",
  })

const OfflineSyncCompletedEvent = z
  .object({
    event: z.literal("offline_sync_completed"),
    count: z.number().int().openapi({ description: "How many things the network had kept." }),
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
    chat_id: z.string().openapi({ description: "JID of the group." }),
    contact_id: z.string().openapi({
      description:
        'JID of the person who made the change, as in other events; `""` if the network does not say.',
    }),
    phone: Phone,
    name: z.string().openapi({ description: "That person's display name, as the network gives it." }),
    username: Username,
    from_me: z.boolean().openapi({
      description:
        "The session's own account made the change, on its phone, another device or through this API.",
    }),
    timestamp: Timestamp,
    participants: z.array(z.string()).optional().openapi({
      description:
        "JIDs of the people whom it concerns, in the form of `contact_id`; of `created`: the first members.",
    }),
    subject: z.string().optional().openapi({
      description: "The group's name: of `subject`, and where the account has come into the group.",
    }),
    description: z.string().optional().openapi({ description: 'The group\'s topic; `""`: it was removed.' }),
    picture_id: z.string().optional().openapi({ description: "Of `picture`; absent: it was removed." }),
    settings: z.object(groupSettings).partial().optional().openapi({ description: "What was changed." }),
    link: z.string().optional(),
    offline: Offline,
  })
  .openapi("GroupEvent", {
    description:
      "Something has changed in a group that the account is in, or its membership of one. It comes only if `events` of the bridge names " +
      "it. Changes that were made through this API come as well, as the network tells of them.",
  })

/** How many members of a group have come as far. */
export const Counts = z.object({
  recipients: z
    .number()
    .int()
    .openapi({ description: "The members to whom it was sent, without this session." }),
  delivered: z.number().int(),
  read: z.number().int(),
  played: z.number().int(),
})

const MessageStatus = z.enum(["sent", "delivered", "read", "played", "failed"])

const MessageStatusEvent = z
  .object({
    event: z.literal("message_status"),
    message_id: z.string().openapi({ description: "As the send has answered." }),
    chat_id: ChatJid,
    status: MessageStatus.openapi({
      description:
        "`sent`: the network has it. `delivered`: it is on a phone of the recipient's. `read`. `played`: a voice note or a video was " +
        "played. `failed`: the network refused it, and nothing follows. `sent` or `failed` comes first. Who has read a message has received it: " +
        "`delivered` may then be missing.",
    }),
    timestamp: Timestamp.openapi({ description: "Unix seconds, by the network's clock." }),
    counts: Counts.optional().openapi({
      description: "In a group: how many members have come as far, those who have come further included.",
    }),
    participants: z.array(z.string()).optional().openapi({
      description:
        "In a group, if `message_status` of the bridge is `participants`: JIDs of the members whose receipts made this event.",
    }),
    reason: z.string().optional().openapi({ description: "Of `failed`: a sentence for people." }),
    network_code: z
      .number()
      .int()
      .optional()
      .openapi({ description: "Of `failed`: the network's number of the reason." }),
  })
  .openapi("MessageStatusEvent", {
    description:
      "What has become of a message that was sent through this API. It comes only if `events` of the bridge names it. A status comes " +
      "once, and never after a later one. In a group, `delivered`, `read` and `played` come when the first member has come as far, the " +
      "second, the fourth, the eighth and so on, and when all have.",
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
  ] satisfies Exclude<Event["event"], "test">[])
  .openapi("EventType")
export type EventType = z.infer<typeof EventType>

/** Those that are sent only if they are named. */
const unusual = new Set<EventType>(["message_status", "group", "message_lost"])

/** Whether events of this type are sent to a customer who has chosen none: all but those that are sent only if they are named. */
export function isUsual(type: EventType): boolean {
  return !unusual.has(type)
}

/** What events of the type `message_status` say of a group: how many members, or also who. */
export const StatusDetail = z.enum(["counts", "participants"])

/** Kinds of chats that a customer may ignore. */
export const Ignored = z.enum(["status", "groups"])
