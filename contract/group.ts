import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { jpeg } from "./contact.ts"
import {
  boolean,
  DisappearingAfter,
  GroupId,
  groupSettings,
  integer,
  inQuery,
  PersonAddress,
  someOf,
  string,
  text,
  Timestamp,
  visibleName,
} from "./field-types.ts"
import { codesOfSend, idempotencyHeaders } from "./idempotency-key.ts"
import { PictureUrl } from "./profile.ts"
import { codesOfNetwork, body, codesOfFile, Ok, proxy, refusals, reply } from "./route-parts.ts"

/** `owner` made the group; admins may neither remove nor demote them. */
const Role = z.enum(["member", "admin", "owner"])

/** A member of a group, or a person who asks to join it. */
const person = {
  jid: string("By phone number where known, else the LID."),
  phone: string('Digits; `""` where the number is not known.'),
}

/** What a caller may set. */
const settable = {
  topic: text(0, 2048).optional().openapi({ description: 'What the group is about; `""` removes it.' }),
  write: groupSettings.write.optional(),
  edit: groupSettings.edit.optional(),
  add_members: groupSettings.add_members.optional(),
  approval: groupSettings.approval.optional(),
  disappearing: DisappearingAfter.optional(),
}

const Name = visibleName(100)

const Card = z.object({
  created: Timestamp,
  jid: z.string(),
  name: z.string(),
  participants: integer("How many."),
  topic: z.string(),
  owner: string('JID of the person who made it; `""` if the network does not say.'),
  role: z
    .enum(["", ...Role.options])
    .openapi({ description: 'The role of the session\'s account; `""`: it is not in the group.' }),
  ...groupSettings,
  is_community: boolean("It is a community: a group of groups, in which nobody writes."),
  community: string('JID of the community that the group belongs to; `""`: none.'),
  is_announcements: boolean("It is the group for its community's announcements, which has all its members."),
})

/** Contract, "Groups". `participants` is their number. */
export const Group = Card.openapi("Group")

export const GroupWithMembers = Card.extend({
  members: z.array(z.object({ ...person, role: Role })),
}).openapi("GroupWithMembers")

const group = path.extend({ jid: GroupId })

export const listGroups = createRoute({
  method: "get",
  path: `${proxy}/groups` as const,
  summary: "The groups that the session's account is in, by JID",
  request: {
    params: path,
    query: z.object({
      limit: inQuery(1, 250).optional().openapi({ description: "By default 100." }),
      after: text(0, 128)
        .optional()
        .openapi({
          description:
            "The last JID of the previous page. For a minute after a page without `after`, the pages that follow show the groups " +
            "as they were then.",
        }),
    }),
  },
  responses: {
    200: reply("A page; one shorter than `limit` is the last.", z.array(Group)),
    ...refusals(...codesOfNetwork),
  },
})

export const getGroup = createRoute({
  method: "get",
  path: `${proxy}/groups/{jid}` as const,
  summary: "One group, with its members",
  request: { params: group },
  responses: { 200: reply("The group.", GroupWithMembers), ...refusals(...codesOfNetwork) },
})

export const groupAvatar = createRoute({
  method: "get",
  path: `${proxy}/groups/{jid}/avatar` as const,
  summary: "A group's picture",
  request: { params: group },
  responses: { 200: jpeg, ...refusals(...codesOfNetwork) },
})

/** Contract, "Groups" */
const MemberOutcome = z
  .object({
    ...person,
    outcome: z
      .enum(["added", "removed", "promoted", "demoted", "approved", "rejected", "invited", "refused"])
      .openapi({
        description:
          "`invited`: their privacy settings forbid adding them, so they got an invitation as a message. `refused`: nothing " +
          "has changed for this person.",
      }),
    reason: z
      .enum(["privacy", "not_found", "already", "recently_left", "blocked", "full", "not_allowed", "unknown"])
      .optional()
      .openapi({
        description:
          "Why it was refused. `privacy`: only their contacts may add them: ask again with `invite`, or send them the group's " +
          "link. `not_found`: they are not on the network, not in the group, or have not asked to join. `already`: they are in " +
          "the group. `recently_left`: they left it within the last days: send them the link. `blocked`: they have blocked this " +
          "account. `full`: the group has 1,024 members. `not_allowed`: nobody may do this to who made the group. `unknown`: " +
          "see `network_code`.",
      }),
    network_code: integer("The network's own code.").optional(),
  })
  .openapi("MemberOutcome")
export type MemberOutcome = z.infer<typeof MemberOutcome>

const mostMembers = 1024

/** Why a change of a group may be refused. */
const changing = [...codesOfNetwork, "not_admin", "group_full", "group_conflict"] as const

export const createGroup = createRoute({
  method: "post",
  path: `${proxy}/groups` as const,
  summary: "Create a group",
  description:
    "Without an Idempotency-Key a repeated call creates another group. With one, a retry after a lost answer looks for the " +
    "group among the account's own, and creates it only if it is not there: should the network create the first one after " +
    "that, there are two.",
  request: {
    params: path,
    headers: idempotencyHeaders,
    body: body(
      z.object({
        name: Name,
        members: z
          .array(PersonAddress)
          .max(mostMembers - 1)
          .optional()
          .openapi({ description: "The first members, besides the session's account." }),
        ...settable,
      }),
    ),
  },
  responses: {
    200: reply(
      "The group exists. Each member has an outcome, in the order of the request: not everybody can be added.",
      z.object({ group: Group, members: z.array(MemberOutcome) }),
    ),
    ...refusals(...codesOfNetwork, "recipient_not_found", "group_full", ...codesOfSend),
  },
})

export const updateGroup = createRoute({
  method: "patch",
  path: `${proxy}/groups/{jid}` as const,
  summary: "Change a group's name, topic or settings",
  request: { params: group, body: body(someOf(z.object({ name: Name.optional(), ...settable }))) },
  responses: {
    200: reply("The group as it is now. What was so before is not set again.", Group),
    ...refusals(...changing),
  },
})

export const leaveGroup = createRoute({
  method: "post",
  path: `${proxy}/groups/{jid}/leave` as const,
  summary: "Leave a group",
  request: { params: group },
  responses: { 200: reply("Left.", Ok), ...refusals(...codesOfNetwork) },
})

export const setGroupAvatar = createRoute({
  method: "put",
  path: `${proxy}/groups/{jid}/avatar` as const,
  summary: "Change a group's picture: to the middle of a JPEG, at most 640 by 640 pixels",
  request: { params: group, body: body(z.object({ url: PictureUrl })) },
  responses: {
    200: reply("Changed.", z.object({ picture_id: z.string() })),
    ...refusals(...changing, ...codesOfFile),
  },
})

export const removeGroupAvatar = createRoute({
  method: "delete",
  path: `${proxy}/groups/{jid}/avatar` as const,
  summary: "Remove a group's picture",
  request: { params: group },
  responses: { 200: reply("Removed.", Ok), ...refusals(...changing) },
})

/** A route that does something with people of a group. */
function withPeople<Path extends string, More extends z.ZodRawShape>(
  suffix: Path,
  summary: string,
  more: More,
) {
  const members = z.array(PersonAddress).min(1).max(mostMembers)
  return createRoute({
    method: "post",
    path: `${proxy}/groups/{jid}/${suffix}` as const,
    summary,
    request: { params: group, body: body(z.object({ members, ...more })) },
    responses: {
      200: reply(
        "What became of each person, in the order of the request. Whoever is named twice has one outcome.",
        z.array(MemberOutcome),
      ),
      ...refusals(...changing, "recipient_not_found"),
    },
  })
}

const adding = withPeople("members/add", "Add members", {
  invite: boolean(
    "Sends an invitation as a message to those whom only their contacts may add, under the bridge's pacing.",
  ).optional(),
})
export const addMembers = createRoute({
  ...adding,
  description:
    "A retry under the same Idempotency-Key sends nobody a second invitation. If the first answer is not known, it asks the " +
    "network again: whoever was added before is then `refused` as `already`.",
  request: { ...adding.request, headers: idempotencyHeaders },
  responses: { ...adding.responses, ...refusals(...changing, "recipient_not_found", ...codesOfSend) },
})
export const removeMembers = withPeople("members/remove", "Remove members", {})
export const promoteMembers = withPeople("members/promote", "Make members admins", {})
export const demoteMembers = withPeople("members/demote", "Make admins members", {})

const link = /^(?:https?:\/\/chat\.whatsapp\.com\/(?:invite\/)?)?[0-9A-Za-z_-]{16,64}\/?(?:[?#].*)?$/

const InviteLink = z
  .string()
  .max(500)
  .regex(link, "the link of a group (https://chat.whatsapp.com/…), or the code at its end")
  .openapi({
    description: "The link of a group, or the code at its end.",
    example: "https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv",
  })

const Invite = z.object({ link: string("Whoever has it may join, or ask to.") }).openapi("GroupInvite")

export const getInvite = createRoute({
  method: "get",
  path: `${proxy}/groups/{jid}/invite` as const,
  summary: "The link by which people join a group",
  request: { params: group },
  responses: { 200: reply("The link.", Invite), ...refusals(...changing) },
})

export const revokeInvite = createRoute({
  method: "post",
  path: `${proxy}/groups/{jid}/invite/revoke` as const,
  summary: "Revoke the link of a group, which gets another",
  description:
    "A repeated call revokes the new link, too. After a lost answer, ask for the link that holds now.",
  request: { params: group },
  responses: { 200: reply("The new link. The one before leads nowhere.", Invite), ...refusals(...changing) },
})

const joining = [...codesOfNetwork, "invite_revoked"] as const

export const lookAtInvite = createRoute({
  method: "get",
  path: `${proxy}/groups/invite` as const,
  summary: "The group that a link leads to, without joining it",
  request: { params: path, query: z.object({ link: InviteLink }) },
  responses: { 200: reply("The group.", Group), ...refusals(...joining) },
})

export const joinGroup = createRoute({
  method: "post",
  path: `${proxy}/groups/join` as const,
  summary: "Join a group by its link",
  request: { params: path, body: body(z.object({ link: InviteLink })) },
  responses: {
    200: reply(
      "Joined, or asked to join.",
      z.object({
        jid: z.string(),
        joined: boolean(
          "`false`: the group's admins decide, and were asked. An event of the type `group` says if they let the account in.",
        ),
      }),
    ),
    ...refusals(...joining, "join_refused", "group_full"),
  },
})

export const listJoinRequests = createRoute({
  method: "get",
  path: `${proxy}/groups/{jid}/requests` as const,
  summary: "The people who ask to join a group",
  request: { params: group },
  responses: {
    200: reply(
      "Everybody who waits for an answer, in the network's order.",
      z.array(
        z
          .object({
            ...person,
            requested_at: Timestamp,
          })
          .openapi("JoinRequest"),
      ),
    ),
    ...refusals(...changing),
  },
})

export const approveRequests = withPeople("requests/approve", "Let people in who ask to join", {})
export const rejectRequests = withPeople("requests/reject", "Turn away people who ask to join", {})
