import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import {
  boolean,
  ChatAddress,
  DisappearingAfter,
  integer,
  limit,
  MessageId,
  PersonAddress,
  someOf,
  string,
  text,
  timeInQuery,
} from "./field-types.ts"
import { MessageEvent } from "./message-events.ts"
import { MessageChat } from "./message.ts"
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

/** Contract, "Chats" */
export const Chat = z
  .object({
    chat_id: string("As in events."),
    name: string(
      'The name of the person as in `listContacts`, or of the group, which may be a day old; `""`: not known.',
    ),
    is_group: z.boolean(),
    unread: integer(
      "How many messages of others have come since somebody of the account has written in the chat, or read it on the phone or by " +
        "`readMessage`.",
    ),
    marked_unread: boolean("It was marked as unread by hand."),
    archived: z.boolean(),
    pinned: z.boolean(),
    muted: z.boolean(),
    muted_until: integer("Unix seconds; 0: it is not muted, or without an end."),
    last_message_at: integer("Unix seconds; 0: there is none yet."),
    handover_until: integer(
      "Until when a person answers in it (`setHandover`), Unix seconds; 0: your program does.",
    ),
  })
  .openapi("Chat")

/** Contract, "Handover": the longest one, and the length of one that is asked for without. In seconds. */
export const longestHandover = 30 * 86_400
const usualHandover = 4 * 3600

const Handover = z
  .object({
    chat_id: string("As in events."),
    until: integer("Until when a person answers in this chat, Unix seconds; 0: your program answers."),
  })
  .openapi("Handover")

/** Contract, "Kept messages" */
export const KeptMessage = MessageEvent.omit({ event: true, offline: true, handover: true })
  .extend({
    from_me: boolean(
      "The session's own account wrote it: through this API, on its phone or on another of its devices.",
    ),
    status: z.enum(["pending", "sent", "delivered", "read", "played"]).optional().openapi({
      description:
        "Of a message that was sent through this API, for 30 days: as `getMessage` has it, which also has the times.",
    }),
  })
  .openapi("KeptMessage", {
    description:
      "A message that is kept, as its event has it, and as it is now: one that was edited has its new words and `edit` `edit`, one that was " +
      "revoked `edit` `revoke`, no content and `text` as its `type`, each with its own id as `target_id`. A pin and a reaction are messages of their own, with " +
      "the `target_id` of the one that they are about.",
  })

const ownDevices =
  "On the phone and all other devices of the account, and among the messages that are kept here; nobody else hears of it. Events that have " +
  "been made stay, and single messages are still found by their ids."

const page = {
  limit: limit.default(50),
  after: text(0, 256).optional().openapi({
    description: "The `X-Next-After` of the page before, of the same bridge and chat.",
  }),
}

export const listChats = createRoute({
  method: "get",
  path: `${proxy}/chats` as const,
  summary: "The chats of the session, the one with the latest message first",
  description:
    "Those with messages that are kept (`keep` of the bridge), and those that the phone has archived, pinned or muted. Where it has done so " +
    "before `keep` was set is known after the session's next login. It needs no connection.",
  request: { params: path, query: z.object(page) },
  responses: {
    200: reply(
      "A page. The header `X-Next-After` is there while there are more: give it as `after`. A chat that gets a message meanwhile moves " +
        "to the front, and is not on a later page.",
      z.array(Chat),
    ),
    ...refusals(...codesOfSession, "not_paired", "not_kept"),
  },
})

export const updateChat = createRoute({
  method: "patch",
  path: `${proxy}/chats/{chat}` as const,
  summary: "Archive, pin or mute a chat, or mark it as read or unread",
  description:
    "On the phone and all other devices of the account. Nobody else hears of it: `readMessage` sends a read receipt. Archiving ends a " +
    "pin. If a change fails after others, the error names those that were made.",
  request: {
    params: path.extend({ chat: ChatAddress }),
    body: body(
      someOf(
        z.object({
          archived: z.boolean().optional(),
          pinned: z.boolean().optional(),
          muted: z.boolean().optional(),
          muted_until: z.int().min(1).max(9_999_999_999).optional().openapi({
            description: "With `muted`: until when, Unix seconds; without it there is no end.",
          }),
          unread: boolean("False marks it as read.").optional(),
        }),
        ["archived", "pinned", "muted", "unread"],
      )
        .refine((wanted) => wanted.muted_until === undefined || wanted.muted === true, {
          path: ["muted_until"],
          message: "only with muted: true",
        })
        .refine((wanted) => !(wanted.archived && wanted.pinned), {
          path: ["pinned"],
          message: "an archived chat cannot be pinned",
        }),
    ),
  },
  responses: { 200: reply("The chat, as it is now.", Chat), ...refusals(...codesOfNetwork, "not_kept") },
})

export const clearChat = createRoute({
  method: "delete",
  path: `${proxy}/chats/{chat}/messages` as const,
  summary: "Clear a chat: remove its messages",
  description: `${ownDevices} Starred messages go, too.`,
  request: { params: path.extend({ chat: ChatAddress }) },
  responses: { 200: reply("Cleared.", Ok), ...refusals(...codesOfNetwork) },
})

export const deleteChat = createRoute({
  method: "delete",
  path: `${proxy}/chats/{chat}` as const,
  summary: "Delete a chat with its messages",
  description: `${ownDevices} A new message begins it anew. A group is not left.`,
  request: { params: path.extend({ chat: ChatAddress }) },
  responses: { 200: reply("Deleted.", Ok), ...refusals(...codesOfNetwork) },
})

const ChatTimer = z
  .object({
    chat_id: string("As in events."),
    disappearing: integer("After how many seconds its messages disappear; 0: they stay."),
  })
  .openapi("ChatTimer")

export const getChatTimer = createRoute({
  method: "get",
  path: `${proxy}/chats/{chat}/disappearing` as const,
  summary: "After what time the messages of a chat disappear",
  description: "For a chat between two people: as its devices have told since the phone was linked.",
  request: { params: path.extend({ chat: ChatAddress }) },
  responses: { 200: reply("The timer.", ChatTimer), ...refusals(...codesOfNetwork) },
})

export const setChatTimer = createRoute({
  method: "put",
  path: `${proxy}/chats/{chat}/disappearing` as const,
  summary: "Let the messages of a chat disappear after some time, or stay",
  description:
    "It holds for everybody in the chat, whose phones show who changed it, and for the messages that are sent from then on. Of a group it " +
    "is the `disappearing` of `updateGroup`.",
  request: {
    params: path.extend({ chat: ChatAddress }),
    body: body(z.object({ seconds: DisappearingAfter })),
  },
  responses: {
    200: reply("The timer, as it is now.", ChatTimer),
    ...refusals(...codesOfNetwork, "recipient_not_found", "not_admin", "send_outcome_unknown"),
  },
})

export const listHandovers = createRoute({
  method: "get",
  path: `${proxy}/handovers` as const,
  summary: "The chats in which a person answers",
  description:
    "Where somebody answers by hand, your program should be silent: its events of messages there have `handover`. It needs no connection, " +
    "and nothing that is kept.",
  request: {
    params: path,
    query: z.object({ chat: MessageChat.openapi({ description: "Only this chat." }) }),
  },
  responses: {
    200: reply("The chats, in no order. One that is not there is your program's.", z.array(Handover)),
    ...refusals(...codesOfSession, "not_paired"),
  },
})

export const setHandover = createRoute({
  method: "put",
  path: `${proxy}/chats/{chat}/handover` as const,
  summary: "Hand a chat over to a person, or take it back",
  description:
    "An answer that is written on the dashboard hands the chat over, too. A handover informs your program, which can still send. Each call starts the time again.",
  request: {
    params: path.extend({ chat: ChatAddress }),
    body: optionalBody(
      z.object({
        seconds: z
          .int()
          .min(0)
          .max(longestHandover)
          .default(usualHandover)
          .openapi({ description: "For how long a person answers; 0: your program answers from now on." }),
      }),
    ),
  },
  responses: {
    200: reply("The chat, as it is now. That is durable, and holds for the next event.", Handover),
    ...refusals(...codesOfSession, "not_paired"),
  },
})

export const listMessages = createRoute({
  method: "get",
  path: `${proxy}/chats/{chat}/messages` as const,
  summary: "The messages of a chat that are kept, newest first",
  description:
    "Those that came in or were sent in the last `keep` days of the bridge; of the time before `keep` was set, those of the events and " +
    "sends that were still known then. It needs no connection.",
  request: {
    params: path.extend({ chat: ChatAddress }),
    query: z
      .object({
        since: timeInQuery("Only messages from this time on, Unix seconds."),
        until: timeInQuery("Only messages before this time, Unix seconds."),
        person: PersonAddress.optional().openapi({ description: "Only messages that this person wrote." }),
        type: MessageEvent.shape.type.optional().openapi({ description: "Only messages of this type." }),
        ...page,
      })
      .refine(({ since, until }) => since === undefined || until === undefined || since < until, {
        path: ["until"],
        message: "not later than `since`: no message is from such a time",
      }),
  },
  responses: {
    200: reply(
      "`limit` messages or fewer: a page ends early if its messages are large, or if the filters match few. The header " +
        "`X-Next-After` is there while there may be more: give it as `after`.",
      z.array(KeptMessage),
    ),
    ...refusals(...codesOfSession, "not_paired", "not_kept"),
  },
})

export const searchMessages = createRoute({
  method: "get",
  path: `${proxy}/search` as const,
  summary: "The messages that are kept and have these words, in one chat or in all",
  description:
    "The words are found as they stand together in a message, its file's name, its cards or its people's names and numbers, in whichever case, " +
    "without accents, and with letters that look alike as one. Without `chat`, the chat with the latest message is searched first, then the next " +
    "one, and each from its newest message on. It needs no connection.",
  request: {
    params: path,
    query: z.object({
      words: text(1, 200).openapi({ description: "What the messages have." }),
      chat: MessageChat.openapi({ description: "Only messages of this chat." }),
      ...page,
    }),
  },
  responses: {
    200: reply(
      "`limit` messages or fewer, or none: a page ends after it has looked at 2,000, or for half a second. The header `X-Next-After` is there while there may be more: " +
        "give it as `after`. A chat that gets a message meanwhile moves to the front, and what was not searched of it is left out.",
      z.array(KeptMessage),
    ),
    ...refusals(...codesOfSession, "not_paired", "not_kept"),
  },
})

/** How many older messages a phone gives at once. */
const mostOlder = 50

export const askForOlder = createRoute({
  method: "post",
  path: `${proxy}/chats/{chat}/history` as const,
  summary: "Ask the phone for older messages of a chat",
  description:
    "The account's phone has what was said before it was linked here. It answers only while it is online. No event comes of these messages.",
  request: {
    params: path.extend({ chat: ChatAddress }),
    body: optionalBody(
      z.object({
        count: z.int().min(1).max(mostOlder).default(mostOlder),
        before: MessageId.optional().openapi({
          description: "The message of the chat before which they are; by default the oldest that is kept.",
        }),
      }),
    ),
  },
  responses: {
    200: reply(
      "Those that are no older than `keep` are now kept messages, if the bridge keeps any.",
      z.object({
        state: z.enum(["came", "asked"]).openapi({
          description:
            "`asked`: the phone has not answered within 20 seconds, as when it is off. Once it is online it answers, and what is kept is " +
            "then in `listMessages`.",
        }),
        messages: z.array(KeptMessage).openapi({ description: "Newest first." }),
        is_end: boolean("The phone has none that are older."),
      }),
    ),
    ...refusals(...codesOfNetwork),
  },
})
