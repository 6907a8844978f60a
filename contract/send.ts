import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import type { ErrorCode } from "./error.ts"
import {
  base64,
  boolean,
  ChatId,
  ContentType,
  FetchedUrl,
  FileId,
  inAnyCase,
  fileName,
  MessageId,
  PersonAddress,
  PhoneNumber,
  text,
} from "./field-types.ts"
import { codesOfSend, idempotencyHeaders } from "./idempotency-key.ts"
import { MessageChat, SendResult } from "./message.ts"
import { planning } from "./planned.ts"
import { codesOfNetwork, body, codesOfFile, Ok, proxy, refusals, reply } from "./route-parts.ts"

/** Contract, "New chats" */
const NewChat = z.enum(["refuse", "allow"]).openapi({
  description:
    "`refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and " +
    "the person is known from then on.",
})
export type NewChat = z.infer<typeof NewChat>

/** Fields with which a send first marks a message as read and shows typing, as a phone does. */
const answering = {
  read: MessageId.optional().openapi({
    description:
      "A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, " +
      "this message is sent all the same. A replay under an Idempotency-Key marks nothing.",
  }),
  typing_ms: z.int().min(0).max(10_000).optional().openapi({
    description:
      "For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`.",
  }),
}

/** The fields that every message has besides its content. */
const addressed = {
  chat: ChatId,
  quoted_message_id: MessageId.optional().openapi({
    description: "The message that this one replies to, of the same chat.",
  }),
  mentions: z.array(PersonAddress).max(1024).optional().openapi({
    description: "The people whom the text mentions.",
  }),
  new_chat: NewChat.optional(),
  ...answering,
}

/** A rule across fields. */
interface Check<Fields extends z.ZodRawShape> {
  holds: (input: z.infer<z.ZodObject<Fields>>) => boolean
  path: keyof Fields & string
  message: string
}

/** Which fields are required together or instead of each other: the `checks`, in words of JSON Schema. */
type Shown = Partial<Record<"oneOf" | "anyOf", Record<"required", string[]>[]>>

/** A route that sends a message. */
function send<Path extends string, Fields extends z.ZodRawShape>(
  suffix: Path,
  summary: string,
  fields: Fields,
  more: {
    checks?: Check<Fields>[]
    refusals?: readonly ErrorCode[]
    shown?: Shown
  } = {},
) {
  const schema = (more.checks ?? []).reduce(
    (checked, { holds, path, message }) =>
      // The input has these fields, among others.
      checked.refine((input) => holds(input as z.infer<z.ZodObject<Fields>>), { path: [path], message }),
    z.object({ ...fields, ...planning }).refine((input) => !("valid_for" in input) || "send_at" in input, {
      path: ["valid_for"],
      message: "only with send_at",
    }),
  )
  // While the fields are generic, the compiler cannot tell which metadata fit them.
  const shown = schema.openapi({ ...more.shown } as object)
  return createRoute({
    method: "post",
    path: `${proxy}/send/${suffix}` as const,
    summary,
    request: { params: path, headers: idempotencyHeaders, body: body(shown) },
    responses: {
      200: reply("The network has acknowledged the message.", SendResult),
      ...refusals(
        ...new Set<ErrorCode>([
          ...codesOfNetwork,
          "recipient_not_found",
          "not_admin",
          "message_revoked",
          "new_chat",
          "plan_limit_reached",
          "payload_too_large",
          ...codesOfSend,
          ...(more.refusals ?? []),
        ]),
      ),
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
    image: base64(
      previewBytes,
      "a JPEG, PNG or WebP of at most 256 KiB. It is sent small; anything else is `media_type_mismatch`.",
    ).optional(),
  })
  .openapi({ description: "What is shown of a link, in your words: nothing is fetched." })

export const sendText = send(
  "text",
  "Send a text message",
  {
    ...addressed,
    body: text(1, 65_536),
    preview: Preview.optional(),
    link_preview: boolean(
      "Whether the service fetches the page of the text's first link, and shows its title, description and picture. By default as " +
        "`link_previews` of the bridge says. The text goes without where that cannot be had within seven seconds.",
    ).optional(),
  },
  {
    checks: [
      {
        holds: ({ preview, link_preview }) => !(preview && link_preview),
        path: "link_preview",
        message: "not with preview: give one of the two",
      },
      {
        holds: ({ body, preview }) => !preview || body.includes(preview.url),
        path: "preview",
        message: "its url is not in the body",
      },
    ],
    refusals: ["media_type_mismatch", "payload_too_large"],
  },
)

/** In bytes. More does not fit into a body; it is uploaded, or fetched from a URL. */
export const inlineBytes = 350_000

/** The three places of a file (Contract, "Sent files"). */
const source = {
  url: FetchedUrl.optional().openapi({
    description:
      "The service fetches it. (A small file may stand in `data` instead, in base64; a larger one is uploaded, and named in `file`.) " +
      "Its first bytes decide how it is sent, whatever its server says: JPEG, PNG and WebP are sent as " +
      "an image, Ogg as a voice note, other sounds as audio, a video as video, an animated GIF as a video that plays like one " +
      "(without ffmpeg at the service `conversion_unavailable`), everything else as a document. At most 16 MB, or " +
      "100 MB for a document. A picture may have 25 megapixels, or 200 if it is a JPEG that is not progressive. " +
      "What is said to be an image, a video or a sound and does not begin like one, or an image that cannot be decoded, is " +
      "`media_type_mismatch`, and so is an empty file.",
  }),
  file: FileId.optional(),
  data: base64(inlineBytes, "a small file itself, of at most 350 KB.").optional(),
  content_type: ContentType.optional().openapi({
    description:
      "Required with `data`, as `image/png`. With `url` it counts in place of what that server says. " +
      "`application/octet-stream`: whatever it is. Where the first bytes show something else, it is `media_type_mismatch`.",
  }),
}

const placesOfFile = ["url", "file", "data"].map((place) => ({ required: [place] }))

type Source = { [Name in keyof typeof source]?: string | undefined }

const typeWithData = {
  holds: ({ url, data, content_type }: Source) =>
    content_type === undefined ? data === undefined : (data ?? url) !== undefined,
  path: "content_type" as const,
  message: "`data` needs it, as image/png; `url` may have it, and nothing else",
}

/** Whether no more than one place is named. */
function isOnePlace({ url, file, data }: Source): boolean {
  return [url, file, data].filter((place) => place !== undefined).length < 2
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
    as_sticker: boolean(
      "Sends a WebP as a sticker as it is, a JPEG or PNG as one of 512 by 512 pixels; any other file is `media_type_mismatch`.",
    ).optional(),
    as_voice: boolean(
      "Makes any sound, or that of a video, a voice note with its waveform: at most 15 minutes, of a file of at most 100 MB. Without " +
        "ffmpeg at the service it is `conversion_unavailable`.",
    ).optional(),
    as_document: boolean(
      "Sends any file as it is, also a picture, a video or a sound, as a document of at most 100 MB.",
    ).optional(),
    gif_playback: boolean(
      "Sends a video as phones send a GIF: it plays by itself, again and again, without sound. Any other file but an animated GIF, which " +
        "is always sent so, is `media_type_mismatch`.",
    ).optional(),
    video_note: boolean(
      "Sends a video as phones record a video note: round, without a text. Any other file is `media_type_mismatch`.",
    ).optional(),
    view_once: boolean(
      "An image, a video or a voice note that can be opened once; any other file is `media_type_mismatch`.",
    ).optional(),
    caption: text(0, 65_536).optional().openapi({
      description:
        "The text beside an image, a video or a document; any other file is then `media_type_mismatch`.",
    }),
    filename: fileName.optional().openapi({
      description:
        "The name of a document; by default that of the upload, or that in the Content-Disposition of the URL's answer, or the " +
        "last part of the URL's path. It goes without invisible characters, and with `_` for each `/` and `\\`.",
    }),
  },
  {
    checks: [
      {
        holds: (input) => hasFile(input) && isOnePlace(input),
        path: "url",
        message: "give one of url, file and data",
      },
      {
        holds: ({ as_voice, as_sticker }) => !(as_voice && as_sticker),
        path: "as_voice",
        message: "not with as_sticker: give one of the two",
      },
      {
        holds: ({ as_document, as_voice, as_sticker }) => !(as_document && (as_voice || as_sticker)),
        path: "as_document",
        message: "not with as_voice or as_sticker: give one of these",
      },
      {
        holds: ({ gif_playback, as_document, as_voice, as_sticker, view_once }) =>
          !(gif_playback && (as_document || as_voice || as_sticker || view_once)),
        path: "gif_playback",
        message: "not with as_document, as_voice, as_sticker or view_once: none of these plays as a GIF",
      },
      {
        holds: ({ video_note, as_document, as_voice, as_sticker, gif_playback, caption }) =>
          !(video_note && (as_document || as_voice || as_sticker || gif_playback || caption)),
        path: "video_note",
        message:
          "not with as_document, as_voice, as_sticker, gif_playback or caption: none goes with a video note",
      },
      {
        holds: ({ view_once, as_sticker, as_document }) => !(view_once && (as_sticker || as_document)),
        path: "view_once",
        message: "not with as_sticker or as_document: these can be opened again",
      },
      {
        holds: ({ caption, as_voice, as_sticker }) => !(caption && (as_voice || as_sticker)),
        path: "caption",
        message: "not with as_voice or as_sticker: no text stands beside these",
      },
      {
        holds: ({ filename, as_voice, as_sticker, view_once }) =>
          filename === undefined || !(as_voice || as_sticker || view_once),
        path: "filename",
        message: "not with as_voice, as_sticker or view_once: only a document has a name",
      },
      typeWithData,
    ],
    refusals: [...codesOfFile, "conversion_unavailable"],
    shown: { oneOf: placesOfFile },
  },
)

const vCard = `^${inAnyCase("BEGIN:VCARD")}\\r?\\n[^\\x00]*\\n${inAnyCase("END:VCARD")}[ \\t\\r\\n]*$`

const Card = z
  .object({
    name: text(1, 255),
    phone: PhoneNumber.optional(),
    organization: text(0, 255).optional(),
    email: text(0, 255).optional(),
    vcard: text(1, 16_384)
      .regex(new RegExp(vCard), "not a vCard: BEGIN:VCARD ... END:VCARD")
      .optional()
      .openapi({ pattern: vCard, description: "The whole card, in place of the fields above but the name." }),
  })
  .refine(({ phone, vcard }) => (phone === undefined) !== (vcard === undefined), {
    path: ["phone"],
    message: "give either a phone or a vcard",
  })
  .refine(({ organization, vcard }) => organization === undefined || vcard === undefined, {
    path: ["organization"],
    message: "not with a vcard: write it there",
  })
  .refine(({ email, vcard }) => email === undefined || vcard === undefined, {
    path: ["email"],
    message: "not with a vcard: write it there",
  })
  .openapi({ oneOf: [{ required: ["phone"] }, { required: ["vcard"] }] })

export const sendContact = send("contact", "Send contact cards", {
  ...addressed,
  contacts: z.array(Card).min(1).max(20),
})

/** Contract, "Forwarded messages" */
export const sendForward = send("forward", "Forward a message", {
  chat: ChatId,
  message_id: MessageId,
  from_chat: MessageChat.openapi({
    description: "The chat that the message is in; needed only if messages of several chats have this id.",
  }),
  ...answering,
})

/** Contract, "Statuses of an account": as long as phones let them be. */
const statusLength = 700

export const sendStatus = send(
  "status",
  "Post a status: a text, a picture, a video or a sound",
  {
    body: text(1, statusLength)
      .optional()
      .openapi({ description: "The text, or the one beside the picture or the video." }),
    ...source,
    background: z
      .string()
      .regex(/^#[0-9A-Fa-f]{6}$/, "not #RRGGBB")
      .optional()
      .openapi({ description: "The colour behind a text or a sound.", example: "#205e7a" }),
  },
  {
    checks: [
      {
        holds: (input) => isOnePlace(input) && (hasFile(input) || input.body !== undefined),
        path: "body",
        message: "give a body, a file (one of url, file and data) or both",
      },
      typeWithData,
    ],
    refusals: [...codesOfFile, "conversion_unavailable"],
    shown: { anyOf: [{ required: ["body"] }, ...placesOfFile] },
  },
)

/** A reaction has neither a quote nor mentions. */
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
  .openapi({ uniqueItems: true })

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
    checks: [
      {
        holds: (input) => (input.max_answers ?? 1) <= input.options.length,
        path: "max_answers",
        message: "more answers than options",
      },
    ],
  },
)

export const sendLocation = send("location", "Send a location", {
  ...addressed,
  lat: z.number().min(-90).max(90),
  lng: z.number().min(-180).max(180),
  name: text(0, 1000).optional(),
  address: text(0, 1000).optional(),
})

const UnixSeconds = z.int().min(0).max(253_402_300_799, "must be in Unix seconds, not milliseconds")

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
    checks: [
      {
        holds: (input) => (input.end_time ?? input.start_time) >= input.start_time,
        path: "end_time",
        message: "before start_time",
      },
      {
        holds: (input) => input.reminder_offset_sec === undefined || input.has_reminder === true,
        path: "reminder_offset_sec",
        message: "only with has_reminder: true",
      },
    ],
  },
)

export const sendTyping = createRoute({
  method: "post",
  path: `${proxy}/send/typing` as const,
  summary: "Show that you are typing or recording",
  request: {
    params: path,
    body: body(z.object({ chat: ChatId, state: z.enum(["composing", "recording", "paused"]) })),
  },
  responses: { 200: reply("Shown.", Ok), ...refusals(...codesOfNetwork, "recipient_not_found") },
})
