import type { Contact } from "#contract/contact.ts"
import type { MemberOutcome } from "#contract/group.ts"
import { isLid } from "#core/message/jid.ts"
import { at } from "../bridge.ts"
import { NotHere } from "../dialect.ts"
import type { Checks, Group, WholeGroup as Whole } from "../ours.ts"
import { chatIdOf, chatOf, phoneOf, pnOf } from "./ids.ts"
import { type Its, partOf, reachOf, type Rows } from "./its.ts"

// Contacts, the account's own profile, and groups, as WAHA's engine NOWEB gives them.

/** The part of a list that a query asks for. */
async function byJid<Item extends { jid: string }>({ proxy, query }: Its, path: string, limit: number) {
  return partOf(await proxy.allByJid<Item>(path, limit, reachOf(query)), query)
}

function toContact(contact: Contact) {
  return {
    id: chatIdOf(contact.jid),
    number: contact.phone,
    name: contact.full_name || contact.name,
    pushname: contact.name,
    shortName: contact.first_name,
    isWAContact: contact.registered,
    isMyContact: contact.full_name !== "",
    isBusiness: contact.is_business,
  }
}

async function contactOf(its: Its, jid = its.chat) {
  return await its.proxy.ask<Contact>("GET", at`contacts/${jid}`)
}

async function check(its: Its) {
  const phones = [phoneOf(its.query.phone ?? "")]
  const [found] = await its.proxy.ask<Checks>("POST", "contacts/check", { phones })
  if (!found?.is_on_whatsapp) return { numberExists: false, chatId: null, pn: null }
  return { numberExists: true, chatId: chatIdOf(found.jid), pn: pnOf(found.phone) }
}

/** The URL of a new picture: our API fetches it. */
function newPicture({ given: { file } }: Its): { url: string } {
  if (file?.url) return { url: file.url }
  throw new NotHere("this service fetches a picture from its `url`, and takes no `data`")
}

const profile = "/api/:session/profile"

export const contacts: Rows = {
  "GET /api/contacts/all": async (its) => (await byJid<Contact>(its, "contacts", 1000)).map(toContact),
  "GET /api/contacts": async (its) => toContact(await contactOf(its)),
  "GET /api/:session/contacts/:id": async (its) => toContact(await contactOf(its)),
  "PUT /api/:session/contacts/:id": ({ done, chat, given: { firstName = "", lastName = "" } }) =>
    done("PUT", at`contacts/${chat}`, {
      full_name: `${firstName} ${lastName}`.trim(),
      first_name: firstName || undefined,
    }),
  "GET /api/contacts/check-exists": check,
  "GET /api/checkNumberStatus": check,
  "GET /api/contacts/about": async (its) => ({ about: (await contactOf(its)).about }),
  "GET /api/contacts/profile-picture": async (its) => ({ profilePictureURL: await its.picture() }),
  "POST /api/contacts/block": (its) => its.done("PUT", at`contacts/${its.chat}/block`),
  "POST /api/contacts/unblock": (its) => its.done("DELETE", at`contacts/${its.chat}/block`),
  "GET /api/:session/lids/:lid": async (its) => {
    const lid = its.params.lid!.replace(/(?:@lid)?$/, "@lid")
    const { jid } = await contactOf(its, lid)
    return { lid, pn: isLid(jid) ? null : chatIdOf(jid) }
  },
  // Our API names people by their numbers. Whose LID is whose, it tells of the account itself.
  "GET /api/:session/lids/pn/:phone": async (its) => {
    const own = await its.proxy.ask<{ phone: string; lid: string }>("GET", "status")
    const phone = phoneOf(its.params.phone!)
    return { lid: (own.phone === phone && own.lid) || null, pn: pnOf(phone) }
  },
  [`GET ${profile}`]: async (its) => {
    const { jid, name } = await its.proxy.ask<{ jid: string; name: string }>("GET", "profile")
    return { id: chatIdOf(jid), picture: (await its.picture(jid)) ?? "", name }
  },
  [`PUT ${profile}/name`]: (its) => its.done("PATCH", "profile/name", { name: its.given.name }),
  [`PUT ${profile}/status`]: (its) => its.done("PATCH", "profile/status", { status: its.given.status }),
  [`PUT ${profile}/picture`]: (its) => its.done("PUT", "profile/avatar", newPicture(its)),
  [`DELETE ${profile}/picture`]: (its) => its.done("DELETE", "profile/avatar"),
}

const roles = { member: "participant", admin: "admin", owner: "superadmin" } as const

/** A member, in the newer form and in the older one. */
function toParticipant({ jid, phone, role }: Whole["members"][number]) {
  const admin = role === "member" ? null : roles[role]
  return { id: chatIdOf(jid), pn: pnOf(phone), role: roles[role], admin }
}

function toGroup(group: Group & { members?: Whole["members"] }) {
  return {
    id: group.jid,
    subject: group.name,
    owner: group.owner === "" ? null : chatIdOf(group.owner),
    creation: group.created,
    desc: group.topic,
    size: group.participants,
    restrict: group.edit === "admins",
    announce: group.write === "admins",
    memberAddMode: group.add_members === "all",
    joinApprovalMode: group.approval,
    isCommunity: group.is_community,
    linkedParent: group.community || null,
    ephemeralDuration: group.disappearing,
    participants: group.members?.map(toParticipant) ?? [],
  }
}

/** What became of a person: WAHA gives the network's codes, of which 200 is success. */
function toOutcome({ jid, outcome, network_code }: MemberOutcome) {
  const id = chatIdOf(jid)
  const success = outcome !== "refused"
  const error = success ? null : (network_code ?? 400)
  return {
    jid: id,
    status: String(error ?? (outcome === "invited" ? 403 : 200)),
    requesterId: id,
    success,
    error,
  }
}

/** Who let somebody ask, and how, the network does not say. */
function toRequest({ jid, phone, requested_at }: { jid: string; phone: string; requested_at: number }) {
  const unknown = { addedById: "", parentGroupId: "", requestMethod: "" }
  return { requesterId: chatIdOf(jid), requesterPn: pnOf(phone), ...unknown, timestamp: requested_at }
}

const group = "/api/:session/groups/:id"
const membersIn = ({ given }: Its) => given.participants?.map(({ id }) => chatOf(id))
const codeOf = ({ link }: { link: string }) => link.replace(/^.*\//, "")
const who = (isForAdmins: boolean | undefined) =>
  isForAdmins === undefined ? undefined : isForAdmins ? "admins" : "all"

/** What a program reads of a group, changes of it, and does with its people. */
const read = (to: (whole: Whole) => unknown) => async (its: Its) =>
  to(await its.proxy.ask<Whole>("GET", at`groups/${its.chat}`))
const change = (to: (given: Its["given"]) => object) => async (its: Its) =>
  await its.done("PATCH", at`groups/${its.chat}`, to(its.given))
const withPeople = (suffix: string) => async (its: Its) => {
  const path = `${at`groups/${its.chat}`}/${suffix}`
  return (await its.proxy.ask<MemberOutcome[]>("POST", path, { members: membersIn(its) })).map(toOutcome)
}

const settings: Rows = {
  "GET info-admin-only": read(({ edit }) => ({ adminsOnly: edit === "admins" })),
  "PUT info-admin-only": change((given) => ({ edit: who(given.adminsOnly) })),
  "GET messages-admin-only": read(({ write }) => ({ adminsOnly: write === "admins" })),
  "PUT messages-admin-only": change((given) => ({ write: who(given.adminsOnly) })),
  "GET member-add-mode": read((whole) => ({ membersCanAddNewMember: whole.add_members === "all" })),
  "PUT member-add-mode": change((given) => ({ add_members: who(given.membersCanAddNewMember === false) })),
  "GET membership-approval": read(({ approval }) => ({ newMembersApprovalRequired: approval })),
  "PUT membership-approval": change((given) => ({ approval: given.newMembersApprovalRequired })),
}

export const groups: Rows = {
  "POST /api/:session/groups": async (its) => {
    const body = { name: its.given.name, members: membersIn(its) }
    const made = await its.proxy.ask<{ group: Group; members: MemberOutcome[] }>("POST", "groups", body)
    return { ...toGroup(made.group), participants: made.members.map(toOutcome) }
  },
  // By their ids, as of WAHA's engine NOWEB.
  "GET /api/:session/groups": async (its) =>
    Object.fromEntries((await byJid<Group>(its, "groups", 250)).map((one) => [one.jid, toGroup(one)])),
  "GET /api/:session/groups/join-info": async (its) =>
    toGroup(await its.proxy.ask<Group>("GET", "groups/invite", { link: its.query.code })),
  "POST /api/:session/groups/join": async (its) => ({
    id: (await its.proxy.ask<{ jid: string }>("POST", "groups/join", { link: its.given.code })).jid,
  }),
  "GET /api/:session/groups/count": async (its) => ({ count: (await byJid(its, "groups", 250)).length }),
  // A list here is never older than a minute.
  "POST /api/:session/groups/refresh": () => ({ success: true }),
  [`GET ${group}`]: read(toGroup),
  [`POST ${group}/leave`]: (its) => its.done("POST", at`groups/${its.chat}/leave`),
  [`GET ${group}/picture`]: async (its) => ({ url: await its.picture() }),
  [`PUT ${group}/picture`]: (its) => its.done("PUT", at`groups/${its.chat}/avatar`, newPicture(its)),
  [`DELETE ${group}/picture`]: (its) => its.done("DELETE", at`groups/${its.chat}/avatar`),
  [`PUT ${group}/description`]: change(({ description }) => ({ topic: description })),
  [`PUT ${group}/subject`]: change(({ subject }) => ({ name: subject })),
  ...Object.fromEntries(
    Object.entries(settings).map(([row, run]) => [row.replace(" ", ` ${group}/settings/security/`), run]),
  ),
  [`GET ${group}/invite-code`]: async (its) =>
    codeOf(await its.proxy.ask("GET", at`groups/${its.chat}/invite`)),
  [`POST ${group}/invite-code/revoke`]: async (its) =>
    codeOf(await its.proxy.ask("POST", at`groups/${its.chat}/invite/revoke`)),
  [`GET ${group}/participants`]: read(({ members }) => members.map(toParticipant)),
  [`GET ${group}/participants/v2`]: read(({ members }) => members.map(toParticipant)),
  [`POST ${group}/participants/add`]: withPeople("members/add"),
  [`POST ${group}/participants/remove`]: withPeople("members/remove"),
  [`POST ${group}/admin/promote`]: withPeople("members/promote"),
  [`POST ${group}/admin/demote`]: withPeople("members/demote"),
  [`GET ${group}/participants/join-requests`]: async (its) =>
    (await its.proxy.ask<Parameters<typeof toRequest>[0][]>("GET", at`groups/${its.chat}/requests`)).map(
      toRequest,
    ),
  [`POST ${group}/participants/join-requests/approve`]: withPeople("requests/approve"),
  [`POST ${group}/participants/join-requests/reject`]: withPeople("requests/reject"),
}
