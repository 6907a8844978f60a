import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { boolean, ContactId, inQuery, PhoneNumber, string, text, visibleName } from "./field-types.ts"
import { codesOfNetwork, body, Ok, proxy, refusals, reply, codesOfSession } from "./route-parts.ts"

/** Contract, "Contacts" */
export const Contact = z
  .object({
    about: z.string(),
    business_address: z.string(),
    business_email: z.string(),
    business_name: z.string(),
    first_name: z.string(),
    full_name: z.string(),
    is_business: z.boolean(),
    jid: z.string(),
    name: z.string(),
    phone: z.string(),
    redacted_phone: z.string(),
    registered: boolean(
      "Whether the person is on the network. Contacts count as registered until `contacts/check` or `contacts/{jid}`, which " +
        "ask the network, find that one is not.",
    ),
    username: string('Without its `@`; `""` if none is known.'),
    verified_name: z.string(),
  })
  .openapi("Contact")
export type Contact = z.infer<typeof Contact>

/** Contract, "Contacts" */
const ContactCheck = z
  .object({
    is_business: z.boolean(),
    is_on_whatsapp: z.boolean(),
    jid: z.string(),
    phone: z.string(),
    registered: z.boolean(),
    verified_name: z.string(),
  })
  .openapi("ContactCheck")

export const jpeg = {
  description: "The picture.",
  content: { "image/jpeg": { schema: z.string().openapi({ format: "binary" }) } },
}

export const listContacts = createRoute({
  method: "get",
  path: `${proxy}/contacts` as const,
  summary: "The contacts of the session, by JID",
  request: {
    params: path,
    query: z.object({
      limit: inQuery(1, 1000).optional(),
      after: text(0, 128).optional().openapi({ description: "The last JID of the previous page." }),
    }),
  },
  responses: {
    200: reply("A page; one shorter than `limit` is the last.", z.array(Contact)),
    ...refusals(...codesOfSession, "not_paired", "storage_full", "file_limit_reached"),
  },
})

export const checkContacts = createRoute({
  method: "post",
  path: `${proxy}/contacts/check` as const,
  summary: "Which phone numbers are on the network",
  request: {
    params: path,
    body: body(
      z.object({
        phones: z.array(PhoneNumber).min(1).max(100),
      }),
    ),
  },
  responses: {
    200: reply("One result for each number, in the order of the request.", z.array(ContactCheck)),
    ...refusals(...codesOfNetwork),
  },
})

const contact = path.extend({ jid: ContactId })

export const getContact = createRoute({
  method: "get",
  path: `${proxy}/contacts/{jid}` as const,
  summary: "One contact",
  request: { params: contact },
  responses: { 200: reply("The contact.", Contact), ...refusals(...codesOfNetwork) },
})

export const saveContact = createRoute({
  method: "put",
  path: `${proxy}/contacts/{jid}` as const,
  summary: "Put somebody into the account's address book, or change their name there",
  description: "On the phone and all other devices of the account.",
  request: {
    params: contact,
    body: body(
      z.object({
        full_name: visibleName(100),
        first_name: visibleName(100)
          .optional()
          .openapi({ description: "By default the first word of `full_name`." }),
      }),
    ),
  },
  responses: { 200: reply("The contact.", Contact), ...refusals(...codesOfNetwork) },
})

export const forgetContact = createRoute({
  method: "delete",
  path: `${proxy}/contacts/{jid}` as const,
  summary: "Remove somebody from the account's address book",
  description: "They stay a contact here, without the names that they had there.",
  request: { params: contact },
  responses: { 200: reply("Removed.", Ok), ...refusals(...codesOfNetwork) },
})

export const contactAvatar = createRoute({
  method: "get",
  path: `${proxy}/contacts/{jid}/avatar` as const,
  summary: "A contact's picture",
  request: { params: contact },
  responses: { 200: jpeg, ...refusals(...codesOfNetwork) },
})

export const listBlocked = createRoute({
  method: "get",
  path: `${proxy}/contacts/blocked` as const,
  summary: "The people whom the account has blocked",
  request: { params: path },
  responses: {
    200: reply(
      "Their JIDs: the phone number's where known, else the LID.",
      z.array(z.object({ jid: z.string(), phone: z.string() })),
    ),
    ...refusals(...codesOfNetwork),
  },
})

export const blockContact = createRoute({
  method: "put",
  path: `${proxy}/contacts/{jid}/block` as const,
  summary: "Block somebody: the network takes no more messages and calls of theirs",
  request: { params: contact },
  responses: { 200: reply("They are blocked.", Ok), ...refusals(...codesOfNetwork) },
})

export const unblockContact = createRoute({
  method: "delete",
  path: `${proxy}/contacts/{jid}/block` as const,
  summary: "Unblock somebody",
  request: { params: contact },
  responses: { 200: reply("They are not blocked.", Ok), ...refusals(...codesOfNetwork) },
})
