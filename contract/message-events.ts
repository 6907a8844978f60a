import { z } from "@hono/zod-openapi"
import { ofChat, ContactJid, FromMe, Offline, Phone, SenderName, Username } from "./event-fields.ts"
import { integer, string, Timestamp } from "./field-types.ts"
import { StoredAs } from "./media-store.ts"
import {
  Ad,
  ContactCard,
  File,
  Interactive,
  Invitation,
  LinkPreview,
  MentionedGroup,
  Order,
  PartOf,
  Payment,
  Place,
  PollResult,
  Product,
  Tapped,
} from "./message-parts.ts"

// The events about messages: what came in, what answers a message, and what has become of one that was sent.

/** The kinds of messages. */
export const MessageType = z.enum([
  "text",
  "media",
  "reaction",
  "poll",
  "location",
  "event",
  "contact",
  "unknown",
])

const MediaType = z.enum(["", "image", "video", "audio", "voice", "document", "sticker"])

const Quoted = z.object({
  message_id: z.string(),
  chat_id: string("Where it was written: `status@broadcast` where somebody answers a status."),
  contact_id: string("Who wrote it."),
  body: string("The first 4,096 characters of its text, as quoted by the sender of the reply."),
  type: string('As `type` of a message; `""` for every other kind.'),
})

const Reaction = z.object({
  emoji: string('`""`: the reaction was removed.'),
  message_id: string("The message that it reacts to."),
  chat_id: string("Where that message was written: `status@broadcast` if it is a status."),
  contact_id: string("Who wrote that message."),
})

const EventDetails = z.object({
  name: z.string(),
  description: z.string(),
  start_time: Timestamp,
  end_time: integer("Unix seconds; 0: none was given."),
  join_link: z.string(),
  location: Place.omit({ live: true, accuracy_m: true }).optional(),
  is_canceled: z.literal(true).optional(),
})

/** Which message it is, where it was written, and who wrote it. */
const ofMessage = {
  message_id: z.string(),
  contact_id: ContactJid,
  phone: Phone,
  ...ofChat,
  name: SenderName,
  username: Username,
}

export const MessageEvent = z
  .object({
    event: z.literal("message"),
    ...ofMessage,
    body: string(
      "Its text: the caption of media, the question of a poll, the names on contact cards, the lines of a business's message.",
    ),
    type: MessageType.openapi({
      description:
        "`unknown`: this release cannot read it, or only the phone shows it (`placeholderMessage`). `unknown_kind` names its " +
        "kind, and `body` has its text, as far as one can be found. `target_id` is there if it is about another message. Once a later " +
        "release can read it, an event with `edit` follows.",
    }),
    unknown_kind: string(
      "The name of the kind in the network's protocol, if `type` is `unknown`; of any other message: that of a part " +
        "which this release does not read beside the rest.",
    ).optional(),
    media_type: MediaType.openapi({
      description:
        'The kind of `media`. `""`: the message may be viewed once, on the phone. The network gives linked devices neither ' +
        "its file nor its caption, so `messages/{id}/media` answers 404.",
    }),
    is_group: z.boolean(),
    from_me: FromMe,
    timestamp: Timestamp,
    caption: string("The caption of media.").optional(),
    file: File.optional().openapi({ description: "The file of media, as its sender describes it." }),
    view_once: z.literal(true).optional().openapi({ description: "The message may be viewed once." }),
    quoted: Quoted.optional().openapi({ description: "The message that this one replies to." }),
    mentions: z
      .array(z.string())
      .optional()
      .openapi({ description: "JIDs of the people whom the text mentions." }),
    mentioned_groups: z.array(MentionedGroup).optional().openapi({
      description: "The groups that the text mentions, each as `@` and its JID.",
    }),
    mentions_all: z
      .literal(true)
      .optional()
      .openapi({ description: "The text mentions everybody in the group." }),
    forwarded: z.literal(true).optional(),
    reaction: Reaction.optional(),
    edit: z
      .enum(["edit", "revoke", "pin"])
      .optional()
      .openapi({
        description:
          "This is not a new message. `edit`: the message `target_id` now has this text. `revoke`: it is revoked. `pin`: it " +
          "is pinned in the chat (unpinning gives no event). Where `target_id` is the message's own id, this is that message, as it " +
          "is now.",
      }),
    target_id: string(
      "The message that an edit, revoke, pin, reaction or `unknown` message refers to.",
    ).optional(),
    preview: LinkPreview.optional().openapi({
      description: "What the sender's phone shows of a link in the text.",
    }),
    location: Place.optional(),
    options: z.array(z.string()).optional().openapi({ description: "The options of a poll." }),
    max_answers: integer("How many options of a poll one person may choose; 0: any number.").optional(),
    correct_option: string("The right answer of a quiz.").optional(),
    results: z
      .array(PollResult)
      .optional()
      .openapi({ description: "The results of a poll, where it shows them." }),
    event_details: EventDetails.optional(),
    contacts: z.array(ContactCard).optional(),
    interactive: Interactive.optional().openapi({
      description: "What people can tap in a business's message, and what surrounds its text.",
    }),
    tapped: Tapped.optional().openapi({
      description: "This message is somebody's choice in an earlier one, which `quoted` names.",
    }),
    order: Order.optional(),
    product: Product.optional(),
    invitation: Invitation.optional(),
    payment: Payment.optional(),
    ad: Ad.optional().openapi({ description: "The ad or post that brought the sender here." }),
    part_of: PartOf.optional(),
    cut: z.literal(true).optional().openapi({
      description:
        "The message is too large for an event: its longest texts are cut, its longest lists end early.",
    }),
    disappears_after: integer("The chat's timer, in seconds, when it was written.").optional(),
    scheduled_for: Timestamp.optional().openapi({
      description: "The message was written to be sent at this time. Unix seconds.",
    }),
    offline: Offline,
    handover: z.literal(true).optional().openapi({
      description:
        "A person answers in this chat now: `setHandover`, or somebody in the dashboard, has said so. Your program should be silent.",
    }),
    is_broadcast: z
      .literal(true)
      .optional()
      .openapi({ description: "Sent to a broadcast list, or posted as a status." }),
    is_group_status: z.literal(true).optional().openapi({ description: "Posted as a status of the group." }),
    verified_business: z
      .literal(true)
      .optional()
      .openapi({ description: "The sender is a business whose name the network has verified." }),
  })
  .openapi("MessageEvent", {
    description:
      "A message that came in, or that was written on the phone or another of its devices. Messages sent through this API do not come back.",
  })

export const MessageLostEvent = z
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

export const MediaStoredEvent = StoredAs.extend({
  event: z.literal("media_stored"),
  message_id: string("The message whose file it is."),
  ...ofChat,
  timestamp: Timestamp,
  error: string(
    "Why the file is not there, and will not be, in a sentence; absent: it is there. `messages/{id}/media` still gives it.",
  ).optional(),
}).openapi("MediaStoredEvent", {
  description:
    "The file of an earlier message is in your own S3, or was given up. Only a bridge with a `media_store` has these.",
})

/** A post of a channel. */
export const ChannelPost = z
  .object({
    channel_id: string("JID of the channel."),
    number: integer("The network's number of it in this channel: later ones have higher numbers."),
    message_id: z.string(),
    type: MessageType,
    media_type: MediaType,
    body: string("Its text: the caption of media, the question of a poll."),
    file: File.optional().openapi({ description: "The file of media, which cannot be fetched here." }),
    timestamp: Timestamp,
  })
  .openapi("ChannelPost")

export const ChannelPostEvent = ChannelPost.extend({ event: z.literal("channel_post") }).openapi(
  "ChannelPostEvent",
  {
    description:
      "A channel that the account follows has a new post. It comes only if `events` of the bridge names it.",
  },
)

export const PollVoteEvent = z
  .object({
    event: z.literal("poll_vote"),
    contact_id: ContactJid,
    phone: Phone,
    ...ofChat,
    poll_id: string("The message id of the poll."),
    message_id: string("The message id of the vote."),
    name: SenderName,
    username: Username,
    from_me: FromMe,
    timestamp: Timestamp,
    selected_options: z
      .array(z.string())
      .openapi({ description: "Everything that is selected now; empty if the vote was withdrawn." }),
    offline: Offline,
  })
  .openapi("PollVoteEvent", {
    description:
      "A vote on a poll, or a change of one. A vote on a poll that this session does not know cannot be read: it is a line in the " +
      "bridge's log, and no event.",
  })

export const EventResponseEvent = z
  .object({
    event: z.literal("event_response"),
    contact_id: ContactJid,
    phone: Phone,
    ...ofChat,
    event_id: string("The message id of the event message."),
    message_id: string("The message id of the answer."),
    name: SenderName,
    username: Username,
    from_me: FromMe,
    timestamp: Timestamp,
    response: z.enum(["going", "not_going", "maybe", "unknown"]),
    response_time_ms: integer("Unix milliseconds."),
    extra_guest_count: integer("How many more people will come along."),
    offline: Offline,
  })
  .openapi("EventResponseEvent", {
    description: "An answer to an event message, such as `send/event` sends.",
  })

/** How far a message has come in a group, in numbers of members. */
export const Counts = z.object({
  recipients: integer("The members to whom it was sent, without this session."),
  delivered: z.int(),
  read: z.int(),
  played: z.int(),
})

const MessageStatus = z.enum(["sent", "delivered", "read", "played", "failed"])

export const MessageStatusEvent = z
  .object({
    event: z.literal("message_status"),
    message_id: string("As the send has answered."),
    ...ofChat,
    status: MessageStatus.openapi({
      description:
        "`sent`: the network has it. `delivered`: it is on a phone of the recipient's. `read`. `played`: a voice note or a video was " +
        "played. `failed`: the network rejected it, and nothing follows. `sent` or `failed` comes first. Who has read a message has received it: " +
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
    reason: string("Of `failed`: a sentence for people.").optional(),
    network_code: integer("Of `failed`: the network's number of the reason.").optional(),
  })
  .openapi("MessageStatusEvent", {
    description:
      "What has become of a message that was sent through this API. It comes only if `events` of the bridge names it. A status comes " +
      "once, and never after a later one. In a group, `delivered`, `read` and `played` come when the first member has come as far, the " +
      "second, the fourth, the eighth and so on, and when all have.",
  })
