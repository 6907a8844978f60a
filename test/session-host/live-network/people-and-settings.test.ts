import { proto } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import "#test/support/store.ts"
import { trustMediaOf } from "#test/support/file-server.ts"
import { anIntruder } from "#test/support/network/intruder.ts"
import { sendText, statusOf } from "#test/support/session/host.ts"
import { aSharedHost } from "#test/support/session/shared-host.ts"
import { until } from "#test/support/until.ts"

// Behaviour of the live network that the simulated one shows by default, as a fault or as a notice.

const { aChat } = await aSharedHost()

test("contacts follow what the network tells of them: an about text, and another number", async () => {
  const { bob, phone, network, ask, message } = await aChat()
  const device = `${phone.number}:1`
  await message((await bob.send(phone.number, "hello")).id)
  await network.control.notice(device, { kind: "about_changed", about: bob.number })
  await network.control.notice(device, { kind: "number_changed", about: bob.number })
  const contacts = async () =>
    Object.values(await ask("GET", "/contacts")) as { lid?: string; jid?: string; about?: string }[]
  const before = (await contacts()).length
  const digits = `${bob.number.slice(0, -1)}${(Number(bob.number.at(-1)) + 5) % 10}`
  const changed = await until(async () =>
    (await contacts()).find(({ jid }) => jid === `${digits}@s.whatsapp.net`),
  )
  expect(changed).toMatchObject({ about: "Gone fishing" })
  expect(await contacts()).toHaveLength(before)
})

test("contacts follow a business that gets another name, and one that is a business no more", async () => {
  const { bob, phone, network, ask, message } = await aChat()
  const device = `${phone.number}:1`
  await message((await bob.send(phone.number, "hello")).id)
  const contact = async () => {
    const { verified_name, is_business, name } = (await ask("GET", `/contacts/${bob.jid}`)) as Record<
      string,
      unknown
    >
    return { verified_name, is_business, name }
  }
  expect(await contact()).toEqual({ verified_name: "", is_business: false, name: "Bob" })
  const tell = async (kind: "business_named" | "business_gone") =>
    await network.control.notice(device, { kind, about: bob.number })
  await tell("business_named")
  await until(async () => JSON.stringify(await ask("GET", "/contacts")).includes("Bob & Co"))
  await tell("business_gone")
  await until(async () => !JSON.stringify(await ask("GET", "/contacts")).includes("Bob & Co"))
  expect(await contact()).toEqual({ verified_name: "", is_business: false, name: "Bob" })
})

test("a session asks its phone for a key of the settings that it was never given", async () => {
  const { bob, phone, network, ask, message } = await aChat()
  await message((await bob.send(phone.number, "hello")).id)
  const key = (told: boolean) => network.call("POST", `/phones/${phone.number}/app-state-key`, { told })
  const save = (full_name: string) =>
    network.call("POST", `/phones/${phone.number}/contacts`, { number: bob.number, full_name })
  const named = (name: string) =>
    until(
      async () => ((await ask("GET", `/contacts/${bob.jid}`)) as { full_name?: string }).full_name === name,
    )
  await save("Robert")
  await named("Robert")
  await key(true)
  await save("Robert the Second")
  await named("Robert the Second")
  await key(false)
  await save("Robert the Third")
  await named("Robert the Third")
  const shares = { kind: "out", who: `${phone.number}:1`, attrs: { category: "peer" } } as const
  expect((await network.control.log(shares)).length).toBeGreaterThan(1)
})

test("an account that was not moved to private ids writes by number, until it hears that it was moved", async () => {
  const { bob, phone, bridge, network, message, end, ask } = await aChat({ account: { by_number: true } })
  const device = `${phone.number}:1`
  const { id } = await bob.send(phone.number, "from a private id")
  expect(await message(id)).toMatchObject({ chat_id: bob.jid, contact_id: bob.jid })
  const to = async () =>
    (await network.control.log({ who: device, kind: "in", tag: "message" })).at(-1)!.stanza!.attrs.to
  expect(await sendText(bridge.id, bob.lid, "by number")).toMatchObject({ status: 200 })
  expect(await to()).toBe(bob.jid)
  expect(await bob.read({ text: "by number" })).toMatchObject([{ times: 1, chat: phone.number }])
  const reaction = { chat: bob.lid, message_id: id, emoji: "👍" }
  expect(await ask("POST", "/send/reaction", reaction)).toMatchObject({ status: 200 })

  // A person whose number is not known here can be named in one way only.
  const carol = await network.phone("Carol")
  expect(await sendText(bridge.id, carol.lid, "to a stranger")).toMatchObject({
    code: "network_rejected",
    network_code: 400,
  })
  expect(await sendText(bridge.id, carol.number, "by their number")).toMatchObject({ status: 200 })

  await network.control.change(phone.number, { by_number: false })
  await end("cut")
  await until(async () => (await statusOf(bridge.id)) === "disconnected")
  await until(async () => (await statusOf(bridge.id)) === "connected")
  // The property comes just after the login.
  await until(async () => {
    expect(await sendText(bridge.id, bob.lid, "by private id")).toMatchObject({ status: 200 })
    return (await to()) === bob.lid
  })
})

test("an account that was moved to private ids writes to people by these, however the caller names them", async () => {
  const { bob, phone, bridge, network } = await aChat({ account: { not_by_number: true } })
  const carol = await network.phone("Carol")
  for (const [person, chat] of [
    [bob, bob.number],
    [bob, bob.lid],
    [carol, carol.number],
  ] as const) {
    expect(await sendText(bridge.id, chat, chat)).toMatchObject({ status: 200 })
    expect(await person.read({ text: chat })).toMatchObject([{ times: 1, chat: phone.number }])
  }
  const sent = await network.control.log({ who: `${phone.number}:1`, kind: "in", tag: "message" })
  const to = sent.flatMap(({ stanza }) => (stanza!.attrs.category === "peer" ? [] : [stanza!.attrs.to]))
  expect(to).toEqual([bob.lid, bob.lid, carol.lid])
})

test("a person with a former private id is written to under the present one, once the network tells it", async () => {
  const { bob, phone, bridge, network, ask, message } = await aChat()
  const device = `${phone.number}:1`
  await message((await bob.send(phone.number, "hello")).id)
  const to = async () =>
    (await network.control.log({ who: device, kind: "in", tag: "message" }))
      .map(({ stanza }) => stanza!.attrs)
      .findLast(({ category }) => category !== "peer")!.to
  expect(await sendText(bridge.id, bob.number, "one")).toMatchObject({ status: 200 })
  expect(await to()).toBe(bob.lid)
  await network.control.change(bob.number, { new_lid: true })
  const { lid } = await network.control.phone(bob.number)
  const asked = async () =>
    (await network.control.log({ who: device, kind: "in", tag: "iq", attrs: { xmlns: "usync" } })).filter(
      ({ stanza }) => JSON.stringify(stanza).includes('"background"'),
    ).length
  const before = await asked()
  await Promise.all(["two", "three", "four"].map((text) => sendText(bridge.id, bob.number, text)))
  await until(async () => {
    expect(await sendText(bridge.id, bob.number, "by number")).toMatchObject({ status: 200 })
    return (await to()) === lid
  })
  // Each of these acks says so, and one question is under way at a time.
  expect((await asked()) - before).toBeLessThanOrEqual(4)
  expect(await sendText(bridge.id, bob.lid, "by the former")).toMatchObject({ status: 200 })
  expect(await to()).toBe(lid)
  expect(await bob.read({ text: "by the former" })).toMatchObject([{ times: 1 }])
  expect(await ask("GET", `/contacts/${bob.number}`)).toMatchObject({ jid: bob.jid })
})

test("changes of settings that come as files are read like others, and so is the list of moved chats", async () => {
  const chat = await aChat()
  const { bob, phone, network, ask, message } = chat
  trustMediaOf(network)
  await message((await bob.send(phone.number, "hello")).id)
  await network.fault({ kind: "files", device: `${phone.number}:1` })
  await network.call("POST", `/phones/${phone.number}/contacts`, { number: bob.number, full_name: "Robert" })
  await until(
    async () => ((await ask("GET", `/contacts/${bob.jid}`)) as { full_name?: string }).full_name === "Robert",
  )

  const eve = await anIntruder(chat)
  await eve.begin()
  await eve.post({ id: "E1" }, await eve.encrypt({ conversation: "nobody knows my number" }))
  expect(await message("E1")).toMatchObject({ contact_id: eve.lid, phone: "" })
  const pn = "15550004321"
  const pnToLidMappings = [{ pn: Number(pn), assignedLid: Number(eve.lid.split("@")[0]) }]
  const payload = proto.LIDMigrationMappingSyncPayload.encode({ pnToLidMappings }).finish()
  const lidMigrationMappingSyncMessage = { encodedMappingPayload: Buffer.from(payload).toString("base64") }
  const type = "LID_MIGRATION_MAPPING_SYNC"
  await phone.post(phone.number, { raw: { protocolMessage: { type, lidMigrationMappingSyncMessage } } })
  await network.control.settled(`${phone.number}:1`, 10_000)
  await eve.post({ id: "E2" }, await eve.encrypt({ conversation: "now they do" }))
  expect(await message("E2")).toMatchObject({ contact_id: `${pn}@s.whatsapp.net`, phone: pn })
})
