import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { jpeg } from "./contact.ts"
import { FetchedUrl, text } from "./field-types.ts"
import { codesOfNetwork, body, codesOfFile, Ok, proxy, refusals, reply } from "./route-parts.ts"

/** The session's own. */
const Profile = z
  .object({ about: z.string(), jid: z.string(), name: z.string(), phone: z.string() })
  .openapi("Profile")

export const getProfile = createRoute({
  method: "get",
  path: `${proxy}/profile` as const,
  summary: "The session's own profile",
  request: { params: path },
  responses: { 200: reply("The profile.", Profile), ...refusals(...codesOfNetwork) },
})

export const setAbout = createRoute({
  method: "patch",
  path: `${proxy}/profile/status` as const,
  summary: "Change the About text",
  request: { params: path, body: body(z.object({ status: text(0, 139) })) },
  responses: { 200: reply("Changed.", Ok), ...refusals(...codesOfNetwork) },
})

export const ownAvatar = createRoute({
  method: "get",
  path: `${proxy}/profile/avatar` as const,
  summary: "The session's own picture",
  request: { params: path },
  responses: { 200: jpeg, ...refusals(...codesOfNetwork) },
})

/** Where the picture of a profile, or of a group, comes from. */
export const PictureUrl = FetchedUrl.openapi({
  description:
    "The service fetches it: a JPEG of at most 16 MB and 200 megapixels, or 25 if it is progressive. Anything else is " +
    "`media_type_mismatch`.",
})

export const setAvatar = createRoute({
  method: "put",
  path: `${proxy}/profile/avatar` as const,
  summary: "Change the picture: to the middle of a JPEG, at most 640 by 640 pixels",
  request: { params: path, body: body(z.object({ url: PictureUrl })) },
  responses: {
    200: reply("Changed.", z.object({ picture_id: z.string() })),
    ...refusals(...codesOfNetwork, ...codesOfFile),
  },
})

export const removeAvatar = createRoute({
  method: "delete",
  path: `${proxy}/profile/avatar` as const,
  summary: "Remove the picture",
  request: { params: path },
  responses: { 200: reply("Removed.", Ok), ...refusals(...codesOfNetwork) },
})

export const profileQr = createRoute({
  method: "get",
  path: `${proxy}/profile/qr` as const,
  summary: "The link of the personal QR code",
  request: { params: path },
  responses: {
    200: reply("The link.", z.object({ link: z.string() })),
    ...refusals(...codesOfNetwork),
  },
})

export const StatusPrivacy = z
  .object({ is_default: z.boolean(), list: z.array(z.string()), type: z.string() })
  .openapi("StatusPrivacy")

export const statusPrivacy = createRoute({
  method: "get",
  path: `${proxy}/status/privacy` as const,
  summary: "Who sees status updates",
  request: { params: path },
  responses: { 200: reply("The lists.", z.array(StatusPrivacy)), ...refusals(...codesOfNetwork) },
})
