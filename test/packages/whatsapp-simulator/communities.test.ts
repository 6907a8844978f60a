import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildBuffer } from "@whiskeysockets/baileys"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Client } from "#test/support/network/baileys-client.ts"
import { aNetwork, deviceOf } from "#test/support/network/network.ts"

const network = await aNetwork()
type Phone = Awaited<ReturnType<typeof network.phone>>
let ada: Phone
let bob: Phone
let client: Client
let other: Client
beforeAll(async () => {
  ada = await network.phone("Ada")
  bob = await network.phone("Bob")
  client = await network.paired(ada)
  other = await network.paired(bob)
})
afterAll(() => network.close())

const groupsOf = async (jid: string, by = client) =>
  (await by.sock.communityFetchLinkedGroups(jid)).linkedGroups

const membersOf = async (jid: string) => {
  const { participants } = await client.sock.groupMetadata(jid)
  return participants.map(({ id }) => id).toSorted()
}

async function ask(by: Client, type: "get" | "set", to: string, content: BinaryNode): Promise<BinaryNode> {
  const attrs = { to, xmlns: "w:g2", type }
  return (await by.sock.query({ tag: "iq", attrs, content: [content] })) as BinaryNode
}

test("a community is made with a group for its announcements and one for everything", async () => {
  const made = (await client.sock.communityCreate("The village", "All of us"))!
  expect(made).toMatchObject({ subject: "The village", desc: "All of us", isCommunity: true })
  const [announcements, general, ...more] = await groupsOf(made.id)
  expect([announcements!.subject, general!.subject, more]).toEqual(["The village", "General", []])
  expect(await client.sock.groupMetadata(announcements!.id!)).toMatchObject({
    announce: true,
    isCommunityAnnounce: true,
    linkedParent: made.id,
  })
  const all = await client.sock.groupFetchAllParticipating()
  expect(Object.keys(all)).toEqual(expect.arrayContaining([made.id, announcements!.id, general!.id]))
  const chat = await client.sock.sendMessage(made.id, { text: "Nobody writes here" })
  await network.log({ who: deviceOf(client), kind: "out", attrs: { id: chat!.key.id!, error: "403" } })
})

test("a new member of a community gets its announcements, joins its groups, and leaves all of them with it", async () => {
  const { id } = (await client.sock.communityCreate("Comers", "and goers"))!
  const [announcements, general] = (await groupsOf(id)).map((group) => group.id!)
  await client.sock.communityParticipantsUpdate(id, [bob.lid], "add")
  expect(await membersOf(announcements!)).toEqual([ada.lid, bob.lid].toSorted())
  expect(await membersOf(general!)).toEqual([ada.lid])
  await client.sock.sendMessage(announcements!, { text: "It rains" })
  await other.message("It rains")

  const joined = await ask(other, "set", id, { tag: "join_linked_group", attrs: { jid: general! } })
  expect(getBinaryNodeChild(getBinaryNodeChild(joined, "linked_group"), "group")).toBeDefined()
  await other.sock.sendMessage(general!, { text: "Good morning" })
  await client.message("Good morning")
  expect(await groupsOf(id, other)).toHaveLength(2)
  const everybody = await ask(client, "get", id, { tag: "linked_groups_participants", attrs: {} })
  expect(getBinaryNodeChild(everybody, "linked_groups_participants")?.content).toHaveLength(2)

  await other.sock.communityLeave(id)
  for (const jid of [id, announcements!, general!]) expect(await membersOf(jid)).toEqual([ada.lid])
  await expect(groupsOf(id, other)).rejects.toThrow("forbidden")
})

test("a group is made in a community, or linked to it with its members, and goes on by itself afterwards", async () => {
  const { id } = (await client.sock.communityCreate("Linked", ""))!
  const within = (await client.sock.communityCreateGroup("Within", [], id))!
  expect(within.linkedParent).toBe(id)
  const before = (await client.sock.groupCreate("Before", [bob.jid])).id
  await client.sock.communityLinkGroup(before, id)
  expect((await groupsOf(id)).map(({ subject }) => subject)).toEqual([
    "Linked",
    "General",
    "Within",
    "Before",
  ])
  expect(await membersOf(id)).toEqual([ada.lid, bob.lid].toSorted())
  const told = await network.log({ who: deviceOf(other), kind: "out", attrs: { from: before } })
  expect(told.some(({ stanza }) => JSON.stringify(stanza).includes("parent_group"))).toBe(true)

  const counts = await client.sock.query({
    tag: "iq",
    attrs: { to: "@s.whatsapp.net", xmlns: "w:mex", type: "get" },
    content: [
      {
        tag: "query",
        attrs: { query_id: "24079399904996141" },
        content: Buffer.from(JSON.stringify({ variables: { input: { group_jid: id } } })),
      },
    ],
  })
  const { data } = JSON.parse(getBinaryNodeChildBuffer(counts, "result")!.toString())
  const edges: { node: object }[] = data.xwa2_group_query_by_id.sub_groups.edges
  expect(edges.map(({ node }) => node)).toMatchObject([
    { total_participants_count: 1 },
    { total_participants_count: 1 },
    { id: before, total_participants_count: 2 },
  ])

  await client.sock.communityUnlinkGroup(before, id)
  expect(await groupsOf(id)).toHaveLength(3)
  await ask(client, "set", id, { tag: "delete_parent", attrs: {} })
  await expect(client.sock.groupMetadata(id)).rejects.toThrow("item-not-found")
  expect((await client.sock.groupMetadata(within.id)).linkedParent).toBeUndefined()
  expect(await membersOf(before)).toEqual([ada.lid, bob.lid].toSorted())
})

test("only a community's members ask about it, and only its admins change it", async () => {
  const { id } = (await client.sock.communityCreate("Closed", ""))!
  const group = (await other.sock.groupCreate("Not theirs", [])).id
  await expect(groupsOf(id, other)).rejects.toThrow("forbidden")
  await expect(other.sock.communityLinkGroup(group, id)).rejects.toThrow("forbidden")
  await expect(groupsOf(group, other)).rejects.toThrow("item-not-found")
  await client.sock.communityParticipantsUpdate(id, [bob.lid], "add")
  await expect(other.sock.communityLinkGroup(group, id)).rejects.toThrow("forbidden")
  // The group belongs to another person, and so its own admins decide about the link.
  const content = [
    { tag: "link", attrs: { link_type: "sub_group" }, content: [{ tag: "group", attrs: { jid: group } }] },
  ]
  const answer = await ask(client, "set", id, { tag: "links", attrs: {}, content })
  const link = getBinaryNodeChild(getBinaryNodeChild(answer, "links"), "link")
  expect(getBinaryNodeChild(link, "group")?.attrs).toEqual({ jid: group, error: "403" })
})
