import { expect } from "vitest"
import { z } from "zod"
import { aFileServer } from "#test/support/file-server.ts"
import type { CasesOf } from "./cases.ts"
import { ada, bakery, face, grace, group, jpeg, whole } from "./stage.ts"

const regulars = {
  jid: group,
  name: "Regulars",
  topic: "New in",
  participants: 3,
  owner: ada.jid,
  role: "member",
  write: "all",
  edit: "all",
  add_members: "all",
}

const call = (method: string, path: string, body?: object) =>
  whole.call(method, `/api/instances/shop/proxy/${path}`, body)

const Created = z.object({ group: z.object({ jid: z.string() }) })

/** A group that Grace has made. */
async function own(...members: { number: string }[]): Promise<string> {
  const body = { name: "Ours", members: members.map(({ number }) => number) }
  return Created.parse(await (await call("POST", "groups", body)).json()).group.jid
}

const known = async (jid: string) => (await whole.network.groups()).find((one) => one.jid === jid)!

const membersOf = async (jid: string) => (await known(jid)).members

const linkOf = async (jid: string) => `https://chat.whatsapp.com/${(await known(jid)).invite}`

/** A group of Grace's that Ada asks to join. */
async function asked(): Promise<string> {
  const jid = await own()
  await call("PATCH", `groups/${jid}`, { approval: true })
  const { invite: join } = await known(jid)
  await whole.network.call("PATCH", `/groups/${jid}`, { by: ada.number, join })
  return jid
}

export const groups: CasesOf<"Groups"> = {
  listGroups: async (ask) => {
    const list = (await ask()).json as { jid: string }[]
    expect(list.find(({ jid }) => jid === group)).toMatchObject(regulars)
    expect((await ask({ with: { limit: 1, after: list.at(-1)!.jid } })).json).toEqual([])
    const village = list.find((one) => (one as { is_community?: boolean }).is_community)!
    expect(list).toContainEqual(
      expect.objectContaining({ community: village.jid, is_announcements: true, write: "admins" }),
    )
  },
  createGroup: async (ask) => {
    const shy = await whole.network.create("Shy")
    await whole.network.change(shy.number, { privacy: { groupadd: "none" } })
    const members = [ada.number, shy.number]
    const settings = { topic: "For two", write: "admins", approval: true, disappearing: 86_400 }
    const { json } = await ask({ body: { name: "New", members, ...settings } })
    expect(json).toMatchObject({
      group: { name: "New", participants: 2, role: "owner", owner: grace.jid, ...settings },
      members: [
        { jid: ada.jid, phone: ada.number, outcome: "added" },
        { jid: shy.jid, phone: shy.number, outcome: "refused", reason: "privacy", network_code: 403 },
      ],
    })
    expect(await membersOf(Created.parse(json).group.jid)).toHaveLength(2)
  },
  getGroup: async (ask) => {
    const { json } = await ask({ with: { jid: group } })
    const members = [
      { jid: ada.jid, phone: ada.number, role: "owner" },
      { jid: grace.jid, phone: grace.number, role: "member" },
    ]
    expect(json).toMatchObject({ ...regulars, members: expect.arrayContaining(members) as unknown })
  },
  updateGroup: async (ask) => {
    const jid = await own(ada)
    const changed = { name: "Renamed", topic: "Still ours", write: "admins", disappearing: 604_800 }
    expect((await ask({ with: { jid }, body: changed })).json).toMatchObject({ jid, ...changed })
    expect(await whole.network.send(ada.number, jid, "may I?")).toMatchObject({ error: "403" })
  },
  leaveGroup: async (ask) => {
    const jid = await own(ada)
    await ask({ with: { jid } })
    expect(await membersOf(jid)).toMatchObject([{ number: ada.number }])
  },
  groupAvatar: async (ask) => {
    const picture = jpeg.toString("base64")
    await whole.network.call("PATCH", `/groups/${group}`, { by: ada.number, picture })
    expect((await ask({ with: { jid: group } })).bytes.equals(jpeg)).toBe(true)
  },
  setGroupAvatar: async (ask) => {
    const jid = await own()
    const { url } = await aFileServer({ "/us.jpg": { type: "image/jpeg", body: face } })
    const { json } = await ask({ with: { jid }, body: { url: `${url}/us.jpg` } })
    expect(json).toEqual({ picture_id: expect.stringMatching(/./) as unknown })
    expect((await call("GET", `groups/${jid}/avatar`)).status).toBe(200)
  },
  removeGroupAvatar: async (ask) => {
    await ask({ with: { jid: group } })
    expect((await call("GET", `groups/${group}/avatar`)).status).toBe(404)
  },
  addMembers: async (ask) => {
    const jid = await own()
    const shy = await whole.network.create("Shy")
    await whole.network.change(shy.number, { privacy: { groupadd: "none" } })
    const members = [ada.number, shy.number]
    const { json } = await ask({ with: { jid }, body: { members, invite: true } })
    expect(json).toMatchObject([
      { jid: ada.jid, phone: ada.number, outcome: "added" },
      { jid: shy.jid, outcome: "invited", reason: "privacy", network_code: 403 },
    ])
    const [invitation] = await whole.network.read(shy.number, { kind: "groupInviteMessage", wait: 10_000 })
    expect(invitation).toMatchObject({
      content: { groupInviteMessage: { groupJid: jid, groupName: "Ours" } },
    })
  },
  removeMembers: async (ask) => {
    const jid = await own(ada, bakery)
    const { json } = await ask({ with: { jid }, body: { members: [ada.number, "+" + ada.number] } })
    expect(json).toEqual([{ jid: ada.jid, phone: ada.number, outcome: "removed" }])
    expect(await membersOf(jid)).toHaveLength(2)
    const again = await ask({ with: { jid }, body: { members: [ada.number] } })
    expect(again.json).toMatchObject([{ outcome: "refused", reason: "not_found", network_code: 404 }])
  },
  promoteMembers: async (ask) => {
    const jid = await own(ada)
    const { json } = await ask({ with: { jid }, body: { members: [ada.number, bakery.number] } })
    expect(json).toMatchObject([{ outcome: "promoted" }, { outcome: "refused", reason: "not_found" }])
    expect(await membersOf(jid)).toMatchObject([{ role: "superadmin" }, { role: "admin" }])
  },
  demoteMembers: async (ask) => {
    const jid = await own(ada)
    await call("POST", `groups/${jid}/members/promote`, { members: [ada.number] })
    const { json } = await ask({ with: { jid }, body: { members: [ada.number, bakery.number] } })
    expect(json).toMatchObject([{ outcome: "demoted" }, { outcome: "refused", reason: "not_found" }])
    expect(await membersOf(jid)).toMatchObject([{}, { role: "member" }])
  },
  lookAtInvite: async (ask) => {
    const { json } = await ask({ with: { link: await linkOf(group) } })
    expect(json).toMatchObject({ jid: group, name: "Regulars", role: "" })
  },
  joinGroup: async (ask) => {
    const { jid } = await whole.network.group({ creator: ada.number, subject: "Open" })
    const body = { link: await linkOf(jid) }
    expect((await ask({ body })).json).toEqual({ jid, joined: true })
    expect(await membersOf(jid)).toMatchObject([{ number: ada.number }, { number: grace.number }])
  },
  getInvite: async (ask) => {
    const jid = await own()
    expect((await ask({ with: { jid } })).json).toEqual({ link: await linkOf(jid) })
  },
  revokeInvite: async (ask) => {
    const jid = await own()
    const before = await linkOf(jid)
    const { json } = await ask({ with: { jid } })
    expect(json).toEqual({ link: await linkOf(jid) })
    expect(json).not.toEqual({ link: before })
  },
  listJoinRequests: async (ask) => {
    const { json } = await ask({ with: { jid: await asked() } })
    const requested_at = expect.any(Number) as unknown
    expect(json).toEqual([{ jid: ada.jid, phone: ada.number, requested_at }])
  },
  approveRequests: async (ask) => {
    const jid = await asked()
    const { json } = await ask({ with: { jid }, body: { members: [ada.number, bakery.number] } })
    expect(json).toMatchObject([
      { jid: ada.jid, phone: ada.number, outcome: "approved" },
      { outcome: "refused", reason: "not_found", network_code: 404 },
    ])
    expect(await membersOf(jid)).toHaveLength(2)
  },
  rejectRequests: async (ask) => {
    const jid = await asked()
    const { json } = await ask({ with: { jid }, body: { members: [ada.number, bakery.number] } })
    expect(json).toMatchObject([{ jid: ada.jid, outcome: "rejected" }, { outcome: "refused" }])
    expect(await membersOf(jid)).toHaveLength(1)
  },
}
