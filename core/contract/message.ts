import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { Counts } from "./event.ts"
import {
  base64,
  Chat,
  ContentType,
  FetchedUrl,
  FileId,
  fileName,
  MessageId,
  PersonAddress,
  PhoneNumber,
  text,
} from "./field-types.ts"
import type { ErrorCode } from "./error.ts"
import { asking, body, Ok, optionalBody, proxy, refusals, reply, unreachable } from "./route-parts.ts"

const SendResult = z
  .object({
    message_id: z.string(),
    timestamp: z.number().int().openapi({ description: "Unix seconds, by the network's clock." }),
  })
  .openapi("SendResult")

const printable = /^[\x20-\x7e]{1,255}$/

/** Contract, "Idempotency". Parsed apart from the routes, since a fault in it has its own code. */
export const IdempotencyKey = z.string().regex(printable, "1 to 255 printable characters")

/** The headers of a route that takes an Idempotency-Key. */
export const idempotent = z.object({
  "idempotency-key": z.string().optional().openapi({
    description: "1 to 255 printable characters, unique for each message, or group; send the header once.",
    minLength: 1,
    maxLength: 255,
    pattern: printable.source,
  }),
})

/** Whether this route sends a message to others, or creates a group. Exactly those take an Idempotency-Key. */
export function isSend(route: { request?: { headers?: unknown } | undefined }): boolean {
  return route.request?.headers === idempotent
}

/** Contract, "New chats" */
const NewChat = z.enum(["refuse", "allow"]).openapi({
  description:
    "`refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and " +
    "the person is known from then on.",
})
export type NewChat = z.infer<typeof NewChat>

/** The fields that every message has besides its content. */
const addressed = {
  chat: Chat,
  quoted_message_id: MessageId.optional().openapi({
    description: "The message that this one replies to, of the same chat.",
  }),
  mentions: z.array(PersonAddress).max(1024).optional().openapi({
    description: "The people whom the text mentions.",
  }),
  new_chat: NewChat.optional(),
}

/** Contract, "Remembered messages": the id of a known message is enough, unless several messages have the same one. */
const MessageChat = Chat.optional().openapi({
  description: "The chat of the message; needed only if messages of several chats have this id.",
})

/** Why a call under an Idempotency-Key may have sent, or created, nothing; or may have, for all that is known. */
export const unsent = [
  "storage_full",
  "pacing",
  "send_outcome_unknown",
  "idempotency_conflict",
  "invalid_idempotency_key",
] as const

/** Why a file may not be sent. */
const fetching = [
  "url_not_allowed",
  "media_fetch_failed",
  "media_type_mismatch",
  "payload_too_large",
] as const

/** A rule across fields. */
interface Check<Fields extends z.ZodRawShape> {
  holds: (input: z.infer<z.ZodObject<Fields>>) => boolean
  path: keyof Fields & string
  message: string
}

/** A route that sends a message. */
function send<Path extends string, Fields extends z.ZodRawShape>(
  suffix: Path,
  summary: string,
  fields: Fields,
  more: { check?: Check<Fields>; refusals?: readonly ErrorCode[] } = {},
) {
  const { check } = more
  const schema = z.object(fields).refine(
    // The input has these fields, among others.
    (input) => check?.holds(input as z.infer<z.ZodObject<Fields>>) ?? true,
    { path: check && [check.path], message: check?.message },
  )
  return createRoute({
    method: "post",
    path: `${proxy}/send/${suffix}` as const,
    summary,
    request: { params: path, headers: idempotent, body: body(schema) },
    responses: {
      200: reply("The network has acknowledged the message.", SendResult),
      ...refusals(...asking, "recipient_not_found", "new_chat", ...unsent, ...(more.refusals ?? [])),
    },
  })
}

/** In bytes. A picture of this size and the text beside it fit into a body. */
const previewBytes = 256 * 1024

const Preview = z
  .object({
    url: text(1, 2048).openapi({ description: "The link, as it stands in `body`.", format: "uri" }),
    title: text(1, 300),
    description: text(0, 1000).optional(),
    image: base64(previewBytes).optional().openapi({
      description:
        "A JPEG, PNG or WebP of at most 256 KiB. It is sent small; anything else is `media_type_mismatch`.",
    }),
  })
  .openapi({ description: "What is shown of a link. The service never fetches a link in a text." })

export const sendText = send(
  "text",
  "Send a text message",
  { ...addressed, body: text(1, 65_536), preview: Preview.optional() },
  {
    check: {
      holds: ({ body, preview }) => !preview || body.includes(preview.url),
      path: "preview",
      message: "its url is not in the body",
    },
    refusals: ["media_type_mismatch", "payload_too_large"],
  },
)

/** In bytes. More does not fit into a body; it is uploaded, or fetched from a URL. */
const inlineBytes = 350_000

/** The three places of a file (Contract, "Sent files"). */
const source = {
  url: FetchedUrl.optional().openapi({
    description:
      "The service fetches it, and the Content-Type of the answer decides the kind: JPEG, PNG and WebP are sent as an image, " +
      "`audio/ogg` as a voice note, other audio as audio, video as video, everything else as a document. At most 16 MB, or " +
      "100 MB for a document. A picture may have 25 megapixels, or 200 if it is a JPEG that is not progressive. " +
      "Images and stickers are sent with a small preview, videos without one. An image, video or sound that does not begin " +
      "as its Content-Type says, or an image that cannot be decoded, is `media_type_mismatch`.",
  }),
  file: FileId.optional(),
  data: base64(inlineBytes).optional().openapi({ description: "A small file itself, at most 350 KB." }),
  content_type: ContentType.optional().openapi({ description: "Of `data`." }),
}

type Source = { [Name in keyof typeof source]?: string | undefined }

/** Whether no more than one place is named, and `data` with its type. */
function isOnePlace({ url, file, data, content_type }: Source): boolean {
  const named = [url, file, data].filter((place) => place !== undefined)
  return named.length < 2 && (data === undefined) === (content_type === undefined)
}

function hasFile({ url, file, data }: Source): boolean {
  return (url ?? file ?? data) !== undefined
}

export const sendMedia = send(
  "media",
  "Send an image, video, audio, document or sticker",
  {
    ...addressed,
    ...source,
    as_sticker: z.boolean().optional().openapi({
      description:
        "Sends a WebP as a sticker as it is, a JPEG or PNG as one of 512 by 512 pixels; any other file is `media_type_mismatch`.",
    }),
    as_voice: z
      .boolean()
      .optional()
      .openapi({
        description:
          "Makes any sound, or that of a video, a voice note with its waveform: at most 15 minutes, of a file of at most 100 MB. Without " +
          "ffmpeg at the service it is `conversion_unavailable`.",
      }),
    view_once: z.boolean().optional().openapi({
      description:
        "An image, a video or a voice note that can be opened once; any other file is `media_type_mismatch`.",
    }),
    caption: text(0, 65_536).optional().openapi({ description: "The text beside it." }),
    filename: fileName.optional().openapi({
      description:
        "The name of a document; by default that of the upload, or the last part of the URL's path.",
    }),
  },
  {
    check: {
      holds: (input) => hasFile(input) && isOnePlace(input) && !(input.as_voice && input.as_sticker),
      path: "url",
      message:
        "give one of url, file and data, and content_type with data alone; as_voice and as_sticker exclude each other",
    },
    refusals: [...fetching, "conversion_unavailable"],
  },
)

const Card = z
  .object({
    name: text(1, 255),
    phone: PhoneNumber.optional(),
    organization: text(0, 255).optional(),
    email: text(0, 255).optional(),
    vcard: text(1, 16_384)
      .regex(/^BEGIN:VCARD\r?\n[^]*\nEND:VCARD\s*$/i, "not a vCard: BEGIN:VCARD ... END:VCARD")
      .optional()
      .openapi({ description: "The whole card, in place of the fields above but the name." }),
  })
  .refine(({ phone, vcard }) => (phone === undefined) !== (vcard === undefined), {
    path: ["phone"],
    message: "give either a phone or a vcard",
  })

export const sendContact = send("contact", "Send contact cards", {
  ...addressed,
  contacts: z.array(Card).min(1).max(20),
})

/** Contract, "Forwarded messages" */
export const sendForward = send("forward", "Forward a message", {
  chat: Chat,
  message_id: MessageId,
  from_chat: MessageChat.openapi({
    description: "The chat that the message is in; needed only if messages of several chats have this id.",
  }),
})

/** Contract, "Statuses of an account": as long as phones let them be. */
const statusLength = 700

export const sendStatus = send(
  "status",
  "Post a status: a text, or a picture",
  {
    body: text(1, statusLength)
      .optional()
      .openapi({ description: "The text, or the one beside the picture." }),
    ...source,
    background: z
      .string()
      .regex(/^#[0-9a-f]{6}$/i, "not #RRGGBB")
      .optional()
      .openapi({ description: "The colour behind a text.", example: "#205e7a" }),
  },
  {
    check: {
      holds: (input) =>
        isOnePlace(input) && (hasFile(input) ? input.background === undefined : input.body !== undefined),
      path: "body",
      message:
        "give a body, a picture (one of url, file and data; content_type with data) or both; a background goes with a body alone",
    },
    refusals: fetching,
  },
)

/** A reaction quotes nothing and names nobody. */
export const sendReaction = send("reaction", "React to a message", {
  chat: MessageChat,
  emoji: text(0, 32).openapi({ description: '`""` removes the reaction.' }),
  message_id: MessageId,
})

/** Options are told apart only by their text. */
const options = z
  .array(text(1, 100))
  .min(2)
  .max(12)
  .refine((given) => new Set(given).size === given.length, "options must differ")

export const sendPoll = send(
  "poll",
  "Send a poll",
  {
    ...addressed,
    question: text(1, 255),
    options,
    max_answers: z
      .int()
      .min(0)
      .max(12)
      .optional()
      .openapi({ description: "How many options one person may choose; 0: any number; by default 1." }),
  },
  {
    check: {
      holds: (input) => (input.max_answers ?? 1) <= input.options.length,
      path: "max_answers",
      message: "more answers than options",
    },
  },
)

export const sendLocation = send("location", "Send a location", {
  ...addressed,
  lat: z.number().min(-90).max(90),
  lng: z.number().min(-180).max(180),
  name: text(0, 1000).optional(),
  address: text(0, 1000).optional(),
})

const UnixSeconds = z.int().min(0).max(253_402_300_799)

export const sendEvent = send(
  "event",
  "Send an event message, which recipients can answer",
  {
    ...addressed,
    name: text(1, 100),
    description: text(0, 2048).optional(),
    start_time: UnixSeconds.openapi({ description: "Unix seconds." }),
    end_time: UnixSeconds.optional().openapi({ description: "Unix seconds; not before the start." }),
    join_link: text(0, 2048).optional().openapi({ description: "The link for joining a call." }),
    has_reminder: z.boolean().optional(),
    is_schedule_call: z.boolean().optional(),
    reminder_offset_sec: z
      .int()
      .min(0)
      .max(31_536_000)
      .optional()
      .openapi({ description: "How long before the start the phone shows a reminder." }),
  },
  {
    check: {
      holds: (input) => (input.end_time ?? input.start_time) >= input.start_time,
      path: "end_time",
      message: "before start_time",
    },
  },
)

export const sendTyping = createRoute({
  method: "post",
  path: `${proxy}/send/typing` as const,
  summary: "Show that you are typing or recording",
  request: {
    params: path,
    body: body(z.object({ chat: Chat, state: z.enum(["composing", "recording", "paused"]) })),
  },
  responses: { 200: reply("Shown.", Ok), ...refusals(...asking, "recipient_not_found") },
})

const message = path.extend({ id: MessageId })

const MessageTime = (description: string) =>
  z
    .number()
    .int()
    .optional()
    .openapi({ description: `${description} Unix seconds.` })

/** Contract, "Looking up a message" */
const Message = z
  .object({
    message_id: z.string(),
    chat_id: z.string().openapi({ description: "As in events." }),
    contact_id: z.string().openapi({ description: "Who wrote it, as in events." }),
    from_me: z.boolean(),
    type: z
      .enum(["text", "media", "reaction", "poll", "location", "event", ""])
      .openapi({ description: 'As of a message event; `""` for what only changes another message.' }),
    media_type: z.enum(["", "image", "video", "audio", "voice", "document", "sticker"]),
    body: z.string().openapi({ description: "Its text: the caption of media, the question of a poll." }),
    status: z.enum(["pending", "sent", "delivered", "read", "played", "failed", "received"]).openapi({
      description:
        "`received`: somebody else wrote it. `pending`: it may have left, and the network has not acknowledged it; the same request " +
        "with the same `Idempotency-Key` sends it again under the same id. The others are those of the event `message_status`; " +
        "`delivered`, `read` and `played` are known only if `events` of the bridge named that type when it was sent. In a group: " +
        "how far all recipients have come.",
    }),
    sent_at: MessageTime("When the network had it."),
    delivered_at: MessageTime("When it was delivered, in a group last."),
    read_at: MessageTime("When it was read, in a group last."),
    played_at: MessageTime("When it was played, in a group last."),
    failed_at: MessageTime("When the network refused it."),
    received_at: MessageTime("When it came."),
    counts: Counts.optional().openapi({
      description: "In a group: how many recipients have come as far, those who have come further included.",
    }),
    reason: z.string().optional().openapi({ description: "Of `failed`: a sentence for people." }),
    network_code: z.number().int().optional().openapi({ description: "Of `failed`: the network's number." }),
  })
  .openapi("Message")

export const getMessage = createRoute({
  method: "get",
  path: `${proxy}/messages/{id}`,
  summary: "A message that was sent or received, and what has become of it",
  description:
    "For 30 days, whether or not a phone is linked now. Events that `events` and `ignore` switch off leave nothing to look up.",
  request: { params: message, query: z.object({ chat: MessageChat }) },
  responses: { 200: reply("The message.", Message), ...refusals(...unreachable) },
})

export const findMessage = createRoute({
  method: "get",
  path: `${proxy}/messages` as const,
  summary: "The message that was sent under an Idempotency-Key, and what has become of it",
  description: "For the 24 hours of the key. Unlike a repetition of the request, this never sends anything.",
  request: {
    params: path,
    query: z.object({
      idempotency_key: z
        .string()
        .min(1)
        .max(255)
        .refine((key) => printable.test(key), "1 to 255 printable characters")
        .openapi({ description: "As in the header of the request that sent it." }),
    }),
  },
  responses: { 200: reply("The message.", Message), ...refusals(...unreachable) },
})

/** Contract, "Sent messages" */
export const SentMessage = Message.extend({
  asked_at: z.number().int().openapi({ description: "When it was asked for, Unix seconds." }),
  request_id: z.string().optional().openapi({
    description: "The call that first asked for it, as its `X-Request-Id` said.",
  }),
}).openapi("SentMessage")

export const listSent = createRoute({
  method: "get",
  path: `${proxy}/sent` as const,
  summary: "The messages that were sent through the API, newest first, and what has become of each",
  description:
    "Of the last 30 days, the latest 10,000. It needs no connection. A call that was refused sent nothing: `listRequests` says why.",
  request: {
    params: path,
    query: z.object({
      chat: MessageChat.openapi({ description: "Only messages to this chat." }),
      limit: z.coerce.number().int().min(1).max(100).default(50),
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
    ...refusals(...unreachable),
  },
})

export const revokeMessage = createRoute({
  method: "delete",
  path: `${proxy}/messages/{id}` as const,
  summary: "Revoke a sent message for everyone",
  request: { params: message, headers: idempotent },
  responses: {
    200: reply("Revoked.", SendResult),
    ...refusals(...asking, "not_own_message", ...unsent),
  },
})

export const editMessage = createRoute({
  method: "patch",
  path: `${proxy}/messages/{id}/edit` as const,
  summary: "Change the text of a sent message",
  request: {
    params: message,
    headers: idempotent,
    body: body(z.object({ chat: MessageChat, body: text(1, 65_536) })),
  },
  responses: {
    200: reply("Changed; the id is the edited message's.", SendResult),
    ...refusals(...asking, "not_own_message", ...unsent),
  },
})

/** Contract, "Pinned messages". For how long, in seconds: a day, a week, or 30 days. */
const pinnedFor = [86_400, 604_800, 2_592_000] as const
const PinnedFor = z
  .literal(pinnedFor)
  .optional()
  .openapi({ enum: [...pinnedFor], description: "For how many seconds; by default 604,800, a week." })

export const pinMessage = createRoute({
  method: "post",
  path: `${proxy}/messages/{id}/pin` as const,
  summary: "Pin a message in its chat, for everyone",
  request: {
    params: message,
    headers: idempotent,
    body: optionalBody(z.object({ chat: MessageChat, duration: PinnedFor })),
  },
  responses: { 200: reply("Pinned.", SendResult), ...refusals(...asking, ...unsent) },
})

export const unpinMessage = createRoute({
  method: "delete",
  path: `${proxy}/messages/{id}/pin` as const,
  summary: "Unpin a message",
  request: { params: message, headers: idempotent },
  responses: { 200: reply("Unpinned.", SendResult), ...refusals(...asking, ...unsent) },
})

export const readMessage = createRoute({
  method: "post",
  path: `${proxy}/messages/{id}/read` as const,
  summary: "Send a read receipt",
  request: { params: message, body: optionalBody(z.object({ chat: MessageChat })) },
  responses: { 200: reply("Sent.", Ok), ...refusals(...asking) },
})

export const messageMedia = createRoute({
  method: "get",
  path: `${proxy}/messages/{id}/media` as const,
  summary: "The file of a received message",
  request: { params: message },
  responses: {
    200: {
      description: "The bytes, with the sender's content type, as an attachment.",
      content: { "application/octet-stream": { schema: z.string().openapi({ format: "binary" }) } },
    },
    ...refusals(...asking, "media_expired", "payload_too_large"),
  },
})
