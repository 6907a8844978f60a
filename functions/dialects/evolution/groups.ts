import type { MemberOutcome } from "#contract/group.ts"
import { invalid } from "#core/error.ts"
import type { Group, WholeGroup as Whole } from "../ours.ts"
import type { Given } from "./given.ts"
import { groupIn, type Its, needed, type Rows } from "./its.ts"
import { chatOf, groupOf, jidOf } from "./names.ts"
import { newPicture } from "./people.ts"
import { sendInvite } from "./sending.ts"

const roles = { member: null, admin: "admin", owner: "superadmin" } as const

function toMember({ jid, phone, role }: Whole["members"][number]) {
  return { id: jid, phoneNumber: phone ? `${phone}@s.whatsapp.net` : undefined, admin: roles[role] }
}

/** A group as Evolution describes it. */
function toGroup(group: Group & Partial<Whole>) {
  return {
    id: group.jid,
    subject: group.name,
    subjectOwner: group.owner,
    subjectTime: group.created,
    pictureUrl: null,
    size: group.participants,
    creation: group.created,
    owner: group.owner,
    desc: group.topic,
    descId: "",
    restrict: group.edit === "admins",
    announce: group.write === "admins",
    isCommunity: group.is_community,
    isCommunityAnnounce: group.is_announcements,
    linkedParent: group.community || undefined,
    participants: group.members?.map(toMember),
  }
}

async function whole(its: Its): Promise<Whole> {
  return await its.proxy.ask<Whole>("GET", groupIn(its))
}

async function fetchAll(its: Its) {
  const groups = await its.proxy.allByJid<Group>("groups", 250)
  if (its.query.getParticipants !== "true") return groups.map((group) => toGroup(group))
  const described = []
  for (const { jid } of groups) described.push(toGroup(await whole({ ...its, query: { groupJid: jid } })))
  return described
}

async function create(its: Its) {
  const { subject, description, participants, promoteParticipants } = its.given
  const members = participants?.map(chatOf)
  const wanted = { name: needed(subject, "subject"), members, topic: description || undefined }
  const { group } = await its.proxy.ask<{ group: Group }>("POST", "groups", wanted)
  const made = { ...its, query: { groupJid: group.jid } }
  if (promoteParticipants && members?.length)
    await its.proxy.ask("POST", `${groupIn(made)}/members/promote`, { members })
  return toGroup(await whole(made))
}

const actions = ["add", "remove", "promote", "demote"]

async function updateParticipant(its: Its) {
  const { action = "", participants } = its.given
  if (!actions.includes(action)) throw invalid([{ path: "action", message: `one of ${actions.join(", ")}` }])
  const members = needed(participants, "participants").map(jidOf)
  const path = `${groupIn(its)}/members/${action}`
  const outcomes = await its.proxy.ask<MemberOutcome[]>("POST", path, { members })
  return {
    updateParticipants: outcomes.map(({ jid, outcome, network_code = 409 }) => {
      return { jid, status: outcome === "refused" ? String(network_code) : "200" }
    }),
  }
}

const settings: Partial<Record<string, object>> = {
  announcement: { write: "admins" },
  not_announcement: { write: "all" },
  locked: { edit: "admins" },
  unlocked: { edit: "all" },
}

function settingOf({ action = "" }: Given): object {
  const message = `one of ${Object.keys(settings).join(", ")}`
  const setting = Object.hasOwn(settings, action) && settings[action]
  if (setting) return setting
  throw invalid([{ path: "action", message }])
}

/** Changes a group. @param to what our API gets of the body */
const change =
  (to: (given: Given) => object, answer: object = { update: "success" }) =>
  async (its: Its) => {
    await its.proxy.ask("PATCH", groupIn(its), to(its.given))
    return answer
  }

interface Invite {
  link: string
}

const codeOf = ({ link }: Invite) => link.replace(/^.*\//, "")
const linkIn = ({ query }: Its) => ({ link: query.inviteCode })

/** What is found of groups, and done without making anything. */
export const groups: Rows = {
  "GET /group/fetchAllGroups/:instance": fetchAll,
  "GET /group/findGroupInfos/:instance": async (its) => toGroup(await whole(its)),
  "GET /group/participants/:instance": async (its) => ({
    participants: (await whole(its)).members.map(toMember),
  }),
  "GET /group/inviteCode/:instance": async (its) => {
    const invite = await its.proxy.ask<Invite>("GET", `${groupIn(its)}/invite`)
    return { inviteUrl: invite.link, inviteCode: codeOf(invite) }
  },
  "GET /group/inviteInfo/:instance": async (its) =>
    toGroup(await its.proxy.ask<Group>("GET", "groups/invite", linkIn(its))),
  "GET /group/acceptInviteCode/:instance": async (its) => {
    const { jid } = await its.proxy.ask<{ jid: string }>("POST", "groups/join", linkIn(its))
    return { accepted: true, groupJid: jid }
  },
  "POST /group/sendInvite/:instance": sendInvite,
  "DELETE /group/leaveGroup/:instance": async (its) => {
    await its.proxy.ask("POST", `${groupIn(its)}/leave`)
    return { groupJid: groupOf(its.query.groupJid ?? its.given.groupJid ?? ""), leave: true }
  },
}

/** What makes and changes groups. */
export const groupsMade: Rows = {
  "POST /group/create/:instance": create,
  "POST /group/updateParticipant/:instance": updateParticipant,
  "POST /group/updateGroupPicture/:instance": async (its) => {
    await its.proxy.ask("PUT", `${groupIn(its)}/avatar`, newPicture(its.given.image, "image"))
    return { update: "success" }
  },
  "POST /group/updateGroupSubject/:instance": change(({ subject }) => ({ name: needed(subject, "subject") })),
  "POST /group/updateGroupDescription/:instance": change((given) => ({
    topic: needed(given.description, "description"),
  })),
  "POST /group/updateSetting/:instance": change(settingOf, { updateSetting: {} }),
  "POST /group/toggleEphemeral/:instance": change(
    ({ expiration }) => ({ disappearing: needed(expiration, "expiration") }),
    { success: true },
  ),
  "POST /group/revokeInviteCode/:instance": async (its) => ({
    revoked: true,
    inviteCode: codeOf(await its.proxy.ask<Invite>("POST", `${groupIn(its)}/invite/revoke`)),
  }),
}
