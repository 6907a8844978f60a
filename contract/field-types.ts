import { z } from "@hono/zod-openapi"

/** Text as people write it: no lone surrogates, which no protocol carries, and no NUL. */
export function text(min: number, max: number) {
  return z
    .string()
    .min(min)
    .max(max)
    .refine((given) => given.isWellFormed() && !given.includes("\0"), "not well-formed text")
}

// A field with what it says. Where a caller fills it in, text has its bounds too.
export const string = (description: string) => z.string().openapi({ description })
export const boolean = (description: string) => z.boolean().openapi({ description })
export const integer = (description: string) => z.int().openapi({ description })

/** Most times of answers and events. */
export const Timestamp = integer("Unix seconds.")

/** A time in a query, in Unix seconds. */
export const timeInQuery = (description: string) =>
  z.coerce.number().int().min(0).max(9_999_999_999).optional().openapi({ type: "integer", description })

/** How many a page has at most. */
export const limit = z.coerce.number().int().min(1).max(100)

/** Bytes, at most so many, as the standard base64 of RFC 4648. @param what they are: a sentence */
export function base64(maxBytes: number, what: string) {
  return z
    .base64("not base64")
    .min(1)
    .max(Math.ceil(maxBytes / 3) * 4)
    .openapi({ description: `In base64 (RFC 4648, with padding): ${what}` })
}

/**
 * A URL that the service fetches for a caller. Schemes other than http(s) are refused then
 * (`url_not_allowed`).
 */
export const FetchedUrl = text(1, 2048)
  .refine((url) => URL.canParse(url), "not a URL")
  .openapi({ format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://" })

/** A type of content. Parameters (`audio/ogg; codecs=opus`) are left out: a file's own bytes say more. */
export const ContentType = z
  .string()
  .max(100)
  .regex(/^[\w.+-]+\/[\w.+-]+(?: *;.*)?$/, "not a type of content, such as image/jpeg")
  .overwrite((type) => type.replace(/ *;.*/, ""))
  .openapi({ example: "image/jpeg" })

/** The name under which recipients see a document. */
export const fileName = text(1, 255)

/** An uploaded file (Contract, "Uploads"). */
export const FileId = z
  .string()
  .regex(/^[\w-]{22}$/, "not the id of a file: POST .../files gives one")
  .openapi({ description: "An uploaded file, as `createUpload` gave it.", example: "mN3x8QbX0mJ7cVtY2kLw5g" })

export const PhoneNumber = z
  .string()
  .regex(/^\+?\d{7,15}$/, "7 to 15 digits without spaces or dashes")
  .openapi({ description: "7 to 15 digits; a leading `+` is dropped.", example: "491711234567" })

/** A chat, in any form in which a caller may name it (Contract, "Chats and message ids"). */
export const ChatId = z
  .string()
  .regex(
    /^(?:\+?\d{7,15}|\d{7,15}@s\.whatsapp\.net|\d{1,20}@lid|\d{1,20}(?:-\d{1,20})?@g\.us|@[\w.]{3,35}(?::\d{4})?)$/,
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
    /^(?:\+?\d{7,15}|\d{7,15}@s\.whatsapp\.net|\d{1,20}@lid|@[\w.]{3,35}(?::\d{4})?)$/,
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
    /^(?:\+?\d{7,15}|\d{7,15}@s\.whatsapp\.net|\d{1,20}@lid)$/,
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
    /^(?:\+?\d{7,15}|\d{7,15}@s\.whatsapp\.net|\d{1,20}@lid|\d{1,20}(?:-\d{1,20})?@g\.us)$/,
    "7 to 15 digits without spaces or dashes, or a JID: <digits>@s.whatsapp.net, <digits>@lid, <id>@g.us. Whose a username is, `GET .../contacts/@<username>` says",
  )
  .openapi({
    description:
      "A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's " +
      "(`…@g.us`).",
    example: "491711234567",
  })

export const GroupId = z
  .string()
  .regex(/^\d{1,20}(?:-\d{1,20})?@g\.us$/, "the JID of a group: <id>@g.us")
  .openapi({ description: "A group's JID: `…@g.us`.", example: "120363041234567890@g.us" })

/** The network's id of a message or a call, with any characters (Contract, "Chats and message ids"). */
const OpaqueId = text(1, 256)

export const MessageId = OpaqueId.openapi({
  description: "A message id, as an event or a send result gave it; in a path percent-encoded.",
  example: "3EB0A1B2C3D4E5F6A7B8C9",
})

export const CallId = OpaqueId.openapi({
  description: "A call id, as `call_incoming` gave it; percent-encoded.",
})

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
