import "#test/support/store.ts"
import { expect, test } from "vitest"
import type { Event } from "#contract/event.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { Filter } from "#core/event/filter.ts"
import { Lease } from "#core/lease/lease.ts"
import { toJid, userOf } from "#core/message/jid.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { isSameSpelt, spellingsOf } from "#core/message/spellings.ts"
import type { Network } from "#test/support/network/network.ts"
import { aChat } from "#test/support/session/chat.ts"
import { call, eventsOf, eventsOfType } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

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
    for (const written of [long, short, `+${short}`, lid]) {
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
    const { events } = await EventFeed.page(info, { chat, types: ["message"], limit: 10 })
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

type Types = Event["event"]

/** A session, and Ana of Brazil, who has written, in a group by private ids and one by numbers. */
async function withAna() {
  const chat = await aChat({ timing: { beatMs: 1000 } })
  const { network, bridge, phone, bob, ask } = chat
  const types: Types[] = ["message", "message_status", "typing", "group", "poll_vote", "event_response"]
  await Lease.choose(bridge.id, { events: [...types, "call_incoming"], messageStatus: "participants" })
  await call(bridge.id, "POST", "/look-at-lease")
  const ana = await network.phone("Ana", "551187654321")
  await chat.message((await ana.send(phone.number, "oi")).id)
  const byLid = (await network.group([bob, ana, phone], "lid")).jid
  const byNumber = (await network.group([bob, ana, phone], "pn")).jid
  /** The event of this type that comes of this. */
  const eventAfter = async (type: Types, act: () => Promise<unknown>) => {
    const before = (await eventsOf(bridge.id)).length
    await act()
    return await until(async () =>
      (await eventsOf(bridge.id)).slice(before).find((event) => event.event === type),
    )
  }
  const sends = async (kind: "text" | "poll" | "event" | "reaction", body: object) =>
    (await ask("POST", `/send/${kind}`, body)).message_id
  return { ...chat, ana, byLid, byNumber, eventAfter, sends, tell: tellOf(network, phone.number) }
}

/** Sends the session's device a stanza of the network's. */
function tellOf({ control }: Network, number: string) {
  return (tag: string, attrs: Record<string, string>, content: object[] = []) =>
    control.stanza(`${number}:1`, { tag, attrs: { t: "1800000000", ...attrs }, content })
}

type Who = Awaited<ReturnType<typeof withAna>>
/** Lets somebody be named by this address in this group; and the type of the event that names them then. */
type Naming = [Types, (who: Who, address: string, group: string) => Promise<unknown>]

/** The network itself names people by private id, or by their number as they joined with it. */
const inStanzas: Record<string, Naming> = {
  "typing.contact_id": [
    "typing",
    ({ tell }, participant, from) =>
      tell("chatstate", { from, participant }, [{ tag: "composing", attrs: {} }]),
  ],
  "typing.chat_id": [
    "typing",
    ({ tell }, from) => tell("chatstate", { from }, [{ tag: "composing", attrs: {} }]),
  ],
  "group.participants": [
    "group",
    ({ tell }, jid, from) =>
      tell("notification", { from, participant: jid, type: "w:gp2", id: newMessageId() }, [
        { tag: "promote", attrs: {}, content: [{ tag: "participant", attrs: { jid } }] },
      ]),
  ],
  "call_incoming.contact_id": [
    "call_incoming",
    ({ tell }, from) =>
      tell("call", { from, id: newMessageId() }, [
        { tag: "offer", attrs: { "call-id": newMessageId(), "call-creator": from } },
      ]),
  ],
}

/** People's clients may write a number in its other spelling, too. */
const inMessages: Record<string, Naming> = {
  "message.mentions": [
    "message",
    ({ bob }, address, to) =>
      bob.post(to, {
        raw: {
          extendedTextMessage: { text: `@${userOf(address)}`, contextInfo: { mentionedJid: [address] } },
        },
      }),
  ],
  "message.quoted": [
    "message",
    ({ bob }, participant, to) => {
      const contextInfo = { stanzaId: "3EB0", participant, quotedMessage: { conversation: "oi" } }
      return bob.post(to, { raw: { extendedTextMessage: { text: "hi", contextInfo } } })
    },
  ],
  "message.reaction": [
    "message",
    ({ bob }, participant, to) => {
      const key = { remoteJid: to, id: "3EB0", participant }
      return bob.post(to, { raw: { reactionMessage: { key, text: "👍" } } })
    },
  ],
}

/** What Ana does herself, in a chat that goes by private ids or by numbers. */
const byHerself: Record<string, (who: Who, to: string, more: object) => Promise<unknown>> = {
  message: ({ ana }, to, more) => ana.post(to, { text: "hello", ...more }),
  poll_vote: async ({ ana, sends, phone }, to, more) => {
    const chat = to === phone.number ? ana.number : to
    const message_id = await sends("poll", { chat, question: "When?", options: ["now", "later"] })
    await ana.read({ id: message_id })
    await ana.post(to, { vote: { message_id, options: ["now"] }, ...more })
  },
  event_response: async ({ ana, sends, phone }, to, more) => {
    const chat = to === phone.number ? ana.number : to
    const message_id = await sends("event", { chat, name: "Party", start_time: 2_000_000_000 })
    await ana.read({ id: message_id })
    await ana.post(to, { rsvp: { message_id, response: "going" }, ...more })
  },
}

/** The statuses of a message that Ana, by this address, has read in this group. */
async function readByAna({ ask, bob, ana, bridge, tell }: Who, participant: string, from: string) {
  const { message_id: id } = await ask("POST", "/send/text", { chat: from, body: "hello all" })
  for (const member of [bob, ana]) await member.read({ id })
  await tell("receipt", { id, from, participant, type: "read" })
  return await until(async () => {
    const statuses = await eventsOfType(bridge.id, "message_status")
    return statuses.find(({ message_id, status }) => message_id === id && status === "read")
  })
}

const ofDevice = (address: string) => address.replace("@", ":7@")

test("however the network or somebody's client names a person, all fields of events name them alike", async () => {
  const who = await withAna()
  const { ana, byLid, byNumber, phone, eventAfter } = who
  const { jid, lid } = ana
  const [long] = spellingsOf(jid).slice(1)
  const byNetwork = [lid, ofDevice(lid), jid, ofDevice(jid)]
  const byClients = [lid, ofDevice(lid), jid, long!]
  const [right, wrong]: [string[], string[]] = [[], []]
  const look = (event: object, ...about: string[]) => {
    const said = JSON.stringify({ ...event, chat_lid: "" })
    const isRight = said.includes(`"${jid}"`) && ![lid, long!].some((other) => said.includes(userOf(other)))
    ;(isRight ? right : wrong).push(about.join(" "))
  }

  for (const group of [byLid, byNumber])
    for (const [fields, addresses] of [
      [inStanzas, byNetwork],
      [inMessages, byClients],
    ] as const)
      for (const [field, [type, naming]] of Object.entries(fields))
        for (const address of addresses)
          look(await eventAfter(type, () => naming(who, address, group)), field, address, group)
  for (const group of [byLid, byNumber])
    for (const address of byNetwork)
      look(await readByAna(who, address, group), "message_status.participants", address, group)
  for (const [type, act] of Object.entries(byHerself))
    for (const [to, more] of [
      [byLid, {}],
      [byNumber, {}],
      [phone.number, { addressing: "lid" }],
      [phone.number, { addressing: "pn" }],
    ] as const)
      look(await eventAfter(type as Types, () => act(who, to, more)), type, to, JSON.stringify(more))

  expect(wrong).toEqual([])
  expect(right).toHaveLength(2 * (4 * 4 + 3 * 4 + 4) + 3 * 4)
}, 90_000)
