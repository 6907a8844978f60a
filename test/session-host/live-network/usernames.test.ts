import { expect, onTestFinished, test } from "vitest"
import "#test/support/store.ts"
import type { Contact } from "#contract/contact.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { call, eventsOfType, held, sendText } from "#test/support/session/host.ts"
import { scanCode } from "#test/support/session/paired.ts"
import { aSharedHost } from "#test/support/session/shared-host.ts"
import { until } from "#test/support/until.ts"

// People who are found by a username, and whose number is told to no one.

const { aChat } = await aSharedHost()

/** A chat, and Cleo, who has a username. */
async function aCleo(settings: { username_pin?: string } = {}) {
  const chat = await aChat()
  const cleo = await chat.network.phone("Cleo")
  await chat.network.control.change(cleo.number, { username: "cleo.1", ...settings })
  onTestFinished(async () => void (await chat.network.control.change(cleo.number, { username: null })))
  const contact = async () => {
    const all = Object.values(await chat.ask("GET", "/contacts")) as unknown as Contact[]
    return all.find(({ jid }) => jid === cleo.lid)
  }
  return { ...chat, cleo, contact }
}

test("a sender without a number is named by their private id and their username, alone and in a group", async () => {
  const { bob, cleo, phone, network, message, contact } = await aCleo()
  const named = { contact_id: cleo.lid, phone: "", username: "cleo.1", name: "Cleo" }
  expect(await message((await cleo.send(phone.number, "hello")).id)).toMatchObject({
    ...named,
    chat_id: cleo.lid,
  })
  const group = await network.group([cleo, phone])
  expect(await message((await cleo.send(group.jid, "here, too")).id)).toMatchObject(named)
  expect(await contact()).toMatchObject({ username: "cleo.1", phone: "", name: "Cleo" })

  expect(await message((await bob.send(phone.number, "I have none")).id)).not.toHaveProperty("username")
})

test("a message to a username reaches its owner, whatever its kind; their answer is of the same chat", async () => {
  const { cleo, phone, bridge, ask, message } = await aCleo()
  expect(await sendText(bridge.id, "@cleo.1", "hello")).toMatchObject({ status: 200 })
  expect(await cleo.read({ text: "hello" })).toMatchObject([{ times: 1, chat: phone.number }])
  const { id } = await cleo.send(phone.number, "and hello")
  expect(await message(id)).toMatchObject({ chat_id: cleo.lid })

  const reaction = { chat: "@cleo.1", message_id: id, emoji: "👍" }
  expect(await ask("POST", "/send/reaction", reaction)).toMatchObject({ status: 200 })
  const quote = { chat: "@cleo.1", body: "quoted", quoted_message_id: id }
  expect(await ask("POST", "/send/text", quote)).toMatchObject({ status: 200 })
  expect(await cleo.read({ text: "quoted" })).toMatchObject([{ times: 1 }])
  for (const [path, body] of [
    ["/send/typing", { chat: "@cleo.1", state: "composing" }],
    [`/messages/${id}/read`, { chat: "@cleo.1" }],
  ] as const)
    expect(await ask("POST", path, body)).toMatchObject({ status: 200 })
  expect(await ask("GET", "/contacts/@cleo.1")).toMatchObject({ jid: cleo.lid, username: "cleo.1" })
})

test("what was said with the owner of a username is found under it", async () => {
  const { bob, cleo, phone, ask, message } = await aCleo()
  await ask("POST", "/send/text", { chat: bob.number, body: "for another" })
  await ask("POST", "/send/text", { chat: "@cleo.1", body: "for Cleo" })
  const { id } = await cleo.send(phone.number, "hello")
  await message(id)
  expect(await ask("GET", `/messages/${id}?chat=@cleo.1`)).toMatchObject({ chat_id: cleo.lid })
  expect(await ask("GET", "/sent?chat=@cleo.1&limit=1")).toMatchObject({ 0: { body: "for Cleo" } })
  expect(await ask("GET", "/sent?chat=@nobody")).toMatchObject({ status: 404, code: "not_found" })
})

test("an unknown username, or one that wants its four digits, is told apart, and nothing is sent", async () => {
  const { cleo, phone, bridge, network, ask } = await aCleo({ username_pin: "1234" })
  const locked = { status: 422, code: "recipient_not_found", error: expect.stringContaining("four digits") }
  for (const chat of ["@cleo.1", "@cleo.1:4321"])
    expect(await sendText(bridge.id, chat, "refused")).toMatchObject(locked)
  expect(await sendText(bridge.id, "@nobody", "refused")).toMatchObject({
    status: 422,
    error: expect.stringContaining("nobody") as unknown,
  })
  for (const path of ["/contacts/@nobody", "/contacts/@nobody/avatar", "/contacts/@cleo.1"])
    expect(await ask("GET", path)).toMatchObject({ status: 404, code: "not_found" })
  for (const chat of ["@c", "@cleo.1:12", "@cleo 1", "@", "cleo.1"])
    expect(await sendText(bridge.id, chat, "refused")).toMatchObject({ status: 400 })
  const sent = await network.control.log({ who: `${phone.number}:1`, kind: "in", tag: "message" })
  expect(sent.filter(({ stanza }) => stanza!.attrs.category !== "peer")).toEqual([])

  expect(await sendText(bridge.id, "@cleo.1:1234", "with the digits")).toMatchObject({ status: 200 })
  expect(await cleo.read({ text: "with the digits" })).toMatchObject([{ times: 1 }])
})

test("a contact's username follows what the network tells of it, and is gone when its owner gives it up", async () => {
  const { cleo, phone, network, ask, message, contact } = await aCleo()
  await message((await cleo.send(phone.number, "hello")).id)
  const tell = (kind: "username_set" | "username_gone") =>
    network.control.notice(`${phone.number}:1`, { kind, about: cleo.number })
  await until(async () => (await contact())?.username === "cleo.1")
  await network.control.change(cleo.number, { username: "cleo.2" })
  await tell("username_set")
  await until(async () => (await contact())?.username === "cleo.2")
  await tell("username_gone")
  await until(async () => (await contact())?.username === "")
  // Asked about one person, the network says it, too.
  expect(await ask("GET", `/contacts/${cleo.lid}`)).toMatchObject({ username: "cleo.2" })
  await network.control.change(cleo.number, { username: null })
  expect(await ask("GET", `/contacts/${cleo.lid}`)).toMatchObject({ username: "" })
})

test("the phone's address book names people by username, and what it writes to them is told of their chat", async () => {
  const { cleo, phone, network, bridge, contact } = await aCleo()
  const entry = { number: cleo.number, full_name: "Cleo Brown", first_name: "Cleo" }
  await network.call("POST", `/phones/${phone.number}/contacts`, entry)
  const known = await until(async () => {
    const found = await contact()
    return found?.full_name === "Cleo Brown" ? found : undefined
  })
  expect(known).toMatchObject({ username: "cleo.1", first_name: "Cleo", name: "Cleo Brown", phone: "" })
  await phone.send(cleo.number, "from the phone")
  const [own] = await eventsOfType(bridge.id, "message", 1)
  expect(own).toMatchObject({ from_me: true, chat_id: cleo.lid })
  expect(own).not.toHaveProperty("username")
})

test("a phone that is linked brings the usernames of those with whom it has chats, and no number of theirs", async () => {
  const { network, cleo } = await aCleo()
  const phone = await network.phone("Ada")
  await network.call("POST", `/phones/${phone.number}/chats`, { people: [cleo.number], messages: 2 })
  const bridge = await aBridge()
  await held(bridge.id)
  await scanCode(phone, bridge.id)
  const contacts = async () => (await (await call(bridge.id, "GET", "/contacts")).json()) as Contact[]
  const found = await until(async () => (await contacts()).find(({ jid }) => jid === cleo.lid))
  expect(found).toMatchObject({ username: "cleo.1", phone: "" })
  expect(JSON.stringify(await contacts())).not.toContain(cleo.number)
})
