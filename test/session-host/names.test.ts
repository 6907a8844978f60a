import "#test/support/store.ts"
import { expect, test } from "vitest"
import { Bridge } from "#core/bridge/bridge.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { Filter } from "#core/event/filter.ts"
import { Lease } from "#core/lease/lease.ts"
import { toJid } from "#core/message/jid.ts"
import { isSameSpelt, spellingsOf } from "#core/message/spellings.ts"
import { aChat } from "#test/support/session/chat.ts"
import { call, eventsOfType } from "#test/support/session/host.ts"

const jidOf = (digits: string) => `${digits}@s.whatsapp.net`

test.for([
  ["Brazil", "5511987654321", "551187654321"],
  ["Mexico", "5215512345678", "525512345678"],
  ["Argentina", "5491123456789", "541123456789"],
])("numbers of %s have two spellings", ([, long, short]) => {
  expect(spellingsOf(jidOf(long!))).toEqual([jidOf(long!), jidOf(short!)])
  expect(spellingsOf(jidOf(short!))).toEqual([jidOf(short!), jidOf(long!)])
  expect(isSameSpelt(jidOf(long!), jidOf(short!))).toBe(true)
})

test.for(["551133334444", "5511333344445", "491711234567", "52155123456789", "5491"])(
  "%s has one spelling",
  (digits) => {
    expect(spellingsOf(jidOf(digits))).toEqual([jidOf(digits)])
  },
)

test("however a person is named, every call finds the same chat, message and contact", async () => {
  const { ask, bridge, network, phone, message } = await aChat({ timing: { beatMs: 4000 } })
  await Lease.choose(bridge.id, { keep: 7 })
  await call(bridge.id, "POST", "/look-at-lease")
  const [long, short] = ["5511987654321", "551187654321"]
  const ana = await network.phone("Ana", short)
  const chat_id = jidOf(short)
  const lid = ana.lid.replace("@lid", "")
  const { id } = await ana.send(phone.number, "oi")
  await message(id)
  const group = await network.group([ana, phone], "lid")

  const textOf = async (place: string) => await (await call(bridge.id, "GET", place)).text()
  const sent: string[] = []
  const names = [long, short, `+${long}`, jidOf(long), jidOf(short), ana.lid]
  for (const chat of names) {
    const first = await ask("POST", "/send/text", { chat, body: "hello" })
    expect([chat, first]).toEqual([chat, expect.objectContaining({ status: 200, chat_id })])
    sent.push(first.message_id)
    const path = encodeURIComponent(chat)
    for (const [method, place, body] of [
      ["POST", "/send/text", { chat, body: "as you said", quoted_message_id: id }],
      ["POST", "/send/reaction", { chat, message_id: id, emoji: "👍" }],
      ["PATCH", `/messages/${first.message_id}/edit`, { chat, body: "hello again" }],
      ["POST", `/messages/${id}/read`, { chat }],
      ["POST", "/send/typing", { chat, state: "composing" }],
      ["GET", `/messages/${id}?chat=${path}`],
      ["GET", `/messages/${first.message_id}?chat=${path}`],
      ["PATCH", `/chats/${path}`, { archived: false }],
      ["DELETE", `/messages/${first.message_id}?chat=${path}`],
    ] as const) {
      const { status } = await call(bridge.id, method, place, { body })
      expect([chat, method, place, status]).toEqual([chat, method, place, 200])
    }
    expect(await ask("GET", `/contacts/${path}`)).toMatchObject({ jid: chat_id })
    const refusing = { chat, body: "he has written", new_chat: "refuse" }
    expect([chat, await ask("POST", "/send/text", refusing)]).toMatchObject([chat, { status: 200 }])
    expect(await textOf(`/chats/${path}/messages?limit=100`)).toContain(first.message_id)
    // In a group by private ids a phone shows no mention of a number.
    for (const written of [long, short, lid]) {
      const inGroup = { chat: group.jid, body: `@${written} hi`, mentions: [chat] }
      const { message_id } = await ask("POST", "/send/text", inGroup)
      const [read] = await ana.read({ id: message_id })
      expect(read?.content).toMatchObject({
        extendedTextMessage: { text: `@${lid} hi`, contextInfo: { mentionedJid: [ana.lid] } },
      })
    }
  }
  const contacts = [long, short].map((phone) => ({ name: "Ana", phone }))
  const cards = await ask("POST", "/send/contact", { chat: long, contacts })
  const [shown] = await ana.read({ id: cards.message_id })
  const vcard = expect.stringContaining(`waid=${short}:+${short}`)
  expect(shown?.content).toMatchObject({ contactsArrayMessage: { contacts: [{ vcard }, { vcard }] } })
  const listed = await textOf(`/sent?chat=${long}&limit=100`)
  for (const one of sent) expect(listed).toContain(one)

  const info = (await Bridge.byId(bridge.id))!
  for (const chat of names) {
    const { events } = await EventFeed.page(info, { chat, type: "message", limit: 10 })
    expect([chat, events]).toEqual([
      chat,
      [expect.objectContaining({ event: expect.objectContaining({ chat_id, chat_lid: ana.lid }) })],
    ])
    expect(Filter.passes({ ignore: [], chats: [toJid(chat)] }, events[0]!.event)).toBe(true)
  }

  const mention = { text: `@${lid}!`, mentions: [short] }
  const { id: mentioning } = (await ana.post(group.jid, mention)) as { id: string }
  expect(await message(mentioning)).toMatchObject({ body: `@${short}!`, mentions: [chat_id] })
})

test("a message to a person says their other address, by which the owner's phone knows the chat", async () => {
  const { ask, network, phone, bob } = await aChat({ timing: { beatMs: 4000 } })
  await ask("POST", "/send/text", { chat: bob.number, body: "hello" })
  const [sent] = await network.log({ who: `${phone.number}:1`, kind: "in", tag: "message" })
  expect(sent?.stanza).toMatchObject({ attrs: { to: bob.lid, peer_recipient_pn: bob.jid } })
})

test("a member whom a group's card names by number has that name in the group's events", async () => {
  const { ask, network, phone, bob, bridge } = await aChat({ timing: { beatMs: 4000 } })
  await Lease.choose(bridge.id, { events: ["group"] })
  await call(bridge.id, "POST", "/look-at-lease")
  const eve = await network.phone("Eve")
  const { jid } = await network.group([bob, phone, eve], "lid")
  const { members } = (await ask("GET", `/groups/${jid}`)) as { members?: { jid: string }[] }
  expect(members!.map((member) => member.jid)).toContain(eve.jid)
  await network.control.stanza(`${phone.number}:1`, {
    tag: "notification",
    attrs: { id: "NEWS", from: jid, type: "w:gp2", participant: eve.lid, t: "1800000000" },
    content: [{ tag: "locked", attrs: {} }],
  })
  const [event] = (await eventsOfType(bridge.id, "group", 1)).slice(-1)
  expect(event).toMatchObject({ contact_id: eve.jid, phone: eve.number, kind: "settings" })
})
