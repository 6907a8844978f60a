import { createRoute, z } from "@hono/zod-openapi"
import { CustomerRef } from "./bridge.ts"
import { ChatAddress, integer, string, text, Timestamp } from "./field-types.ts"
import { body, refusals, reply } from "./route-parts.ts"

const Scope = z.enum(["all", "read"]).openapi({
  description:
    "`all`: everything. `read`: everything that changes nothing, without secrets and codes that link a phone.",
})

const aHost = "the host of a URL, in small letters: files.example.com, or files.example.com:8443"

/** The host of a URL, with its port if that is not the usual one. */
const Host = z
  .string()
  .max(260)
  .regex(/^(?:[0-9a-z._-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?$/, aHost)
  .refine((host) => URL.parse(`https://${host}/`)?.host === host, aHost)

/** A list of which none may be empty: that would be a key for nothing, or for everything. */
const some = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(50).optional()

/** What a key may do, where, and in which chats: choices of their own, each of which only takes away. */
const rights = {
  scope: Scope.default("all"),
  customer_refs: some(CustomerRef).openapi({
    description: "The bridges that it is for; without it, every bridge and the account.",
  }),
  chats: some(ChatAddress).openapi({
    description:
      "The only chats in which it reads and writes, at whichever bridge, named as `chat_id` of events names them: a person by " +
      "their phone number, and by their LID only where the number is unknown. It may do nothing that is not in a chat.",
  }),
  file_hosts: some(Host).openapi({
    description:
      "For an agent: the hosts whose files it sends without asking a person. Calls of the API are not held to it.",
    example: ["files.example.com"],
  }),
}

/** The rights of a key, without the rest of it. */
export const KeyRights = z.strictObject(rights)
export type Rights = z.output<typeof KeyRights>

/** The end of the year 9999, Unix seconds. A time in milliseconds is later. */
const endOfTime = 253_402_300_799

/** Contract, "Scopes of keys" */
const Key = z
  .object({
    id: string("The key's characters 5 to 16."),
    name: z.string(),
    scope: Scope,
    customer_refs: z.array(z.string()).optional().openapi({ description: "The bridges of a key for some." }),
    chats: z
      .array(z.string())
      .optional()
      .openapi({ description: "The chats of a key for some: their JIDs." }),
    file_hosts: z.array(z.string()).optional(),
    created_at: Timestamp,
    created_by: string(
      "The e-mail address of the person who made it, or the `id` of the key that did; absent for one of the operator's.",
    ).optional(),
    expires_at: integer("When it stops working by itself, Unix seconds; absent if it does not.").optional(),
    last_used_at: integer("To the hour, Unix seconds; absent before its first use.").optional(),
  })
  .openapi("ApiKey")

export const listKeys = createRoute({
  method: "get",
  path: "/api/keys",
  summary: "List the API keys of the account",
  responses: { 200: reply("The keys, without their secret parts.", z.array(Key)), ...refusals() },
})

export const createKey = createRoute({
  method: "post",
  path: "/api/keys",
  summary: "Create an API key",
  request: {
    body: body(
      // Unknown fields are refused: a mistyped restriction would be ignored, and the key would have the
      // right.
      z.strictObject({
        name: text(1, 64).openapi({ description: "What it is for." }),
        ...rights,
        expires_at: z
          .int()
          .min(1)
          .max(endOfTime)
          .optional()
          .openapi({
            description:
              "When it stops working, Unix seconds: calls with it are then 401. Absent: not before it is revoked. A key that is " +
              "made with one that expires does so with it, if not before.",
          }),
      }),
    ),
  },
  responses: {
    201: reply(
      "The new key. It is shown only here.",
      Key.omit({ last_used_at: true }).extend({
        key: string("Send it as `Authorization: Bearer`."),
      }),
    ),
    ...refusals("not_found"),
  },
})

export const removeKey = createRoute({
  method: "delete",
  path: "/api/keys/{id}",
  summary: "Revoke an API key",
  description: "It stops working within 30 seconds, and so do the keys that it made.",
  request: {
    params: z.object({
      id: z
        .string()
        .regex(/^[0-9A-Za-z]{12}$/, "12 letters and digits, as `listKeys` gives it")
        .openapi({ description: "As `listKeys` gives it." }),
    }),
  },
  responses: { 204: { description: "Revoked." }, ...refusals("not_found") },
})
