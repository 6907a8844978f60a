import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { boolean, integer, PhoneNumber, plainUrl, Timestamp } from "./field-types.ts"
import { PasskeyAssertion, PasskeyOptions } from "./passkey.ts"
import {
  codesOfBridge,
  body,
  Ok,
  proxy,
  refusals,
  reply,
  codesOfSession,
  optionalBody,
} from "./route-parts.ts"
import { Objection, RestrictionKind, Status } from "./status-and-objection.ts"

/**
 * Unknown fields are `""`, never absent; those about an objection or a restriction are there while it lasts.
 */
export const SessionStatus = z
  .object({
    status: Status,
    jid: z.string(),
    lid: z.string(),
    name: z.string(),
    phone: z.string(),
    passkey: z
      .object({
        options: PasskeyOptions,
        expires_at: Timestamp,
      })
      .optional()
      .openapi({
        description:
          "With `passkey_required`, while the network waits: what a browser has to answer on https://web.whatsapp.com. Absent when " +
          "it waits no more: then ask for a new code.",
      }),
    objection: Objection.optional().openapi({
      description:
        "Absent without one: why the network rejected the last login. `locked`, `banned`: it has unlinked the session, and the " +
        "phone says what can be done. `device_untrusted`, `device_unknown`, `addresses_changed`: it has unlinked this session alone; " +
        "link it again. `temporarily_banned`, `outdated` (the version of its protocol that is spoken here): the " +
        "session connects again by itself. `proxy_unreachable`: the bridge's proxy does not answer; `proxy_refused`: it wants another " +
        "password, or leads nowhere; the session goes on trying. `unanswered`: the connection was open, and the network answered nothing on it " +
        "for two minutes; the session connects again by itself. `former_gateway`, while the `status` is `replaced`: the gateway that the number " +
        "was taken over from still runs. It ends with the next connection.",
    }),
    objection_until: integer(
      "With `temporarily_banned`: when the session tries again, Unix seconds.",
    ).optional(),
    new_chats_left: integer(
      "With a limit of `pacing`: how many chats the bridge may still begin today.",
    ).optional(),
    restriction: RestrictionKind.optional().openapi({
      description:
        "Absent without one: a limit that the network has put on the account. `new_chats`: it may not start chats (a message that would is rejected " +
        "with `network_code` 463). `new_chats_quota`: it may not start any more chats than it has started.",
    }),
    restricted_until: integer("When the limit ends, Unix seconds; 0 if the network does not say.").optional(),
  })
  .openapi("SessionStatus")

export const status = createRoute({
  method: "get",
  path: `${proxy}/status` as const,
  summary: "The state of the session",
  request: { params: path },
  responses: { 200: reply("The session.", SessionStatus), ...refusals(...codesOfSession) },
})

export const qr = createRoute({
  method: "get",
  path: `${proxy}/qr` as const,
  summary: "The current QR code for linking the session: ask again when it has expired",
  request: { params: path },
  responses: {
    200: {
      description:
        "A PNG. `X-QR-Expires` says when it expires (Unix seconds), and `X-QR-Value` has what it shows, for who draws it themselves.",
      content: { "image/png": { schema: z.string().openapi({ format: "binary" }) } },
    },
    ...refusals(...codesOfSession, "already_paired", "passkey_required"),
  },
})

export const pair = createRoute({
  method: "post",
  path: `${proxy}/pair` as const,
  summary: "Link with a code that is typed on the phone",
  request: {
    params: path,
    body: body(z.object({ phone: PhoneNumber })),
  },
  responses: {
    200: reply(
      "The code, such as `ABCD-EFGH`. Type it on that phone within three minutes.",
      z.object({ code: z.string() }),
    ),
    ...refusals(...codesOfSession, "already_paired", "passkey_required", "network_rejected"),
  },
})

/** Contract, "Linking with a passkey" */
export const passkey = createRoute({
  method: "post",
  path: `${proxy}/passkey` as const,
  summary: "Answer the network's request for a passkey",
  description:
    "The body is a browser's answer to `status.passkey.options`, made on https://web.whatsapp.com: the JSON of " +
    "`navigator.credentials.get`. After a refusal `status` has the request to answer next.",
  request: { params: path, body: body(PasskeyAssertion) },
  responses: {
    200: reply("The network took it; `status` says when the phone is linked.", Ok),
    ...refusals(
      ...codesOfSession,
      "already_paired",
      "network_rejected",
      "passkey_not_awaited",
      "passkey_refused",
    ),
  },
})

export const logout = createRoute({
  method: "delete",
  path: `${proxy}/logout` as const,
  summary: "Unlink the session, or turn away a phone that wants a passkey",
  request: { params: path },
  responses: { 200: reply("Unlinked.", Ok), ...refusals(...codesOfSession) },
})

/** Contract, "Link sessions" */
export const createLinkSession = createRoute({
  method: "post",
  path: "/api/instances/{customer_ref}/link-sessions",
  summary: "Make a page on which somebody links their phone, without an account of their own",
  description:
    "Give the URL to the person whose number it is. It works for an hour, or until a phone is linked; a lasting one until another is " +
    "made. Anyone who has it can link a phone to this bridge, so treat it as a secret.",
  request: {
    params: path,
    body: optionalBody(
      z.object({
        expected_phone: PhoneNumber.optional().openapi({
          description: "The number that has to be linked; another one is refused on the page.",
        }),
        return_url: z
          .string()
          .max(2048)
          .refine(
            (url) => /^https?:\/\/[^\s#\p{Cc}\p{Cs}]+$/iu.test(url) && URL.canParse(url),
            "must be a URL that begins with http:// or https://, without spaces and fragment",
          )
          .optional()
          .openapi({
            format: "uri",
            pattern: plainUrl,
            description: "Where the page leads when a phone is linked.",
          }),
        lasting: boolean(
          "The page stays: it shows whether the phone is linked, and links it again when it is not.",
        ).optional(),
        embed_at: z
          .string()
          .max(255)
          .regex(
            /^https?:\/\/[a-z0-9.-]+(:[0-9]{1,5})?$/,
            "must be the origin of a site, as https://shop.example",
          )
          .optional()
          .openapi({
            description:
              "The origin of the site that may show the page in a frame; none, unless you say one.",
            example: "https://shop.example",
          }),
      }),
    ),
  },
  responses: {
    201: reply(
      "The page.",
      z
        .object({
          url: z.string(),
          expires_at: Timestamp,
        })
        .openapi("LinkSession"),
    ),
    ...refusals(...codesOfBridge),
  },
})
