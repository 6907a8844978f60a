import { z } from "@hono/zod-openapi"

const Timestamp = z.number().int().openapi({ description: "Unix seconds." })
const ContactJid = z
  .string()
  .openapi({ description: "JID of the person: the phone number's where known, else the LID." })
const Phone = z.string().openapi({ description: 'Digits; `""` where the number is not known.' })
const ChatJid = z.string().openapi({
  description: "JID of the chat: a group's, or as `contact_id` that of the person on the other side.",
})
const Name = z.string().openapi({ description: "What the sender calls himself, as the network gives it." })
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
  body: z
    .string()
    .openapi({ description: "Its first 4,096 characters, as the sender of the answer repeats them." }),
  type: z.string().openapi({ description: 'As of a message; `""` where it is of no such kind.' }),
})

const Reaction = z.object({
  emoji: z.string().openapi({ description: '`""`: it was taken back.' }),
  message_id: z.string().openapi({ description: "The message that it is about." }),
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

const MessageEvent = z
  .object({
    event: z.literal("message"),
    message_id: z.string(),
    contact_id: ContactJid,
    phone: Phone,
    chat_id: ChatJid,
    name: Name,
    body: z.string().openapi({ description: "Its words: of media the caption, of a poll its question." }),
    type: z.enum(["text", "media", "reaction", "poll", "location", "event"]),
    media_type: z.enum(["", "image", "video", "audio", "voice", "document", "sticker"]).openapi({
      description:
        'Of `media`; `""`: it is to be seen once, on the phone. The network gives linked devices neither the file nor the ' +
        "words, so `messages/{id}/media` answers 404.",
    }),
    is_group: z.boolean(),
    from_me: FromMe,
    timestamp: Timestamp,
    caption: z.string().optional().openapi({ description: "Of media." }),
    quoted: Quoted.optional().openapi({ description: "The message that this one answers." }),
    mentions: z
      .array(z.string())
      .optional()
      .openapi({ description: "JIDs of those who are named in the text." }),
    forwarded: z.literal(true).optional(),
    reaction: Reaction.optional(),
    edit: z
      .enum(["edit", "revoke", "pin"])
      .optional()
      .openapi({
        description:
          "This is not a new message: `edit` gives the message `target_id` the words of this one, `revoke` takes it back, " +
          "`pin` pins it in the chat (that it is unpinned is not told).",
      }),
    target_id: z
      .string()
      .optional()
      .openapi({ description: "What an edit, revoke, pin or reaction refers to." }),
    location: Location.optional(),
    options: z.array(z.string()).optional().openapi({ description: "Of a poll." }),
    max_answers: z.number().int().optional().openapi({ description: "Of a poll; 0: any number." }),
    event_details: EventDetails.optional(),
    offline: Offline,
    is_broadcast: z
      .literal(true)
      .optional()
      .openapi({ description: "To a list of people, or a status update." }),
    verified_business: z
      .literal(true)
      .optional()
      .openapi({ description: "The sender is a business whose name the network has verified." }),
  })
  .openapi("MessageEvent", {
    description:
      "A message: inbound, or written on the phone or another of its devices. One sent through this API does not come back.",
  })

const ConnectedEvent = z.object({ event: z.literal("connected"), phone: Phone }).openapi("ConnectedEvent", {
  description:
    "The session is up: after a phone was linked, and after every `disconnected`. A restart that is over within ten seconds tells nothing.",
})

const DisconnectedEvent = z
  .object({
    event: z.literal("disconnected"),
    reason: z.enum(["logged_out", "stream_replaced"]).optional(),
    detail: z.string().optional().openapi({
      description:
        "A sentence for people: also whether the network has locked or banned the account, or bans it for some time.",
    }),
  })
  .openapi("DisconnectedEvent", {
    description:
      "The session is down. With a `reason` it stays so until you act; without one the connection has been gone for ten seconds and is tried again by itself.",
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
    from_me: FromMe,
    timestamp: Timestamp,
    selected_options: z
      .array(z.string())
      .openapi({ description: "All that is selected now; empty when the vote was taken back." }),
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
    from_me: FromMe,
    timestamp: Timestamp,
    response: z.enum(["going", "not_going", "maybe", "unknown"]),
    response_time_ms: z.number().int().openapi({ description: "Unix milliseconds." }),
    extra_guest_count: z.number().int().openapi({ description: "Whom else the answer brings along." }),
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
    description:
      "Somebody calls. It can be declined with `calls/{id}/reject`, and is answered on the phone alone.",
  })

const CallEnd = z.enum(["timeout", "hangup", "decline", "busy", "accept_elsewhere"]).openapi({
  description: "`accept_elsewhere`: it was taken on the phone or another of its devices.",
})

const CallTerminatedEvent = z
  .object({
    event: z.literal("call_terminated"),
    call_id: z.string(),
    contact_id: ContactJid,
    reason: CallEnd,
    timestamp: Timestamp,
  })
  .openapi("CallTerminatedEvent", { description: "A call is over, whoever ended it: once for each." })

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
      "Catching up begins: how much the network has kept while the session was offline, before that comes.",
  })

const OfflineSyncCompletedEvent = z
  .object({
    event: z.literal("offline_sync_completed"),
    count: z.number().int().openapi({ description: "How many things the network had kept." }),
  })
  .openapi("OfflineSyncCompletedEvent", {
    description:
      "Catching up is over. It comes each time the session connects, after a restart, too: with nothing to catch up on, `count` is 0.",
  })

const ProfilePictureUpdatedEvent = z
  .object({
    event: z.literal("profile_picture_updated"),
    remove: z.boolean(),
    timestamp: Timestamp,
    picture_id: z.string().optional(),
  })
  .openapi("ProfilePictureUpdatedEvent", {
    description: "The session's own picture was changed or removed, by whomever.",
  })

const TestEvent = z
  .object({ event: z.literal("test"), timestamp: Timestamp })
  .openapi("TestEvent", { description: "Sent by `webhook-test` only." })

/** Contract, "Events", and `test`. The first field is `event`. */
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
  ] satisfies Exclude<Event["event"], "test">[])
  .openapi("EventType")

/** Kinds of chats that a customer may ignore. */
export const Ignored = z.enum(["status", "groups"])
