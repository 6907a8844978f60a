import { beforeAll, expect, test } from "vitest"
import type { Event } from "#contract/event.ts"
import type { Phone } from "#one-machine/network/client.ts"
import { uncoveredIn } from "../contract-coverage.ts"
import { whole } from "./stage.ts"

type GroupEvent = Extract<Event, { event: "group" }>

let grace: Phone
let ada: Phone
let bob: Phone

beforeAll(async () => {
  grace = await whole.network.create("Grace")
  ada = await whole.network.create("Ada")
  bob = await whole.network.create("Bob")
  await whole.bridge("groups")
  await whole.link("groups", grace)
})

const device = () => `${grace.number}:1`
const call = async (method: string, path: string, body?: object) =>
  await whole.call(method, `/api/instances/groups${path}`, body)
const group = async (by: Phone, subject: string, ...members: Phone[]) =>
  (await whole.network.group({ creator: by.number, subject, members: members.map(({ number }) => number) }))
    .jid
const change = (by: Phone, jid: string, body: object) =>
  whole.network.call("PATCH", `/groups/${jid}`, { by: by.number, ...body })
const told = (jid: string, kind: GroupEvent["kind"], matches: (event: GroupEvent) => boolean = () => true) =>
  whole.webhook.event(
    "groups",
    "group",
    (event) => event.chat_id === jid && event.kind === kind && matches(event),
  )

const byAda = () => ({ contact_id: ada.jid, phone: ada.number, name: "Ada", from_me: false })

test("news of groups comes only to a webhook that names it", async () => {
  const jid = await group(ada, "Unheard of", grace)
  await whole.network.settled(device(), 10_000)
  await call("PATCH", "", {
    webhook_url: whole.webhook.urlOf("groups"),
    events: ["message", "connected", "offline_sync_completed", "group"],
  })
  await change(ada, jid, { subject: "Heard of" })
  expect(await told(jid, "subject")).toEqual({
    event: "group",
    kind: "subject",
    chat_id: jid,
    ...byAda(),
    timestamp: expect.any(Number),
    subject: "Heard of",
  })
  expect(whole.webhook.of("groups").filter(({ event }) => event === "group")).toHaveLength(1)
})

test("a group and its members, as others change them", async () => {
  const jid = await group(ada, "Ada's", grace, bob)
  const participants = [ada.jid, grace.jid, bob.jid]
  expect(await told(jid, "created")).toMatchObject({ ...byAda(), subject: "Ada's", participants })
  await change(ada, jid, { promote: [bob.number] })
  expect(await told(jid, "promoted")).toMatchObject({ ...byAda(), participants: [bob.jid] })
  await change(ada, jid, { demote: [bob.number] })
  expect(await told(jid, "demoted")).toMatchObject({ participants: [bob.jid] })
  await change(ada, jid, { remove: [bob.number] })
  expect(await told(jid, "removed")).toMatchObject({ ...byAda(), participants: [bob.jid] })
  await change(ada, jid, { add: [bob.number] })
  expect(await told(jid, "added")).toMatchObject({ ...byAda(), participants: [bob.jid] })
  await change(bob, jid, { leave: true })
  expect(await told(jid, "left")).toMatchObject({ contact_id: bob.jid, participants: [bob.jid] })
  await change(ada, jid, { remove: [grace.number] })
  expect(await told(jid, "removed", ({ participants: [who] = [] }) => who === grace.jid)).toBeDefined()
  await change(ada, jid, { add: [grace.number] })
  expect(await told(jid, "added", ({ participants: [who] = [] }) => who === grace.jid)).toMatchObject({
    ...byAda(),
    subject: "Ada's",
  })
})

test("its texts, its picture and its settings", async () => {
  const jid = await group(ada, "Changing", grace)
  await change(ada, jid, { description: "What for" })
  expect(await told(jid, "description")).toMatchObject({ ...byAda(), description: "What for" })
  await change(ada, jid, { picture: "/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==" })
  const set = await told(jid, "picture", ({ picture_id }) => picture_id !== undefined)
  expect(set).toMatchObject({ contact_id: ada.jid, phone: ada.number })
  await change(ada, jid, { picture: null })
  await told(jid, "picture", ({ picture_id }) => picture_id === undefined)
  const settings = [
    [{ setting: "announcement" }, { write: "admins" }],
    [{ setting: "not_announcement" }, { write: "all" }],
    [{ setting: "locked" }, { edit: "admins" }],
    [{ setting: "unlocked" }, { edit: "all" }],
    [{ all_add: false }, { add_members: "admins" }],
    [{ all_add: true }, { add_members: "all" }],
    [{ approval: true }, { approval: true }],
    [{ approval: false }, { approval: false }],
    [{ ephemeral: 86_400 }, { disappearing: 86_400 }],
    [{ ephemeral: 0 }, { disappearing: 0 }],
  ] as const
  for (const [body, said] of settings) {
    await change(ada, jid, body)
    await told(jid, "settings", (event) => JSON.stringify(event.settings) === JSON.stringify(said))
  }
})

test("what the account does itself, who asks to join, and the end of a group", async () => {
  const made = await call("POST", "/proxy/groups", { name: "Grace's" })
  const { jid } = ((await made.json()) as { group: { jid: string } }).group
  const own = { contact_id: grace.jid, phone: grace.number, name: "Grace", from_me: true }
  expect(await told(jid, "created")).toMatchObject({ ...own, subject: "Grace's", participants: [grace.jid] })
  await call("PATCH", `/proxy/groups/${jid}`, { approval: true })
  await told(jid, "settings", ({ from_me }) => from_me)
  const join = (await whole.network.groups()).find((one) => one.jid === jid)!.invite
  await change(ada, jid, { join })
  expect(await told(jid, "request")).toMatchObject({ contact_id: ada.jid, participants: [ada.jid] })
  await call("POST", `/proxy/groups/${jid}/requests/reject`, { members: [ada.number] })
  expect(await told(jid, "request_over")).toMatchObject({ from_me: true, participants: [ada.jid] })
  await call("PATCH", `/proxy/groups/${jid}`, { approval: false })
  await change(ada, jid, { join })
  expect(await told(jid, "joined")).toMatchObject({ ...byAda(), participants: [ada.jid] })
  const answer = await call("POST", `/proxy/groups/${jid}/invite/revoke`)
  const { link } = (await answer.json()) as { link: string }
  expect(await told(jid, "link")).toMatchObject({ ...own, link })
  await whole.network.notice(device(), { kind: "group_deleted", about: ada.number, group: jid })
  expect(await told(jid, "deleted")).toMatchObject(byAda())

  const open = await group(ada, "Open")
  const { invite } = (await whole.network.groups()).find((one) => one.jid === open)!
  await call("POST", "/proxy/groups/join", { link: invite })
  expect(await told(open, "joined")).toMatchObject({ subject: "Open", participants: [grace.jid] })
})

test("a member with a username, and what happened while the session was offline", async () => {
  await whole.network.change(bob.number, { username: "bob.1" })
  const jid = await group(bob, "Bob's", grace)
  expect(await told(jid, "created")).toMatchObject({ username: "bob.1" })
  await whole.network.fault({ kind: "refuse_upgrade" })
  await whole.network.cut(device())
  await change(bob, jid, { subject: "While you were away" })
  await whole.network.clearFaults()
  expect(await told(jid, "subject")).toMatchObject({ subject: "While you were away", offline: true })
})

test("all that the contract can say of groups was said, and every delivery was genuine and as documented", () => {
  expect(uncoveredIn("groups", whole.webhook.of("groups"))).toEqual([])
  expect(whole.webhook.faults()).toEqual([])
})
