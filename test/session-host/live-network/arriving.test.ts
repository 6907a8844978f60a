import { expect, test } from "vitest"
import "#test/support/store.ts"
import { Came } from "#core/event/came.ts"
import { Usage } from "#core/event/usage.ts"
import { anIntruder } from "#test/support/network/intruder.ts"
import { eventsOfType, sendText, statusOf } from "#test/support/session/host.ts"
import { aSharedHost } from "#test/support/session/shared-host.ts"
import { until } from "#test/support/until.ts"

// Behaviour of the live network that the simulated one shows by default, as a fault or as a notice.

const { aChat, host } = await aSharedHost()

test("a message to be seen once is told as a medium without its file, however often it comes", async () => {
  const { bob, phone, bridge, network, message, ask } = await aChat()
  const device = `${phone.number}:1`
  await network.fault({ kind: "view_once", device, times: 1 })
  const { id } = await bob.post(phone.number, { text: "seen on the phone alone" })
  const event = await message(id)
  expect(event).toMatchObject({
    type: "media",
    media_type: "",
    body: "",
    contact_id: bob.jid,
    is_group: false,
  })
  expect(await ask("GET", `/messages/${id}/media`)).toMatchObject({ status: 404 })

  const stanza = (attrs: object, type: string) =>
    network.control.stanza(device, {
      tag: "message",
      attrs: { from: bob.lid, t: "1800000000", type: "media", ...attrs },
      content: [{ tag: "unavailable", attrs: { type } }],
    })
  const group = await network.group([bob, phone])
  const inGroup = { id: "ONCE", from: group.jid, participant: bob.lid, participant_pn: bob.jid }
  await stanza(inGroup, "view_once_unavailable_fanout")
  await stanza(inGroup, "view_once_unavailable_fanout")
  await stanza({ id, sender_pn: bob.jid }, "view_once")
  // The customer is not told of this kind, and it holds up nothing.
  await stanza({ id: "HOSTED" }, "hosted_unavailable_fanout")
  await message((await bob.send(phone.number, "after them")).id)
  const events = await eventsOfType(bridge.id, "message", 3)
  expect(events.map(({ chat_id, type }) => [chat_id, type])).toEqual([
    [bob.jid, "media"],
    [group.jid, "media"],
    [bob.jid, "text"],
  ])
  expect(await network.control.settled(device, 10_000)).toBe(true)
})

test("a backlog that comes in parts comes whole, and what is new comes after it", async () => {
  const { bob, phone, bridge, network, message, end } = await aChat()
  const device = `${phone.number}:1`
  const closed = await network.fault({ kind: "refuse_upgrade" })
  await end("cut")
  await until(async () => (await statusOf(bridge.id)) === "disconnected")
  await network.control.flood(bob.number, { to: phone.number, kind: "texts", count: 250 })
  await network.fault({ kind: "batches", device })
  await closed()
  await network.log({ who: device, kind: "out", tag: "success" })
  const { id } = await bob.send(phone.number, "live")
  await message(id)
  const bodies = (await eventsOfType(bridge.id, "message", 251)).map(({ body }) => body)
  expect(bodies).toEqual([...Array.from({ length: 250 }, (_, i) => `number ${i + 1}`), "live"])
  expect(await eventsOfType(bridge.id, "offline_sync_completed")).toHaveLength(2)
})

test("a device that a provider runs for a business is the person whose device it is", async () => {
  const chat = await aChat()
  const eve = await anIntruder(chat)
  const pn = "15550001234@s.whatsapp.net"
  await eve.begin()
  const hosted = { from: eve.lid.replace("@", ":99@hosted."), sender_pn: pn }
  await eve.post({ id: "H1", ...hosted }, await eve.encrypt({ conversation: "by private id" }))
  await eve.begin()
  const named = { from: pn.replace("@s.whatsapp.net", ":99@hosted"), sender_lid: eve.lid }
  await eve.post({ id: "H2", ...named }, await eve.encrypt({ conversation: "by number" }))
  const person = { contact_id: pn, chat_id: pn, phone: "15550001234" }
  expect(await chat.message("H1")).toMatchObject({ body: "by private id", ...person })
  expect(await chat.message("H2")).toMatchObject({ body: "by number", ...person })
})

test("a status that cannot be read is asked for once more, and withholds nothing", async () => {
  const { bob, phone, bridge, network, message, end } = await aChat()
  const device = `${phone.number}:1`
  const closed = await network.fault({ kind: "refuse_upgrade" })
  await end("cut")
  await until(async () => (await statusOf(bridge.id)) === "disconnected")
  await network.fault({ kind: "stubborn_status", device })
  await network.control.stanza(device, {
    tag: "message",
    attrs: {
      id: "STATUS",
      from: "status@broadcast",
      participant: bob.lid,
      participant_pn: bob.jid,
      type: "text",
      t: String(Math.floor(Date.now() / 1000)),
    },
    content: [
      { tag: "enc", attrs: { v: "2", type: "pkmsg" }, content: { base64: "MwgBEgUF" } },
      { tag: "enc", attrs: { v: "2", type: "skmsg" }, content: { base64: "MwgBEAEaBQ==" } },
    ],
  })
  const { id } = await bob.send(phone.number, "behind it")
  await closed()
  expect(await message(id)).toMatchObject({ body: "behind it" })
  const heard = { who: device, kind: "in", attrs: { id: "STATUS" } } as const
  const answers = await network.control.log(heard)
  expect(answers.map(({ stanza }) => [stanza!.tag, stanza!.attrs.type, stanza!.attrs.error])).toEqual([
    ["receipt", "retry", undefined],
    ["ack", "text", undefined],
  ])
})

test("a message that could not be read twice makes no other message of its sender unreadable", async () => {
  const { bob, phone, bridge, network, message } = await aChat()
  const device = `${phone.number}:1`
  // Once each has read the other, Bob's messages begin no session.
  await sendText(bridge.id, bob.number, "hello")
  await bob.read({ text: "hello" })
  await message((await bob.send(phone.number, "hello, too")).id)
  const spoilt = {
    tag: "message",
    attrs: { id: "SPOILT", from: bob.lid, sender_pn: bob.jid, type: "text", t: "1800000000" },
    content: [{ tag: "enc", attrs: { v: "2", type: "msg" }, content: { base64: "MwgBEAEaBQ==" } }],
  }
  for (let copy = 1; copy <= 2; copy++) await network.control.stanza(device, spoilt)
  const { id } = await bob.send(phone.number, "from before that")
  expect(await message(id)).toMatchObject({ body: "from before that" })
  const receipts = async (of: string) =>
    (await network.control.log({ who: device, kind: "in", tag: "receipt", attrs: { id: of } })).map(
      ({ stanza }) => stanza!.attrs.type,
    )
  expect(await receipts("SPOILT")).toEqual(["retry", "retry"])
  expect(await receipts(id)).toEqual(["inactive"])
})

test("in a community, its groups' messages are told as of any group, and none is sent to the community", async () => {
  const { bob, phone, bridge, network, message, ask } = await aChat()
  const { sock } = await network.paired(bob)
  const community = (await sock.communityCreate("The village", "All of us"))!.id
  const { linkedGroups } = await sock.communityFetchLinkedGroups(community)
  const [announcements, general] = linkedGroups.map(({ id }) => id!)
  await sock.communityParticipantsUpdate(community, [phone.lid], "add")
  const told = (await sock.sendMessage(announcements!, { text: "It rains" }))!.key.id!
  expect(await message(told)).toMatchObject({ chat_id: announcements, contact_id: bob.jid, is_group: true })
  expect(await ask("GET", `/groups/${community}`)).toMatchObject({ status: 200 })

  await sock.groupParticipantsUpdate(general!, [phone.lid], "add")
  expect(await sendText(bridge.id, general!, "Good morning")).toMatchObject({ status: 200 })
  expect(await bob.read({ text: "Good morning" })).toMatchObject([{ chat: general }])
  for (const chat of [community, announcements!])
    expect(await sendText(bridge.id, chat, "Hello")).toMatchObject({ status: 403, code: "not_admin" })

  await sock.communityUnlinkGroup(general!, community)
  expect(await sendText(bridge.id, general!, "Still here")).toMatchObject({ status: 200 })
  expect(await network.control.settled(`${phone.number}:1`, 10_000)).toBe(true)
})

test("others' messages count as in, those of API and phone as out, and are written when the session stops", async () => {
  const { bob, phone, bridge } = await aChat()
  await sendText(bridge.id, bob.number, "from the API")
  await phone.send(bob.number, "from the phone")
  for (const text of ["one", "two"]) await bob.send(phone.number, text)
  await eventsOfType(bridge.id, "message", 3)
  const day = Usage.today()
  const counted = async () => await Usage.daysOf(bridge.id, { from: day, to: Usage.today() }, {})
  expect(await counted()).toEqual([])
  expect(await Came.days(bridge.id, { from: day, to: Usage.today() })).toMatchObject([{ in: 2, out: 0 }])
  await host.sessions.get(bridge.id)!.stop()
  const sums = (await counted()).map((one) => [one.in, one.out])
  expect(sums).toEqual([[2, 2]])
})

test("a scheduled message is unknown until its key comes, and then an edit of it with its words", async () => {
  const { bob, phone, bridge, message, network } = await aChat()
  const at = Math.floor(Date.now() / 1000) + 2
  const { id } = await bob.post(phone.number, { text: "happy birthday", scheduled_for: at })
  expect(await message(id)).toMatchObject({
    type: "unknown",
    unknown_kind: "conditionalRevealMessage",
  })
  const [, revealed] = await eventsOfType(bridge.id, "message", 2)
  expect(revealed).toMatchObject({ body: "happy birthday", edit: "edit", target_id: id, scheduled_for: at })
  expect(await network.control.settled(`${phone.number}:1`, 10_000)).toBe(true)
})

test("a key that comes before its scheduled message opens it", async () => {
  const { bob, phone, bridge, network, message } = await aChat()
  const device = `${phone.number}:1`
  // The message comes once more, after its key.
  await network.fault({ kind: "unreadable", device, times: 1 })
  const { id } = await bob.post(phone.number, { text: "early", scheduled_for: 1 })
  expect(await message(id)).toMatchObject({ body: "early" })
  expect(await eventsOfType(bridge.id, "message")).toHaveLength(1)
})

test("what the account's own phone schedules is told at once, with its time", async () => {
  const { bob, phone, message } = await aChat()
  const at = Math.floor(Date.now() / 1000) + 3600
  const { id } = await phone.post(bob.number, { text: "see you at eight", scheduled_for: at })
  expect(await message(id)).toMatchObject({
    body: "see you at eight",
    from_me: true,
    chat_id: bob.jid,
    scheduled_for: at,
  })
})
