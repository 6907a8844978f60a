import { expect, test } from "vitest"
import "#test/support/store.ts"
import { aSharedChat } from "#test/support/session/chat.ts"
import { eventsOfType, statusOf } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"
import { query } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"

async function rowsOf(bridgeId: string, prefix: string) {
  const rows = query({
    TableName: tables.sessions,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":pk": `BRIDGE#${bridgeId}`, ":prefix": prefix },
  })
  return await Array.fromAsync(rows)
}

const { phone, bridge, ask, end, network, message, eventIds } = await aSharedChat()

/** The messages that this person has written, once there are this many. */
async function messagesOf(person: { jid: string }, count: number) {
  return await until(async () => {
    const all = await eventsOfType(bridge.id, "message")
    const theirs = all.filter(({ contact_id }) => contact_id === person.jid)
    return theirs.length >= count && theirs
  })
}

test("messages from a phone arrive as what they are, in order", async () => {
  const bob = await network.phone("Bob")
  const to = phone.number
  const { message_id: ours } = await ask("POST", "/send/text", { chat: bob.number, body: "ours" })
  await bob.read({ id: ours })
  const { id: text } = await bob.send(to, "frist")
  const posts: [Record<string, unknown>, Record<string, unknown>][] = [
    [
      { reaction: { message_id: ours, emoji: "👍" } },
      { type: "reaction", reaction: { emoji: "👍", message_id: ours, contact_id: phone.jid } },
    ],
    [
      { reaction: { message_id: ours, emoji: "" } },
      { reaction: { emoji: "", message_id: ours, contact_id: phone.jid } },
    ],
    [
      { edit: { message_id: text, text: "first" } },
      { type: "text", body: "first", edit: "edit", target_id: text },
    ],
    [{ pin: { message_id: text } }, { edit: "pin", target_id: text }],
    [{ revoke: { message_id: text } }, { body: "", edit: "revoke", target_id: text }],
    [
      { location: { latitude: 52.5, longitude: 13.4, name: "Berlin" } },
      { type: "location", location: { lat: 52.5, lng: 13.4, name: "Berlin", address: "" } },
    ],
    [
      { poll: { question: "Lunch?", options: ["a", "b"], selectable: 1 } },
      { type: "poll", body: "Lunch?", options: ["a", "b"], max_answers: 1 },
    ],
    [
      { event: { name: "Party", description: "at home", start: 10, end: 20 } },
      {
        type: "event",
        event_details: {
          name: "Party",
          description: "at home",
          start_time: 10,
          end_time: 20,
          join_link: "",
        },
      },
    ],
    [
      { text: "about that", quoted: ours, mentions: [phone.number] },
      {
        quoted: { message_id: ours, contact_id: phone.jid, body: "ours", type: "text" },
        mentions: [phone.jid],
      },
    ],
    [
      { raw: { extendedTextMessage: { text: "passed on", contextInfo: { isForwarded: true } } } },
      { body: "passed on", forwarded: true },
    ],
    [
      { raw: { liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2, caption: "coming" } } },
      { type: "location", location: { lat: 1, lng: 2, name: "coming", address: "" } },
    ],
    [{ contact: { name: "Eve", vcard: "BEGIN:VCARD" } }, { type: "text", body: "BEGIN:VCARD" }],
  ]
  for (const [post] of posts) await bob.post(to, post)
  const events = await messagesOf(bob, posts.length + 1)
  expect(events[0]).toMatchObject({ body: "frist", message_id: text })
  for (const [i, [, expected]] of posts.entries())
    expect(events[i + 1]).toMatchObject({
      ...expected,
      contact_id: bob.jid,
      chat_id: bob.jid,
      phone: bob.number,
    })
})

test("media arrive with their kind and caption", async () => {
  const bob = await network.phone("Bob")
  const kinds: [Record<string, unknown>, string][] = [
    [{ kind: "image", caption: "see" }, "image"],
    [{ kind: "video", caption: "look" }, "video"],
    [{ kind: "audio" }, "audio"],
    [{ kind: "audio", voice: true }, "voice"],
    [{ kind: "document", filename: "a.pdf", caption: "plan" }, "document"],
    [{ kind: "sticker" }, "sticker"],
  ]
  for (const [media] of kinds)
    await bob.post(phone.number, { media: { data: "AAAA", mimetype: "application/x-test", ...media } })
  const events = await messagesOf(bob, kinds.length)
  expect(events.map(({ type, media_type, caption }) => [type, media_type, caption])).toEqual(
    kinds.map(([{ caption }, kind]) => ["media", kind, caption]),
  )
})

test.for(["lid", "pn"] as const)(
  "groups by %s, a status, and what the own phone writes",
  async (addressing) => {
    const bob = await network.phone("Bob")
    const group = await network.group([bob, phone], addressing)
    const inGroup = await bob.send(group.jid, "hello all")
    expect(await message(inGroup.id)).toMatchObject({
      is_group: true,
      chat_id: group.jid,
      contact_id: bob.jid,
      phone: bob.number,
      from_me: false,
    })
    const ownInGroup = await phone.send(group.jid, "hello from the phone")
    expect(await message(ownInGroup.id)).toMatchObject({
      is_group: true,
      chat_id: group.jid,
      contact_id: phone.jid,
      from_me: true,
    })
    const own = await phone.send(bob.number, "just you", { addressing })
    expect(await message(own.id)).toMatchObject({
      is_group: false,
      chat_id: bob.jid,
      contact_id: phone.jid,
      phone: phone.number,
      from_me: true,
    })
    const status = await bob.post("status@broadcast", { text: "holidays", viewers: [phone.number] })
    expect(await message(status.id)).toMatchObject({
      is_broadcast: true,
      chat_id: "status@broadcast",
      contact_id: bob.jid,
    })
    const direct = await bob.send(phone.number, "hello", { addressing })
    expect(await message(direct.id)).toMatchObject({ chat_id: bob.jid, contact_id: bob.jid })
  },
)

test("no event and no answer has a NUL, whatever strangers have written", async () => {
  const eve = await network.phone("E\0ve\0")
  const group = await network.group([eve, phone])
  const said = [
    await eve.send(phone.number, "a\0b"),
    await eve.post(group.jid, { poll: { question: "so\0?", options: ["y\0es", "no"] } }),
    await eve.post(phone.number, { location: { latitude: 1, longitude: 2, name: "he\0re" } }),
  ]
  const told = []
  for (const { id } of said) told.push(await message(id))
  expect(told).toMatchObject([
    { name: "Eve", body: "ab" },
    { name: "Eve", options: ["yes", "no"] },
    { name: "Eve", location: { name: "here" } },
  ])
  const contact = await ask("GET", `/contacts/${eve.jid}`)
  const list = await ask("GET", "/contacts")
  expect(contact).toMatchObject({ status: 200, name: "Eve" })
  expect(JSON.stringify([told, contact, list])).toContain("Eve")
  expect(JSON.stringify([told, contact, list])).not.toContain("\\u0000")
})

test("events from while the session was offline say so; a message that comes twice is one event, under one id", async () => {
  const bob = await network.phone("Bob")
  const poll = await ask("POST", "/send/poll", { chat: bob.number, question: "?", options: ["a", "b"] })
  const event = await ask("POST", "/send/event", { chat: bob.number, name: "Party", start_time: 10 })
  await bob.read({ id: event.message_id })
  const closed = await network.fault({ kind: "refuse_upgrade" })
  await end("cut")
  await until(async () => (await statusOf(bridge.id)) === "disconnected")
  const { id } = await bob.send(phone.number, "missed")
  await bob.post(phone.number, { vote: { message_id: poll.message_id, options: ["b"] } })
  await bob.post(phone.number, { rsvp: { message_id: event.message_id, response: "maybe" } })
  await closed()
  expect(await message(id)).toMatchObject({ body: "missed", offline: true })
  expect(await eventsOfType(bridge.id, "poll_vote")).toMatchObject([
    { selected_options: ["b"], offline: true },
  ])
  expect(await eventsOfType(bridge.id, "event_response")).toMatchObject([
    { response: "maybe", offline: true },
  ])

  // The same message, encrypted anew.
  const before = await eventIds()
  await bob.send(phone.number, "missed", { id })
  const last = await bob.send(phone.number, "last")
  await message(last.id)
  const bodies = (await messagesOf(bob, 2)).map(({ body }) => body)
  expect(bodies).toEqual(["missed", "last"])
  const after = await eventIds()
  expect(after.slice(0, before.length)).toEqual(before)
  expect(new Set(after).size).toBe(after.length)
})

test("a message that nobody can read is set aside and holds up nothing; content that is not for people gives no event", async () => {
  const bob = await network.phone("Bob")
  await bob.post(phone.number, { raw: { protocolMessage: { type: 3, ephemeralExpiration: 60 } } })
  await bob.post(phone.number, { raw: { invoiceMessage: { note: "pay" } } })
  const { id } = await bob.send(phone.number, "and now?")
  await message(id)
  expect(await messagesOf(bob, 1)).toHaveLength(1)
  const parked = await rowsOf(bridge.id, "PARKED#")
  expect(parked).toHaveLength(1)
  expect(Number(parked[0]!.expires_at)).toBeGreaterThan(Date.now() / 1000 + 29 * 86_400)
})

test("each message has one row, and messages sent through the API have none", async () => {
  const bob = await network.phone("Bob")
  const before = new Set((await rowsOf(bridge.id, "MESSAGE#")).map(({ sk }) => sk))
  await ask("POST", "/send/text", { chat: bob.number, body: "ours" })
  const { id } = await bob.send(phone.number, "theirs")
  await message(id)
  const own = await phone.send(bob.number, "from the phone")
  await message(own.id)
  const rows = (await rowsOf(bridge.id, "MESSAGE#")).filter(({ sk }) => !before.has(sk))
  // A reader of the table must see neither ids nor addresses.
  for (const row of rows) expect(JSON.stringify(row)).not.toContain(bob.number)
  // Messages between our own devices are remembered for as long as they may come again.
  const remembered = rows.filter((row) => Number(row.expires_at) > Date.now() / 1000 + 29 * 86_400)
  expect(remembered).toHaveLength(2)
  expect(await messagesOf(bob, 1)).toHaveLength(1)
})
