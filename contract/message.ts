import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { ChatId, inQuery, integer, limit, MessageId, string, text } from "./field-types.ts"
import { codesOfSend, idempotencyHeaders, IdempotencyKey } from "./idempotency-key.ts"
import { Counts, MessageType } from "./message-events.ts"
import {
  codesOfNetwork,
  body,
  Ok,
  optionalBody,
  proxy,
  refusals,
  reply,
  codesOfSession,
} from "./route-parts.ts"

/** The answer to whatever sends a message. */
export const SendResult = z
  .object({
    message_id: z.string(),
    chat_id: string(
      "The chat to which it went, as in events: the network may know a number by another spelling.",
    ),
    timestamp: integer("Unix seconds, by the network's clock. Of a planned message: when it is to go."),
    state: z.literal("planned").optional().openapi({ description: "With `send_at`: it goes later." }),
  })
  .openapi("SendResult")

/**
 * Contract, "Remembered messages": the id of a known message is enough, unless several messages have the same
 * one.
 */
export const MessageChat = ChatId.optional().openapi({
  description: "The chat of the message; needed only if messages of several chats have this id.",
})

const message = path.extend({ id: MessageId })

/** Contract, "Remembered messages" */
export const Message = z
  .object({
    message_id: z.string(),
    chat_id: string("As in events."),
    contact_id: string("Who wrote it, as in events."),
    from_me: z.boolean(),
    type: z
      .enum([...MessageType.options, ""])
      .openapi({ description: 'As of a message event; `""` for what only changes another message.' }),
    media_type: z.enum(["", "image", "video", "audio", "voice", "document", "sticker"]),
    body: string("Its text: the caption of media, the question of a poll."),
    edit: z
      .enum(["edit", "revoke"])
      .optional()
      .openapi({
        description:
          "`edit`: it was edited since, and is given as it is now. `revoke`: it was revoked, so its `type`, `media_type` and `body` are " +
          '`""`.',
      }),
    status: z.enum(["pending", "sent", "delivered", "read", "played", "failed", "received"]).openapi({
      description:
        "`received`: somebody else wrote it. `pending`: it may have left, and the network has not acknowledged it; the same request " +
        "with the same `Idempotency-Key` sends it again under the same id. The others are those of the event `message_status`; " +
        "`delivered`, `read` and `played` are known only if `events` of the bridge named that type when it was sent. In a group: " +
        "how far all recipients have come.",
    }),
    sent_at: integer("When the network had it. Unix seconds.").optional(),
    delivered_at: integer("When it was delivered, in a group last. Unix seconds.").optional(),
    read_at: integer("When it was read, in a group last. Unix seconds.").optional(),
    played_at: integer("When it was played, in a group last. Unix seconds.").optional(),
    failed_at: integer("When the network rejected it. Unix seconds.").optional(),
    received_at: integer("When it came. Unix seconds.").optional(),
    counts: Counts.optional().openapi({
      description: "In a group: how many recipients have come as far, those who have come further included.",
    }),
    untracked: string(
      "Of `getMessage`, `findMessage` and `listSent`, while it is not recorded whether the message is delivered and read: why, and how to change " +
        "that, in a sentence for people.",
    ).optional(),
    reason: string("Of `failed`: a sentence for people.").optional(),
    network_code: integer("Of `failed`: the network's number.").optional(),
    asked_at: integer("Of a message that the API sent: when it was asked for, Unix seconds.").optional(),
    request_id: string(
      "Of a message that the API sent: the call that first asked for it, as its `X-Request-Id` said.",
    ).optional(),
  })
  .openapi("Message")

export const getMessage = createRoute({
  method: "get",
  path: `${proxy}/messages/{id}`,
  summary: "A message that was sent or received, and what has become of it",
  description:
    "As it is now: edited, or revoked. For 30 days, whether or not a phone is linked now, unless `chat` is a username, which is asked of the network. Events that `events` and `ignore` switch off leave nothing to look up.",
  request: { params: message, query: z.object({ chat: MessageChat }) },
  responses: { 200: reply("The message.", Message), ...refusals(...codesOfNetwork) },
})

export const findMessage = createRoute({
  method: "get",
  path: `${proxy}/messages` as const,
  summary: "The message that was sent under an Idempotency-Key, and what has become of it",
  description: "For the 24 hours of the key. Unlike a repetition of the request, this never sends anything.",
  request: {
    params: path,
    query: z.object({
      idempotency_key: IdempotencyKey.openapi({
        description: "As in the header of the request that sent it.",
      }),
    }),
  },
  responses: { 200: reply("The message.", Message), ...refusals(...codesOfSession) },
})

/** Contract, "Remembered messages" */
export const SentMessage = Message.extend({
  asked_at: integer("When it was asked for, Unix seconds."),
  events_before: integer(
    "How many events the bridge had had by then: the order of messages and events within one second.",
  ).optional(),
}).openapi("SentMessage")

export const listSent = createRoute({
  method: "get",
  path: `${proxy}/sent` as const,
  summary: "The messages that were sent through the API, newest first, and what has become of each",
  description:
    "Of the last 30 days, the latest 10,000. It needs no connection, unless `chat` is a username. A call that was refused sent nothing: `listRequests` says why.",
  request: {
    params: path,
    query: z.object({
      chat: MessageChat.openapi({ description: "Only messages to this chat." }),
      limit: limit.default(50),
      after: MessageId.optional().openapi({
        description: "Only messages behind this one: the `X-Next-After` of the page before.",
      }),
    }),
  },
  responses: {
    200: reply(
      "A page. It ends early if its messages are large, or few are to the chat. The header `X-Next-After` is there while there may be " +
        "more: give it as `after`.",
      z.array(SentMessage),
    ),
    ...refusals(...codesOfNetwork),
  },
})

export const revokeMessage = createRoute({
  method: "delete",
  path: `${proxy}/messages/{id}` as const,
  summary: "Revoke a message for everyone",
  description:
    "One that the session's account has sent, or another member's in a group of which it is an admin. One that is revoked already is " +
    "revoked once more, which phones do not show.",
  request: { params: message, query: z.object({ chat: MessageChat }), headers: idempotencyHeaders },
  responses: {
    200: reply("Revoked.", SendResult),
    ...refusals(...codesOfNetwork, "recipient_not_found", "not_own_message", "not_admin", ...codesOfSend),
  },
})

export const deleteForMe = createRoute({
  method: "delete",
  path: `${proxy}/messages/{id}/for-me` as const,
  summary: "Remove a message from the account's own devices",
  description:
    "From the phone, all other devices of the account, and the messages that are kept here. Others still have it: `revokeMessage` removes " +
    "it for everyone. Its event stays, and `getMessage` still finds it.",
  request: { params: message, query: z.object({ chat: MessageChat }) },
  responses: { 200: reply("Removed.", Ok), ...refusals(...codesOfNetwork) },
})

export const editMessage = createRoute({
  method: "patch",
  path: `${proxy}/messages/{id}/edit` as const,
  summary: "Change the text or the caption of a sent message",
  description: "Phones offer this for 15 minutes, and ignore an edit of a message that is older than 20.",
  request: {
    params: message,
    headers: idempotencyHeaders,
    body: body(z.object({ chat: MessageChat, body: text(1, 65_536) })),
  },
  responses: {
    200: reply("Changed; the id is the edited message's.", SendResult),
    ...refusals(
      ...codesOfNetwork,
      "recipient_not_found",
      "not_own_message",
      "not_admin",
      "message_revoked",
      "edit_too_late",
      ...codesOfSend,
    ),
  },
})

/** Contract, "Pinned messages". For how long, in seconds: a day, a week, or 30 days. */
const pinnedFor = [86_400, 604_800, 2_592_000] as const
const PinnedFor = z
  .literal(pinnedFor)
  .optional()
  .openapi({
    type: "integer",
    enum: [...pinnedFor],
    description: "For how many seconds; by default 604,800, a week.",
  })

export const pinMessage = createRoute({
  method: "post",
  path: `${proxy}/messages/{id}/pin` as const,
  summary: "Pin a message in its chat, for everyone",
  request: {
    params: message,
    headers: idempotencyHeaders,
    body: optionalBody(z.object({ chat: MessageChat, duration: PinnedFor })),
  },
  responses: {
    200: reply("Pinned.", SendResult),
    ...refusals(...codesOfNetwork, "recipient_not_found", "not_admin", "message_revoked", ...codesOfSend),
  },
})

export const unpinMessage = createRoute({
  method: "delete",
  path: `${proxy}/messages/{id}/pin` as const,
  summary: "Unpin a message",
  request: { params: message, query: z.object({ chat: MessageChat }), headers: idempotencyHeaders },
  responses: {
    200: reply("Unpinned.", SendResult),
    ...refusals(...codesOfNetwork, "recipient_not_found", "not_admin", "message_revoked", ...codesOfSend),
  },
})

export const readMessage = createRoute({
  method: "post",
  path: `${proxy}/messages/{id}/read` as const,
  summary: "Send a read receipt",
  request: { params: message, body: optionalBody(z.object({ chat: MessageChat })) },
  responses: { 200: reply("Sent.", Ok), ...refusals(...codesOfNetwork) },
})

export const messageMedia = createRoute({
  method: "get",
  path: `${proxy}/messages/{id}/media` as const,
  summary: "The file of a received message",
  description: "Of a revoked message it is `media_expired`.",
  request: {
    params: message,
    query: z.object({
      chat: MessageChat,
      card: inQuery(0, 1000).optional().openapi({
        description:
          "The place of a card in `interactive.cards`, from 0: its file in place of the message's own.",
      }),
    }),
  },
  responses: {
    200: {
      description: "The bytes, with the sender's content type, as an attachment.",
      content: { "application/octet-stream": { schema: z.string().openapi({ format: "binary" }) } },
    },
    ...refusals(
      ...codesOfNetwork,
      "media_expired",
      "payload_too_large",
      "storage_full",
      "file_limit_reached",
    ),
  },
})
