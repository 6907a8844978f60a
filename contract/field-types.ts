import { z } from "@hono/zod-openapi"

/** No NUL. An escape that each language's patterns know. */
const withoutNul = "^[^\\x00]*$"

/**
 * Text as people write it: no lone surrogates, which no protocol carries, and no NUL. Characters are counted
 * as JSON Schema counts them, those outside of the basic plane once.
 */
export function text(min: number, max: number) {
  return z
    .string()
    .regex(new RegExp(withoutNul), "not well-formed text")
    .superRefine((given, context) => {
      const about = { origin: "string", inclusive: true, input: given } as const
      if (!given.isWellFormed()) context.addIssue("not well-formed text")
      // The second half of a character of two is none by itself.
      const length = given.length - (given.match(/[\udc00-\udfff]/g)?.length ?? 0)
      if (length > max) context.addIssue({ ...about, code: "too_big", maximum: max })
      if (length < min) context.addIssue({ ...about, code: "too_small", minimum: min })
    })
    .openapi({ ...(min > 0 && { minLength: min }), maxLength: max })
}

/** A pattern for a word in any case: flags are no part of a pattern in a document. */
export function inAnyCase(word: string): string {
  return word.replaceAll(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)
}

/** A pattern for the beginning of an http or https URL. */
const httpUrl = `^${inAnyCase("http")}[Ss]?://`
/** A pattern for an http or https URL without spaces, control characters and a fragment. */
export const plainUrl = `${httpUrl}[^\\s#\\x00-\\x1f\\x7f-\\x9f]+$`

// A field with what it says. Where a caller fills it in, text has its bounds too.
export const string = (description: string) => z.string().openapi({ description })
export const boolean = (description: string) => z.boolean().openapi({ description })
export const integer = (description: string) => z.int().openapi({ description })

/** Most times of answers and events. */
export const Timestamp = integer("Unix seconds.")

/** A whole number in a query, which is text there. */
export function inQuery(min: number, max: number) {
  return z
    .string()
    .regex(/^-?[0-9]{1,16}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .openapi({ type: "integer", minimum: min, maximum: max })
}

/** A time in a query, in Unix seconds. */
export const timeInQuery = (description: string) =>
  inQuery(0, 9_999_999_999).optional().openapi({ description })

/** How many a page has at most. */
export const limit = inQuery(1, 100)

/** Bytes, at most so many, as the standard base64 of RFC 4648. @param what they are: a sentence */
export function base64(maxBytes: number, what: string) {
  return z
    .base64("not base64: give its characters alone, without `data:…;base64,` before them")
    .min(1)
    .max(Math.ceil(maxBytes / 3) * 4)
    .openapi({
      description: `In base64 (RFC 4648, with padding): ${what}`,
      pattern: "^(?:[0-9A-Za-z+/]{4})*(?:[0-9A-Za-z+/]{2}==|[0-9A-Za-z+/]{3}=)?$",
    })
}

/**
 * A URL that the service fetches for a caller. Schemes other than http(s) are refused then
 * (`url_not_allowed`).
 */
export const FetchedUrl = text(1, 2048)
  .refine((url) => url === url.trim() && URL.canParse(url), "not a URL")
  .openapi({ format: "uri", pattern: `${httpUrl}[^\\x00]*[^\\s\\x00]$` })

/** A type of content. Parameters (`audio/ogg; codecs=opus`) are left out: a file's own bytes say more. */
export const ContentType = z
  .string()
  .max(100)
  .regex(/^[0-9A-Za-z_.+-]+\/[0-9A-Za-z_.+-]+(?: *;[ -~]*)?$/, "not a type of content, such as image/jpeg")
  .overwrite((type) => type.replace(/ *;.*/, ""))
  .openapi({ example: "image/jpeg" })

/** The name under which recipients see a document. */
export const fileName = text(1, 255)

/** An uploaded file (Contract, "Uploads"). */
export const FileId = z
  .string()
  .regex(/^[0-9A-Za-z_-]{22}$/, "not the id of a file: POST .../files gives one")
  .openapi({ description: "An uploaded file, as `createUpload` gave it.", example: "mN3x8QbX0mJ7cVtY2kLw5g" })

// The forms of a chat's or a person's name, each as a part of a pattern. In some languages `\d` and `\w` are
// more than ASCII, and the patterns are read there, too.
const number = "\\+?[0-9]{7,15}"
const person = `${number}|[0-9]{7,15}@s\\.whatsapp\\.net|[0-9]{1,20}@lid`
const group = "[0-9]{1,20}(?:-[0-9]{1,20})?@g\\.us"
/** The servers of JIDs, in any case: a JID without its beginning is no username. */
const servers = ["s.whatsapp.net", "g.us", "lid", "c.us", "broadcast", "newsletter", "hosted", "hosted.lid"]
  .map((name) => inAnyCase(name.replaceAll(".", "\\.")))
  .join("|")
const username = `@(?!(?:${servers})(?::|$))[0-9A-Za-z_.]{3,35}(?::[0-9]{4})?`

const oneOf = (...forms: string[]) => new RegExp(`^(?:${forms.join("|")})$`)

export const PhoneNumber = z
  .string()
  .regex(oneOf(number), "7 to 15 digits without spaces or dashes")
  .openapi({ description: "7 to 15 digits; a leading `+` is dropped.", example: "491711234567" })

/** A chat, in any form in which a caller may name it (Contract, "Chats and message ids"). */
export const ChatId = z
  .string()
  .regex(
    oneOf(person, group, username),
    "7 to 15 digits without spaces or dashes, a JID (<digits>@s.whatsapp.net, <digits>@lid, <id>@g.us), or @<username>",
  )
  .openapi({
    description:
      "A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a " +
      "group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for.",
    example: "491711234567",
  })

/** One person, in any form in which a caller may name them. */
export const ContactId = z
  .string()
  .regex(
    oneOf(person, username),
    "7 to 15 digits without spaces or dashes, a JID (<digits>@s.whatsapp.net, <digits>@lid), or @<username>",
  )
  .openapi({
    description:
      "A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a " +
      "username: `@ada`, or `@ada:1234`.",
    example: "491711234567",
  })

/** One person, in a form that names them without asking the network. */
export const PersonAddress = z
  .string()
  .regex(
    oneOf(person),
    "7 to 15 digits without spaces or dashes, or a JID: <digits>@s.whatsapp.net, <digits>@lid",
  )
  .openapi({
    description:
      "A phone number of 7 to 15 digits (a leading `+` is dropped), or a person's JID: `…@s.whatsapp.net`, `…@lid`.",
    example: "491711234567",
  })

/** A chat, in a form that names it without asking the network. */
export const ChatAddress = z
  .string()
  .regex(
    oneOf(person, group),
    "7 to 15 digits without spaces or dashes, or a JID: <digits>@s.whatsapp.net, <digits>@lid, <id>@g.us. Whose a username is, `GET .../contacts/@<username>` says",
  )
  .openapi({
    description:
      "A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's " +
      "(`…@g.us`).",
    example: "491711234567",
  })

/** A chat as events name it: a status and a broadcast list, too. */
export const ChatOfEvents = z
  .string()
  .regex(
    oneOf(number, "[0-9A-Za-z.-]{1,64}@[a-z.]{1,32}"),
    "7 to 15 digits, or a JID: events name no chat by a username. `GET .../contacts/@<username>` says whose it is",
  )
  .openapi({ description: "Only events with this `chat_id`; digits, or a JID." })

export const GroupId = z
  .string()
  .regex(oneOf(group), "the JID of a group: <id>@g.us")
  .openapi({ description: "A group's JID: `…@g.us`.", example: "120363041234567890@g.us" })

export const ChannelId = z
  .string()
  .regex(oneOf("[0-9]{1,20}@newsletter"), "the JID of a channel: <id>@newsletter")
  .openapi({ description: "A channel's JID: `…@newsletter`.", example: "120363041234567890@newsletter" })

/** The network's id of a message or a call, with any characters (Contract, "Chats and message ids"). */
const OpaqueId = text(1, 256)

export const MessageId = OpaqueId.openapi({
  description: "A message id, as an event or a send result gave it; in a path percent-encoded.",
  example: "3EB0A1B2C3D4E5F6A7B8C9",
})

export const CallId = OpaqueId.openapi({
  description: "A call id, as `call_incoming` gave it; percent-encoded.",
})

/** In seconds: never, a day, a week, 90 days. The network takes no others. */
const timers = [0, 86_400, 604_800, 7_776_000] as const
export const DisappearingAfter = z.literal(timers).openapi({
  type: "integer",
  enum: [...timers],
  description: "After how many seconds messages disappear: a day, a week, 90 days; 0: never.",
})

/** A name that can be seen. */
export const visibleName = (max: number) =>
  text(1, max).regex(/\S/, "has no visible character").openapi({ pattern: "^[^\\x00]*[^\\s\\x00][^\\x00]*$" })

/** Whom a right in a group belongs to. */
const Who = z.enum(["all", "admins"])

/** What is set for a group: in its card, in a change of it, and in the event about one. */
export const groupSettings = {
  write: Who.openapi({ description: "Who may write." }),
  edit: Who.openapi({ description: "Who may change name, topic, picture and disappearing messages." }),
  add_members: Who.openapi({ description: "Who may add members." }),
  approval: boolean("Whether admins decide about those who come by the link."),
  disappearing: integer("After how many seconds messages disappear; 0: they do not."),
}

/**
 * An object whose fields all are optional, with one of them at least.
 * @param fields those of which one has to be there; all, unless they are named
 */
export function someOf<Shape extends z.ZodRawShape>(
  object: z.ZodObject<Shape>,
  fields = Object.keys(object.shape),
) {
  const names = `${fields.slice(0, -1).join(", ")} and ${fields.at(-1)}`
  return object
    .refine((given) => fields.some((field) => given[field as keyof typeof given] !== undefined), {
      message: `give at least one of ${names}`,
    })
    .openapi({ anyOf: fields.map((field) => ({ required: [field] })) })
}
