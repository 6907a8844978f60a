import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { Contact, text } from "./chat.ts"
import { jpeg } from "./contact.ts"
import { Ok } from "./message.ts"
import { body, refusals, reply } from "./reply.ts"

const proxy = "/api/instances/{customer_ref}/proxy"
const unreachable = ["not_found", "bridge_paused", "not_paired"] as const

/** §2.8 */
export const Profile = z
  .object({ about: z.string(), jid: z.string(), name: z.string(), phone: z.string() })
  .openapi("Profile")

/** §2.9 */
export const StatusPrivacy = z
  .object({ is_default: z.boolean(), list: z.array(z.string()), type: z.string() })
  .openapi("StatusPrivacy")

export const getProfile = createRoute({
  method: "get",
  path: `${proxy}/profile`,
  summary: "The session's own profile",
  request: { params: path },
  responses: { 200: reply("The profile.", Profile), ...refusals(...unreachable) },
})

export const setAbout = createRoute({
  method: "patch",
  path: `${proxy}/profile/status`,
  summary: "Change the About text",
  request: { params: path, body: body(z.object({ status: text(0, 139) })) },
  responses: { 200: reply("Changed.", Ok), ...refusals(...unreachable, "network_rejected") },
})

export const ownAvatar = createRoute({
  method: "get",
  path: `${proxy}/profile/avatar`,
  summary: "The session's own picture",
  request: { params: path },
  responses: { 200: jpeg, ...refusals(...unreachable) },
})

export const setAvatar = createRoute({
  method: "put",
  path: `${proxy}/profile/avatar`,
  summary: "Change the picture",
  request: {
    params: path,
    body: body(z.object({ url: text(1, 2048).refine((url) => URL.canParse(url), "not a URL") })),
  },
  responses: {
    200: reply("Changed.", z.object({ picture_id: z.string() })),
    ...refusals(...unreachable, "url_not_allowed", "media_fetch_failed", "network_rejected"),
  },
})

export const removeAvatar = createRoute({
  method: "delete",
  path: `${proxy}/profile/avatar`,
  summary: "Remove the picture",
  request: { params: path },
  responses: { 200: reply("Removed.", Ok), ...refusals(...unreachable, "network_rejected") },
})

export const profileQr = createRoute({
  method: "get",
  path: `${proxy}/profile/qr`,
  summary: "The link of the personal QR code",
  request: { params: path },
  responses: { 200: reply("The link.", z.object({ link: z.string() })), ...refusals(...unreachable) },
})

export const statusPrivacy = createRoute({
  method: "get",
  path: `${proxy}/status/privacy`,
  summary: "Who sees status updates",
  request: { params: path },
  responses: { 200: reply("The lists.", z.array(StatusPrivacy)), ...refusals(...unreachable) },
})

export const setPresence = createRoute({
  method: "post",
  path: `${proxy}/presence`,
  summary: "Be shown as available or not",
  request: { params: path, body: body(z.object({ state: z.enum(["available", "unavailable"]) })) },
  responses: { 200: reply("Done.", Ok), ...refusals(...unreachable) },
})

export const subscribePresence = createRoute({
  method: "post",
  path: `${proxy}/presence/subscribe`,
  summary: "Hear of a contact's presence and typing, for a few minutes",
  request: { params: path, body: body(z.object({ chat: Contact })) },
  responses: {
    200: reply("Subscribed.", Ok),
    ...refusals(...unreachable, "presence_unavailable", "recipient_not_found"),
  },
})

export const rejectCall = createRoute({
  method: "post",
  path: `${proxy}/calls/{id}/reject`,
  summary: "Decline a call",
  request: {
    params: path.extend({
      id: z.string().regex(/^[A-Za-z0-9._-]{1,128}$/, "a call id, as `call_incoming` gave it"),
    }),
    body: body(z.object({ contact_id: Contact })),
  },
  responses: { 200: reply("Declined, or over already.", Ok), ...refusals(...unreachable) },
})

export const pair = createRoute({
  method: "post",
  path: `${proxy}/pair`,
  summary: "Link by a code that is typed on the phone",
  request: {
    params: path,
    body: body(z.object({ phone: z.string().regex(/^\+?\d{7,15}$/, "7 to 15 digits") })),
  },
  responses: {
    200: reply("The code, `ABCD-EFGH`.", z.object({ code: z.string() })),
    ...refusals("not_found", "bridge_paused", "already_paired"),
  },
})

export const logout = createRoute({
  method: "delete",
  path: `${proxy}/logout`,
  summary: "Unlink the session",
  request: { params: path },
  responses: { 200: reply("Unlinked.", Ok), ...refusals("not_found", "bridge_paused") },
})
