import { z } from "zod"
import type { Group as GroupSchema, GroupWithMembers } from "#contract/group.ts"
import { invalid } from "#core/error.ts"
import { pathOf } from "../../http/own-api.ts"
import { NotHere } from "../dialect.ts"
import { chatOf, groupOf, isUrl, jidOf } from "./names.ts"
import { at, Flag, type Here, nothing, on, Text } from "./on.ts"

type Group = z.infer<typeof GroupSchema>
type WithMembers = z.infer<typeof GroupWithMembers>

/** The way to the group that a call is about: its query says which, or its body. */
function into({ query, body }: Pick<Here, "query" | "body">, ...parts: string[]): string[] {
  const given = query.groupJid ?? (body as { groupJid?: unknown } | undefined)?.groupJid
  if (typeof given === "string" && given !== "") return at("groups", groupOf(given), ...parts)
  throw invalid([{ path: "groupJid", message: "is missing: give the JID of a group in the query" }])
}

const roles = { member: null, admin: "admin", owner: "superadmin" } as const

function ofMember({ jid, phone, role }: WithMembers["members"][number]) {
  return { id: jid, phoneNumber: phone ? `${phone}@s.whatsapp.net` : undefined, admin: roles[role] }
}

/** A group as Evolution describes it. */
function ofGroup(group: Group & Partial<WithMembers>) {
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
    ...(group.members && { participants: group.members.map(ofMember) }),
  }
}

async function groupIn(here: Here): Promise<WithMembers> {
  return await here.ask<WithMembers>("GET", into(here))
}

const fetchAll = on("GET group/fetchAllGroups", nothing, async (here) => {
  const groups = await here.api.allByJid<Group>(pathOf(here.instance, ...at("groups")), 250)
  if (here.query.getParticipants !== "true") return groups.map(ofGroup)
  const whole = []
  for (const { jid } of groups) whole.push(ofGroup(await groupIn({ ...here, query: { groupJid: jid } })))
  return whole
})

/** A row that changes a group, by what its body becomes. */
function changes<Fields extends z.ZodRawShape>(
  name: string,
  fields: Fields,
  become: (body: z.output<z.ZodObject<Fields>>) => object,
  answer: object = { update: "success" },
) {
  const run = async (here: Here) => {
    await here.ask("PATCH", into(here), become(here.body as z.output<z.ZodObject<Fields>>))
    return answer
  }
  return on(`POST group/${name}`, z.looseObject(fields), run, 201)
}

const settings = {
  announcement: { write: "admins" },
  not_announcement: { write: "all" },
  locked: { edit: "admins" },
  unlocked: { edit: "all" },
} as const
const Setting = z.enum(["announcement", "not_announcement", "locked", "unlocked"])

const NewGroup = z.object({
  subject: z.string(),
  description: z.string().nullish(),
  participants: z.array(Text),
  promoteParticipants: Flag.nullish(),
})

const create = on(
  "POST group/create",
  NewGroup,
  async (here) => {
    const { subject, description, participants, promoteParticipants } = here.body
    const members = participants.map(chatOf)
    const wanted = { name: subject, members, ...(description && { topic: description }) }
    const { group } = await here.ask<{ group: Group }>("POST", at("groups"), wanted)
    const made = { ...here, query: { groupJid: group.jid } }
    if (promoteParticipants && members.length > 0)
      await here.ask("POST", into(made, "members", "promote"), { members })
    return ofGroup(await groupIn(made))
  },
  201,
)

interface Outcome {
  jid: string
  outcome: string
  network_code?: number
}

const updateParticipant = on(
  "POST group/updateParticipant",
  z.looseObject({ action: z.enum(["add", "remove", "promote", "demote"]), participants: z.array(Text) }),
  async (here) => {
    const members = here.body.participants.map(jidOf)
    const outcomes = await here.ask<Outcome[]>("POST", into(here, "members", here.body.action), { members })
    return {
      updateParticipants: outcomes.map(({ jid, outcome, network_code = 409 }) => {
        return { jid, status: outcome === "refused" ? String(network_code) : "200" }
      }),
    }
  },
  201,
)

const updatePicture = on(
  "POST group/updateGroupPicture",
  z.looseObject({ image: z.string() }),
  async (here) => {
    if (!isUrl(here.body.image)) throw new NotHere("a picture of a group is taken from a URL: give one")
    await here.ask("PUT", into(here, "avatar"), { url: here.body.image })
    return { update: "success" }
  },
  201,
)

function linkIn({ query: { inviteCode } }: Here): { link: string } {
  if (inviteCode) return { link: inviteCode }
  throw invalid([{ path: "inviteCode", message: "is missing: give the end of a group's link in the query" }])
}

const codeOf = (link: string) => link.split("/").at(-1)!

export const groupCalls = [
  create,
  fetchAll,
  updateParticipant,
  updatePicture,
  changes("updateGroupSubject", { subject: z.string() }, ({ subject }) => ({ name: subject })),
  changes("updateGroupDescription", { description: z.string() }, ({ description }) => ({
    topic: description,
  })),
  changes("updateSetting", { action: Setting }, ({ action }) => settings[action], { updateSetting: {} }),
  changes(
    "toggleEphemeral",
    { expiration: z.coerce.number() },
    ({ expiration }) => ({ disappearing: expiration }),
    { success: true },
  ),
  on("GET group/findGroupInfos", nothing, async (here) => ofGroup(await groupIn(here))),
  on("GET group/participants", nothing, async (here) => {
    return { participants: (await groupIn(here)).members.map(ofMember) }
  }),
  on("GET group/inviteCode", nothing, async (here) => {
    const { link } = await here.ask<{ link: string }>("GET", into(here, "invite"))
    return { inviteUrl: link, inviteCode: codeOf(link) }
  }),
  on(
    "POST group/revokeInviteCode",
    z.looseObject({}),
    async (here) => {
      const { link } = await here.ask<{ link: string }>("POST", into(here, "invite", "revoke"))
      return { revoked: true, inviteCode: codeOf(link) }
    },
    201,
  ),
  on("GET group/inviteInfo", nothing, async (here) => {
    return ofGroup(await here.ask<Group>("GET", at("groups", "invite"), linkIn(here)))
  }),
  on("GET group/acceptInviteCode", nothing, async (here) => {
    const { jid } = await here.ask<{ jid: string }>("POST", at("groups", "join"), linkIn(here))
    return { accepted: true, groupJid: jid }
  }),
  on("DELETE group/leaveGroup", z.looseObject({}), async (here) => {
    await here.ask("POST", into(here, "leave"))
    return { groupJid: into(here)[2], leave: true }
  }),
]
