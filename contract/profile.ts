import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { jpeg } from "./contact.ts"
import {
  boolean,
  DisappearingAfter,
  FetchedUrl,
  integer,
  someOf,
  string,
  text,
  visibleName,
} from "./field-types.ts"
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

export const setName = createRoute({
  method: "patch",
  path: `${proxy}/profile/name` as const,
  summary: "Change the account's name",
  description: "People see it who have not saved the number. The phone and all other devices have it, too.",
  request: { params: path, body: body(z.object({ name: visibleName(25) })) },
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

const who = "`all`, `contacts`, `contact_blacklist` (contacts but those excepted on the phone), or `none`"
const settable = {
  last_seen: z.enum(["all", "contacts", "contact_blacklist", "none"]),
  online: z.enum(["all", "match_last_seen"]),
  profile_picture: z.enum(["all", "contacts", "contact_blacklist", "none"]),
  about: z.enum(["all", "contacts", "contact_blacklist", "none"]),
  groups: z.enum(["all", "contacts", "contact_blacklist", "none"]),
  calls: z.enum(["all", "known"]),
  messages: z.enum(["all", "contacts"]),
}

const Privacy = z
  .object({
    last_seen: string(`Who sees when the account was last online: ${who}.`),
    online: string("Who sees that it is online: `all`, or `match_last_seen`: as `last_seen`."),
    profile_picture: string(`Who sees its picture: ${who}.`),
    about: string(`Who sees its About text: ${who}.`),
    read_receipts: boolean("Whether people see that it has read their messages, and it sees theirs."),
    groups: string(`Who may add it to groups: ${who}.`),
    calls: string("Whose calls ring: `all`, or `known`: those of people whom it knows."),
    messages: string("Who may write to it: `all` or `contacts`."),
    disappearing: integer(
      "After how many seconds messages disappear in chats that begin from now on; 0: never.",
    ),
  })
  .openapi("Privacy", {
    description: 'What the network says. A word that it adds is shown as it is; `""`: it says nothing of it.',
  })

export const getPrivacy = createRoute({
  method: "get",
  path: `${proxy}/privacy` as const,
  summary: "Who sees what of the account, and may write, call and add it to groups",
  request: { params: path },
  responses: { 200: reply("The settings.", Privacy), ...refusals(...codesOfNetwork) },
})

export const updatePrivacy = createRoute({
  method: "patch",
  path: `${proxy}/privacy` as const,
  summary: "Change who sees what of the account, and may write, call and add it to groups",
  description: "If a change fails after others, the error names those that were made.",
  request: {
    params: path,
    body: body(
      someOf(
        z.object({ ...settable, read_receipts: z.boolean(), disappearing: DisappearingAfter }).partial(),
      ),
    ),
  },
  responses: { 200: reply("The settings, as they are now.", Privacy), ...refusals(...codesOfNetwork) },
})
