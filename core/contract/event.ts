import { z } from "@hono/zod-openapi"

const Timestamp = z.number().int().openapi({ description: "Unix seconds." })
const ContactJid = z
  .string()
  .openapi({ description: "JID of the person: the phone number's where known, else the LID." })
const Phone = z.string().openapi({ description: 'Digits; `""` where the number is not known.' })
const Offline = z
  .literal(true)
  .optional()
  .openapi({ description: "It happened while the session was offline." })

const Quoted = z.object({
  message_id: z.string(),
  contact_id: z.string(),
  body: z.string(),
  type: z.string(),
})

const Location = z.object({ lat: z.number(), lng: z.number(), name: z.string(), address: z.string() })

const EventDetails = z.object({
  name: z.string(),
  description: z.string(),
  start_time: Timestamp,
  end_time: Timestamp,
  join_link: z.string(),
})

/** A message, inbound or written on the phone or another device. */
const MessageEvent = z
  .object({
    event: z.literal("message"),
    message_id: z.string(),
    contact_id: ContactJid,
    phone: Phone,
    chat_id: z.string(),
    name: z.string(),
    body: z.string(),
    type: z.enum(["text", "media", "reaction", "poll", "location", "event"]),
    media_type: z.enum(["", "image", "video", "audio", "voice", "document", "sticker"]),
    is_group: z.boolean(),
    from_me: z.boolean(),
    timestamp: Timestamp,
    caption: z.string().optional(),
    quoted: Quoted.optional(),
    mentions: z.array(z.string()).optional(),
    forwarded: z.literal(true).optional(),
    reaction: z.object({ emoji: z.string(), message_id: z.string(), contact_id: z.string() }).optional(),
    edit: z.enum(["edit", "revoke", "pin"]).optional(),
    target_id: z
      .string()
      .optional()
      .openapi({ description: "What an edit, revoke, pin or reaction refers to." }),
    location: Location.optional(),
    options: z.array(z.string()).optional(),
    max_answers: z.number().int().optional(),
    event_details: EventDetails.optional(),
    offline: Offline,
    is_broadcast: z.literal(true).optional(),
    verified_business: z.literal(true).optional(),
  })
  .openapi("MessageEvent")

/** The session is up: after pairing, and after every `disconnected`. */
const ConnectedEvent = z.object({ event: z.literal("connected"), phone: Phone }).openapi("ConnectedEvent")

/** The session is down: with a reason it stays so, without one it is being reconnected. */
const DisconnectedEvent = z
  .object({
    event: z.literal("disconnected"),
    reason: z.enum(["logged_out", "stream_replaced"]).optional(),
    detail: z.string().optional().openapi({
      description:
        "A sentence for people: also whether the network has locked or banned the account, or bans it for some time.",
    }),
  })
  .openapi("DisconnectedEvent")

/** Somebody types or records. Only of contacts that were subscribed. */
const TypingEvent = z
  .object({
    event: z.literal("typing"),
    contact_id: ContactJid,
    chat_id: z.string(),
    state: z.enum(["composing", "paused"]),
    mode: z.enum(["text", "voice"]),
  })
  .openapi("TypingEvent")

/** Somebody came online or left. Only of contacts that were subscribed. */
const PresenceEvent = z
  .object({
    event: z.literal("presence"),
    contact_id: ContactJid,
    unavailable: z.boolean(),
    last_seen: Timestamp.optional(),
  })
  .openapi("PresenceEvent")

/** A vote on a poll: all that is selected now, empty when the vote was taken back. */
const PollVoteEvent = z
  .object({
    event: z.literal("poll_vote"),
    contact_id: ContactJid,
    phone: Phone,
    chat_id: z.string(),
    poll_id: z.string().openapi({ description: "The message id of the poll." }),
    message_id: z.string().openapi({ description: "The message id of the vote." }),
    name: z.string(),
    from_me: z.boolean(),
    timestamp: Timestamp,
    selected_options: z.array(z.string()),
    offline: Offline,
  })
  .openapi("PollVoteEvent")

/** An answer to an event message. */
const EventResponseEvent = z
  .object({
    event: z.literal("event_response"),
    contact_id: ContactJid,
    phone: Phone,
    chat_id: z.string(),
    event_id: z.string().openapi({ description: "The message id of the event message." }),
    message_id: z.string().openapi({ description: "The message id of the answer." }),
    name: z.string(),
    from_me: z.boolean(),
    timestamp: Timestamp,
    response: z.enum(["going", "not_going", "maybe", "unknown"]),
    response_time_ms: z.number().int().openapi({ description: "Unix milliseconds." }),
    extra_guest_count: z.number().int(),
    offline: Offline,
  })
  .openapi("EventResponseEvent")

const CallIncomingEvent = z
  .object({
    event: z.literal("call_incoming"),
    call_id: z.string(),
    contact_id: ContactJid,
    platform: z.string().openapi({ description: "As the network gives it, else `unknown`." }),
    timestamp: Timestamp,
  })
  .openapi("CallIncomingEvent")

const CallEnd = z.enum(["timeout", "hangup", "decline", "busy", "accept_elsewhere"])

const CallTerminatedEvent = z
  .object({
    event: z.literal("call_terminated"),
    call_id: z.string(),
    contact_id: ContactJid,
    reason: CallEnd,
    timestamp: Timestamp,
  })
  .openapi("CallTerminatedEvent")

/** Catching up begins: what the network kept while the session was offline. */
const OfflineSyncPreviewEvent = z
  .object({
    event: z.literal("offline_sync_preview"),
    total: z.number().int(),
    messages: z.number().int(),
    notifications: z.number().int(),
    receipts: z.number().int(),
    app_data_changes: z.number().int(),
  })
  .openapi("OfflineSyncPreviewEvent")

/** Catching up is over. */
const OfflineSyncCompletedEvent = z
  .object({ event: z.literal("offline_sync_completed"), count: z.number().int() })
  .openapi("OfflineSyncCompletedEvent")

/** The session's own picture was changed or removed. */
const ProfilePictureUpdatedEvent = z
  .object({
    event: z.literal("profile_picture_updated"),
    remove: z.boolean(),
    timestamp: Timestamp,
    picture_id: z.string().optional(),
  })
  .openapi("ProfilePictureUpdatedEvent")

/** Sent by `webhook-test` only. */
const TestEvent = z.object({ event: z.literal("test"), timestamp: Timestamp }).openapi("TestEvent")

/** Spec 6.2, and `test`. The first field is `event`. */
export const Event = z.discriminatedUnion("event", [
  MessageEvent,
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
  TestEvent,
])
export type Event = z.infer<typeof Event>
