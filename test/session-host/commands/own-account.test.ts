import "#test/support/store.ts"
import { proto } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import { Lease } from "#core/lease/lease.ts"
import { aSharedChat } from "#test/support/session/chat.ts"
import { call } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

// What an account sets for itself and its own devices: each as its phone has it then, and as others meet it.

const { ask, bob, bridge, message, network, phone } = await aSharedChat()
await Lease.choose(bridge.id, { keep: 7 })
await call(bridge.id, "POST", "/look-at-lease")

interface Setting {
  index: string[]
  value: Record<string, unknown>
}
interface Label {
  id: string
  name: string
  color: number
}

const own = `/phones/${phone.number}`
const asked = async (path: string): Promise<Record<string, unknown>> => await ask("GET", path)
const list = async <Item>(path: string) =>
  (await (await call(bridge.id, "GET", path)).json()) as Item extends object ? Item[] : never
const settings = async (collection: string) =>
  (await network.call("GET", `${own}/app-state/${collection}`)) as Setting[]
const setOnPhone = (collection: string, index: string[], value: object, more: object = {}) =>
  network.call("POST", `${own}/app-state/${collection}`, { index, value, ...more })
const onPhone = async (chat = bob.number) => {
  const messages = (await network.call("GET", `${own}/messages?chat=${chat}`)) as { text: string }[]
  return messages.map(({ text }) => text)
}
const here = async (chat = bob.number) =>
  (await list<{ body: string }>(`/chats/${chat}/messages?limit=50`)).map(({ body }) => body)
const chats = async () => (await list<{ chat_id: string }>("/chats?limit=50")).map(({ chat_id }) => chat_id)
/** A message that Bob writes, once it is kept. */
async function bobWrites(text: string, chat = phone.number) {
  const { id } = await bob.send(chat, text)
  const { timestamp } = await message(id)
  return { id, timestamp }
}

test("an account's name is changed on its phone, and for the people it writes to", async () => {
  const rename = async () => await ask("PATCH", "/profile/name", { name: "The Corner Shop" })
  // The phone gives the keys of its settings a moment after the link.
  await until(async () => (await rename()).status === 200)
  expect(await settings("critical_block")).toMatchObject([
    { index: ["setting_pushName"], value: { pushNameSetting: { name: "The Corner Shop" } } },
  ])
  expect(await network.call("GET", own)).toMatchObject({ name: "The Corner Shop" })
  await until(async () => (await asked("/profile")).name === "The Corner Shop")
  expect(await ask("PATCH", "/profile/name", { name: "x".repeat(26) })).toMatchObject({ status: 400 })
})

test("privacy is read and set as the network has it; a refusal names what was set before it", async () => {
  const before = { last_seen: "all", read_receipts: true, calls: "all", disappearing: 0 }
  expect(await ask("GET", "/privacy")).toMatchObject({ status: 200, ...before })
  const wanted = { last_seen: "contacts", online: "match_last_seen", read_receipts: false, calls: "known" }
  const timer = { disappearing: 86_400 }
  expect(await ask("PATCH", "/privacy", { ...wanted, ...timer })).toMatchObject({ ...wanted, ...timer })
  expect(await network.call("GET", own)).toMatchObject({
    privacy: { last: "contacts", online: "match_last_seen", readreceipts: "none", calladd: "known" },
    ...timer,
  })
  expect(await ask("PATCH", "/privacy", { last_seen: "friends" })).toMatchObject({ status: 400 })
  expect(await ask("PATCH", "/privacy", {})).toMatchObject({ status: 400 })
  const device = `${phone.number}:1`
  await network.fault({ kind: "refuse_iq", device, xmlns: "disappearing_mode", times: 1, code: 406 })
  expect(await ask("PATCH", "/privacy", { groups: "contacts", disappearing: 0 })).toMatchObject({
    status: 502,
    network_code: 406,
    error: expect.stringMatching(/before that: groups$/),
  })
  expect(await ask("PATCH", "/privacy", { read_receipts: true })).toMatchObject({
    groups: "contacts",
    ...timer,
  })
})

test("a chat's timer is set for both, holds for what is sent then, and follows the other's change", async () => {
  const path = `/chats/${bob.number}/disappearing`
  const week = 604_800
  expect(await ask("GET", path)).toMatchObject({ status: 200, disappearing: 0 })
  // The second one sends nothing.
  for (const seconds of [week, week])
    expect(await ask("PUT", path, { seconds })).toMatchObject({
      chat_id: bob.jid,
      disappearing: week,
    })
  const told = await bob.read({ kind: "protocolMessage" })
  expect(told).toMatchObject([{ content: { protocolMessage: { ephemeralExpiration: week } } }])
  await ask("POST", "/send/text", { chat: bob.number, body: "goes in a week" })
  const [sent] = await bob.read({ text: "goes in a week" })
  const { contextInfo } = proto.Message.fromObject(sent!.content).extendedTextMessage!
  expect(contextInfo).toMatchObject({ expiration: week, disappearingMode: { initiatedByMe: true } })
  expect(JSON.stringify(await list("/sent?limit=50"))).not.toContain(told[0]!.id)
  await bob.post(phone.number, {
    raw: { protocolMessage: { type: "EPHEMERAL_SETTING", ephemeralExpiration: 0 } },
  })
  await until(async () => (await asked(path)).disappearing === 0)
  const { jid } = await network.group([phone, bob])
  expect(await ask("PUT", `/chats/${jid}/disappearing`, { seconds: 86_400 })).toMatchObject({
    status: 200,
    disappearing: 86_400,
  })
  expect(await ask("PUT", path, { seconds: 60 })).toMatchObject({ status: 400 })
  expect(await ask("GET", "/chats/120363000000000009@g.us/disappearing")).toMatchObject({ status: 404 })
})

test("a message that is deleted for the account goes from its phone and from here, in a group, too", async () => {
  const { jid } = await network.group([phone, bob])
  const [first, second] = [await bobWrites("to go"), await bobWrites("stays")]
  const inGroup = await bobWrites("to go in the group", jid)
  for (const { id } of [first, inGroup])
    expect(await ask("DELETE", `/messages/${id}/for-me`)).toMatchObject({ status: 200 })
  await until(async () => !(await onPhone()).includes("to go"))
  await until(async () => !(await onPhone(jid)).includes("to go in the group"))
  expect(await here()).not.toContain("to go")
  expect(await here(jid)).toEqual([])
  // It is still known by its id.
  expect(await ask("GET", `/messages/${first.id}`)).toMatchObject({ body: "to go" })
  expect(await ask("DELETE", "/messages/NONE/for-me")).toMatchObject({ status: 404 })
  const value = { deleteMessageForMeAction: { deleteMedia: true, messageTimestamp: second.timestamp } }
  await setOnPhone("regular_high", ["deleteMessageForMe", bob.lid, second.id, "0", "0"], value, {
    version: 3,
  })
  await until(async () => !(await here()).includes("stays"))
})

test("a chat is cleared, and deleted until somebody writes, on the phone and here, by either", async () => {
  await bobWrites("to be cleared")
  expect(await ask("DELETE", `/chats/${bob.number}/messages`)).toMatchObject({ status: 200 })
  await until(async () => !(await onPhone()).includes("to be cleared"))
  expect(await here()).toEqual([])
  expect(await chats()).toContain(bob.jid)
  expect(await ask("DELETE", `/chats/${bob.number}`)).toMatchObject({ status: 200 })
  expect(await chats()).not.toContain(bob.jid)
  expect(await ask("PATCH", `/chats/${bob.number}`, { pinned: true })).toMatchObject({ status: 404 })
  const again = await until(async () => {
    const written = await bobWrites("a new beginning")
    return (await here()).includes("a new beginning") && written
  })
  expect(await chats()).toContain(bob.jid)
  const messageRange = { lastMessageTimestamp: again.timestamp }
  await setOnPhone(
    "regular_high",
    ["deleteChat", bob.lid, "1"],
    { deleteChatAction: { messageRange } },
    { version: 6 },
  )
  await until(async () => !(await chats()).includes(bob.jid))
  expect(await here()).toEqual([])
})

test("an address book is changed here and on the phone, and a removed name is gone", async () => {
  const contact = async () => await asked(`/contacts/${bob.number}`)
  expect(await ask("PUT", `/contacts/${bob.number}`, { full_name: "Robert Brown" })).toMatchObject({
    status: 200,
    jid: bob.jid,
    full_name: "Robert Brown",
    first_name: "Robert",
  })
  const entries = async () =>
    (await settings("critical_unblock_low")).filter(({ index }) => index[1] === bob.jid)
  const names = { fullName: "Robert Brown", firstName: "Robert", lidJid: bob.lid }
  expect(await entries()).toMatchObject([{ index: ["contact", bob.jid], value: { contactAction: names } }])
  await network.call("POST", `${own}/contacts`, { number: bob.number, full_name: "Bobby" })
  await until(async () => (await contact()).full_name === "Bobby")
  expect(await contact()).toMatchObject({ first_name: "" })
  expect(await ask("PUT", `/contacts/${bob.lid}`, { full_name: "Rob", first_name: "R" })).toMatchObject({
    full_name: "Rob",
    first_name: "R",
  })
  for (const jid of [bob.number, bob.lid])
    expect(await ask("DELETE", `/contacts/${jid}`)).toMatchObject({ status: 200 })
  expect(await entries()).toEqual([])
  expect(await contact()).toMatchObject({ full_name: "", first_name: "", name: "Bob" })
  await ask("PUT", `/contacts/${bob.number}`, { full_name: "Robert" })
  await setOnPhone(
    "critical_unblock_low",
    ["contact", bob.jid],
    { contactAction: {} },
    { version: 2, remove: true },
  )
  await until(async () => (await contact()).full_name === "")
  expect(await ask("PUT", "/contacts/491700000000", { full_name: "Nobody" })).toMatchObject({ status: 404 })
})

test("labels are a business's alone; they are made, put on chats and messages, and follow the phone", async () => {
  expect(await ask("GET", "/labels")).toMatchObject({ status: 409, code: "not_business" })
  await network.call("PATCH", own, { business: { name: "The Corner Shop" } })
  expect(await list("/labels")).toEqual([])
  await setOnPhone(
    "regular",
    ["label_edit", "4"],
    { labelEditAction: { name: "Paid", color: 1 } },
    { version: 3 },
  )
  await setOnPhone(
    "regular",
    ["label_edit", "9"],
    { labelEditAction: { name: "Unread", type: "UNREAD" } },
    { version: 3 },
  )
  expect(await list("/labels")).toEqual([{ id: "4", name: "Paid", color: 1 }])

  const made = await ask("POST", "/labels", { name: "Waits", color: 7 })
  expect(made).toMatchObject({ status: 200, id: "10", name: "Waits", color: 7 })
  expect(await ask("POST", "/labels", { name: "Waits" })).toMatchObject({ id: "10", color: 7 })
  expect(await ask("PATCH", "/labels/10", { color: 3 })).toMatchObject({ name: "Waits", color: 3 })
  const labelled = await bobWrites("the labelled one")
  expect(await ask("PUT", `/labels/10/chats/${bob.number}`)).toMatchObject({ status: 200 })
  expect(await ask("PUT", `/labels/10/chats/${bob.number}?message_id=${labelled.id}`)).toMatchObject({
    status: 200,
  })
  expect(await list("/labels/10/chats")).toEqual([
    { chat_id: bob.jid },
    { chat_id: bob.jid, message_id: labelled.id },
  ])
  const kept = await settings("regular")
  expect(kept).toContainEqual({ index: ["label_jid", "10", bob.lid], value: expect.objectContaining({}) })
  expect(kept.map(({ index }) => index)).toContainEqual([
    "label_message",
    "10",
    bob.lid,
    labelled.id,
    "0",
    "0",
  ])
  expect(await list<Label>(`/labels?chat=${bob.number}`)).toEqual([{ id: "10", name: "Waits", color: 3 }])

  const off = { labelAssociationAction: { labeled: false } }
  await setOnPhone("regular", ["label_jid", "10", bob.lid], off, { version: 3 })
  expect(await list("/labels/10/chats")).toEqual([{ chat_id: bob.jid, message_id: labelled.id }])
  expect(await ask("DELETE", `/labels/10/chats/${bob.number}?message_id=${labelled.id}`)).toMatchObject({
    status: 200,
  })
  expect(await list("/labels/10/chats")).toEqual([])
  expect(await ask("DELETE", "/labels/10")).toMatchObject({ status: 200 })
  expect(await ask("PUT", `/labels/10/chats/${bob.number}`)).toMatchObject({ status: 404 })
  expect(await ask("POST", "/labels", { name: "Another" })).toMatchObject({ id: "11" })
})
