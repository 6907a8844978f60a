import { proto } from "@whiskeysockets/baileys"
import "#test/support/store.ts"
import { expect, test } from "vitest"
import { updateRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aChat, aSharedChat } from "#test/support/session/chat.ts"
import { aHost, call, eventsOf, eventsOfType, held, statusOf } from "#test/support/session/host.ts"
import { scanCode } from "#test/support/session/paired.ts"
import { until } from "#test/support/until.ts"

const { ask, bob, phone, bridge, message, network } = await aSharedChat()

/** The message stanzas that the session has sent so far. */
const stanzas = () => network.control.log({ kind: "in", who: `${phone.number}:1`, tag: "message" })

const contentOf = (message: { content: unknown } | undefined) =>
  proto.Message.fromObject(message?.content as object)

test("a place, a poll, an event message arrive as such, each with a secret for its answers", async () => {
  const place = await ask("POST", "/send/location", {
    chat: bob.number,
    lat: 52.5,
    lng: 13.4,
    name: "Berlin",
    address: "Mitte",
  })
  const poll = await ask("POST", "/send/poll", {
    chat: bob.number,
    question: "Lunch?",
    options: ["Soup", "Salad"],
  })
  const many = await ask("POST", "/send/poll", {
    chat: bob.number,
    question: "Which?",
    options: ["a", "b", "c"],
    max_answers: 0,
  })
  const event = await ask("POST", "/send/event", {
    chat: bob.number,
    name: "Party",
    description: "at home",
    start_time: 1_900_000_000,
    end_time: 1_900_003_600,
    join_link: "https://call.whatsapp.com/video/x",
    has_reminder: true,
    is_schedule_call: true,
    reminder_offset_sec: 600,
  })
  for (const sent of [place, poll, many, event])
    expect(sent).toMatchObject({ status: 200, timestamp: expect.any(Number) })

  const [read] = await bob.read({ id: place.message_id })
  expect(contentOf(read).locationMessage).toMatchObject({
    degreesLatitude: 52.5,
    degreesLongitude: 13.4,
    name: "Berlin",
    address: "Mitte",
  })
  const [single] = await bob.read({ id: poll.message_id })
  expect(contentOf(single).pollCreationMessageV3).toMatchObject({
    name: "Lunch?",
    selectableOptionsCount: 1,
    options: [{ optionName: "Soup" }, { optionName: "Salad" }],
  })
  expect(contentOf(single).messageContextInfo?.messageSecret).toHaveLength(32)
  const [multiple] = await bob.read({ id: many.message_id })
  expect(contentOf(multiple).pollCreationMessage).toMatchObject({ selectableOptionsCount: 0 })
  const [party] = await bob.read({ id: event.message_id })
  expect(JSON.parse(JSON.stringify(contentOf(party).eventMessage))).toMatchObject({
    name: "Party",
    description: "at home",
    startTime: "1900000000",
    endTime: "1900003600",
    joinLink: "https://call.whatsapp.com/video/x",
    hasReminder: true,
    isScheduleCall: true,
    reminderOffsetSec: "600",
  })
  expect(contentOf(party).messageContextInfo?.messageSecret).toHaveLength(32)
})

test("polls and event messages carry their marks on the stanza, edits and revocations theirs", async () => {
  const chat = bob.number
  const { length } = await stanzas()
  await ask("POST", "/send/poll", { chat, question: "?", options: ["a", "b"] })
  await ask("POST", "/send/event", { chat, name: "Party", start_time: 1_900_000_000 })
  const { message_id: id } = await ask("POST", "/send/text", { chat, body: "frist" })
  await ask("PATCH", `/messages/${id}/edit`, { chat, body: "first" })
  await ask("DELETE", `/messages/${id}`)
  const log = (await stanzas()).slice(length)
  expect(log.map(({ stanza }) => [stanza?.attrs.type, stanza?.attrs.edit])).toEqual([
    ["poll", undefined],
    ["event", undefined],
    ["text", undefined],
    ["text", "1"],
    ["text", "7"],
  ])
  expect(JSON.stringify(log[0])).toContain('"polltype":"creation"')
  expect(JSON.stringify(log[1])).toContain('"event_type":"creation"')
})

test("a vote and an answer become events, also when a new host holds the bridge by then", async () => {
  const { ask, bob, bridge, phone, host, network } = await aChat()
  const chat = bob.number
  const poll = await ask("POST", "/send/poll", { chat, question: "Lunch?", options: ["Soup", "Salad"] })
  const event = await ask("POST", "/send/event", { chat, name: "Party", start_time: 1_900_000_000 })
  await bob.read({ id: event.message_id })

  await host.stop()
  await aHost(network)
  await held(bridge.id)
  await until(async () => (await statusOf(bridge.id)) === "connected")

  const { id: voted } = await bob.post(phone.number, {
    vote: { message_id: poll.message_id, options: ["Salad"] },
  })
  await bob.post(phone.number, { vote: { message_id: poll.message_id, options: [] }, addressing: "pn" })
  await bob.post(phone.number, { rsvp: { message_id: event.message_id, response: "going", guests: 2 } })
  const [vote, takenBack] = await eventsOfType(bridge.id, "poll_vote", 2)
  expect(vote).toMatchObject({
    contact_id: bob.jid,
    phone: bob.number,
    chat_id: bob.jid,
    poll_id: poll.message_id,
    message_id: voted,
    name: "Bob",
    from_me: false,
    selected_options: ["Salad"],
  })
  expect(takenBack).toMatchObject({ selected_options: [] })
  const [response] = await eventsOfType(bridge.id, "event_response")
  expect(response).toMatchObject({
    contact_id: bob.jid,
    event_id: event.message_id,
    response: "going",
    extra_guest_count: 2,
  })
  expect(response!.response_time_ms).toBeGreaterThan(1_700_000_000_000)
})

test("a text quotes a message and mentions a person", async () => {
  const { id } = await bob.send(phone.number, "original")
  await message(id)
  const sent = await ask("POST", "/send/text", {
    chat: bob.number,
    body: `about that @${bob.number}`,
    quoted_message_id: id,
    mentions: [bob.number],
  })
  expect(sent).toMatchObject({ status: 200 })
  const [read] = await bob.read({ id: sent.message_id })
  expect(contentOf(read).extendedTextMessage?.contextInfo).toMatchObject({
    stanzaId: id,
    participant: bob.lid,
    quotedMessage: { conversation: "original" },
    mentionedJid: [bob.jid],
  })
  // Our own messages can be quoted, too.
  const again = await ask("POST", "/send/location", {
    chat: bob.number,
    lat: 1,
    lng: 2,
    quoted_message_id: sent.message_id,
  })
  const [place] = await bob.read({ id: again.message_id })
  expect(contentOf(place).locationMessage?.contextInfo).toMatchObject({
    stanzaId: sent.message_id,
    participant: phone.jid,
    quotedMessage: { conversation: `about that @${bob.number}` },
  })
})

test("a reaction names the message it is about, and is taken back by an empty one", async () => {
  const { id } = await bob.send(phone.number, "nice?")
  await message(id)
  const chat = bob.number
  const sent = await ask("POST", "/send/reaction", { chat, message_id: id, emoji: "👍" })
  const [read] = await bob.read({ id: sent.message_id })
  expect(contentOf(read).reactionMessage).toMatchObject({ text: "👍", key: { id, fromMe: false } })
  const alone = await ask("POST", "/send/reaction", { message_id: id, emoji: "👎" })
  const [changed] = await bob.read({ id: alone.message_id })
  expect(contentOf(changed).reactionMessage).toMatchObject({ text: "👎", key: { id, fromMe: false } })
  const back = await ask("POST", "/send/reaction", { chat: bob.lid, message_id: id, emoji: "" })
  const [taken] = await bob.read({ id: back.message_id })
  expect(contentOf(taken).reactionMessage).toMatchObject({ text: "", key: { id } })
})

test("a message id is opaque, whatever its sender has put into it", async () => {
  const chat = bob.number
  for (const id of ["SEND#1/../2?x=%2F#", "grüße, 世界 🌍", 'a\nb"c', "x".repeat(256)]) {
    await bob.send(phone.number, "hello", { id })
    await message(id)
    expect(await ask("POST", `/messages/${encodeURIComponent(id)}/read`, {})).toMatchObject({ status: 200 })
    const reaction = await ask("POST", "/send/reaction", { message_id: id, emoji: "👍" })
    const [read] = await bob.read({ id: reaction.message_id })
    expect(contentOf(read).reactionMessage?.key).toMatchObject({ id })
    const quote = { chat, body: "you said", quoted_message_id: id }
    expect(await ask("POST", "/send/text", quote)).toMatchObject({ status: 200 })
    const media = await ask("GET", `/messages/${encodeURIComponent(id)}/media`)
    expect(media).toMatchObject({ status: 404, error: expect.stringContaining("no media") })
  }
})

test("a vote on an id that is longer than a key of the store is no message that cannot be read", async () => {
  const id = "x".repeat(3000)
  const nothing = { encPayload: "A".repeat(64), encIv: "A".repeat(16) }
  const raw = { pollUpdateMessage: { pollCreationMessageKey: { id, remoteJid: bob.lid }, vote: nothing } }
  await bob.post(phone.number, { raw })
  const { id: next } = await bob.send(phone.number, "still there?")
  expect(await message(next)).toMatchObject({ body: "still there?" })
  expect(await rowsOf(tables.sessions, bridge.id, "PARKED#")).toEqual([])
})

test("own messages are edited and revoked, those of the phone as well; others' and unknown ones are not", async () => {
  const bob = await network.phone("Bob")
  const { message_id: id } = await ask("POST", "/send/text", { chat: bob.number, body: "frist" })
  expect(await ask("PATCH", `/messages/${id}/edit`, { body: "first" })).toMatchObject({
    status: 200,
    message_id: id,
  })
  const [, edit] = await bob.read({ from: phone.number, count: 2 })
  expect(contentOf(edit).protocolMessage).toMatchObject({
    key: { id, fromMe: true },
    type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
    editedMessage: { extendedTextMessage: { text: "first" } },
  })

  const own = await phone.send(bob.number, "written on the phone")
  await message(own.id)
  expect(await ask("DELETE", `/messages/${own.id}`)).toMatchObject({ status: 200 })
  const read = await bob.read({ from: phone.number, count: 4 })
  expect(contentOf(read.at(-1)).protocolMessage).toMatchObject({
    key: { id: own.id, fromMe: true },
    type: proto.Message.ProtocolMessage.Type.REVOKE,
  })

  const theirs = await bob.send(phone.number, "mine")
  await message(theirs.id)
  const notOurs = { status: 409, code: "not_own_message" }
  expect(await ask("DELETE", `/messages/${theirs.id}`)).toMatchObject(notOurs)
  expect(await ask("PATCH", `/messages/${theirs.id}/edit`, { body: "x" })).toMatchObject(notOurs)
  const unknown = { status: 404, code: "not_found" }
  expect(await ask("DELETE", "/messages/NOSUCH")).toMatchObject(unknown)
  expect(await ask("PATCH", "/messages/NOSUCH/edit", { body: "x" })).toMatchObject(unknown)
  expect(await ask("POST", "/messages/NOSUCH/read", {})).toMatchObject(unknown)
  const chat = bob.number
  expect(await ask("POST", "/send/reaction", { chat, message_id: "NOSUCH", emoji: "👍" })).toMatchObject(
    unknown,
  )
  expect(await ask("POST", "/send/text", { chat, body: "x", quoted_message_id: "NOSUCH" })).toMatchObject(
    unknown,
  )
  const place = await ask("POST", "/send/location", { chat, lat: 1, lng: 2 })
  expect(await ask("PATCH", `/messages/${place.message_id}/edit`, { body: "x" })).toMatchObject({
    status: 400,
  })
})

test("what was edited is looked up, quoted, forwarded and edited again as it is now, whoever edited it", async () => {
  const eve = await network.phone("Eve")
  const theirs = await eve.send(phone.number, "thiers")
  const ours = await ask("POST", "/send/text", { chat: eve.number, body: "ours" })
  const byHand = await phone.send(eve.number, "by hand")
  await message(theirs.id)
  await message(byHand.id)
  for (const [who, to, id] of [
    [eve, phone.number, theirs.id],
    [phone, eve.number, byHand.id],
    // On the phone, a message of the API's.
    [phone, eve.number, ours.message_id],
  ] as const)
    await message((await who.post(to, { edit: { message_id: id, text: `new ${id}` } })).id)
  for (const id of [theirs.id, byHand.id, ours.message_id]) {
    const body = `new ${id}`
    expect(await ask("GET", `/messages/${id}`)).toMatchObject({ body, edit: "edit", type: "text" })
    const forward = await ask("POST", "/send/forward", { chat: bob.number, message_id: id })
    expect(contentOf((await bob.read({ id: forward.message_id }))[0]).extendedTextMessage).toMatchObject({
      text: body,
    })
    const answer = { chat: eve.number, body: "yes", quoted_message_id: id }
    const quote = await ask("POST", "/send/text", answer)
    const [read] = await eve.read({ id: quote.message_id })
    expect(contentOf(read).extendedTextMessage?.contextInfo?.quotedMessage).toMatchObject({
      conversation: body,
    })
  }
  const again = await ask("PATCH", `/messages/${ours.message_id}/edit`, { body: "by the API" })
  expect(again).toMatchObject({ status: 200, message_id: ours.message_id })
  expect(await ask("GET", `/messages/${ours.message_id}`)).toMatchObject({ body: "by the API" })
  const sent = await call(bridge.id, "GET", `/sent?chat=${eve.number}`)
  const listed = (await sent.json()) as { message_id: string }[]
  expect(listed.find(({ message_id }) => message_id === ours.message_id)).toMatchObject({
    body: "by the API",
    edit: "edit",
  })
})

test("a revoked message has no content, and nothing is done with it but revoking it again", async () => {
  const { message_id: ours } = await ask("POST", "/send/text", { chat: bob.number, body: "ours" })
  const { message_id: onPhone } = await ask("POST", "/send/text", { chat: bob.number, body: "by the phone" })
  const theirs = await bob.send(phone.number, "theirs")
  await message(theirs.id)
  expect(await ask("DELETE", `/messages/${ours}`)).toMatchObject({ status: 200 })
  await message((await phone.post(bob.number, { revoke: { message_id: onPhone } })).id)
  await message((await bob.post(phone.number, { revoke: { message_id: theirs.id } })).id)
  const before = (await stanzas()).length
  const refused = { status: 409, code: "message_revoked" }
  const chat = bob.number
  for (const id of [ours, onPhone, theirs.id]) {
    expect(await ask("GET", `/messages/${id}`)).toMatchObject({ edit: "revoke", body: "", type: "" })
    expect(await ask("GET", `/messages/${id}/media`)).toMatchObject({ status: 410, code: "media_expired" })
    const quoting = { chat, quoted_message_id: id }
    for (const [method, path, body] of [
      ["POST", "/send/forward", { chat, message_id: id }],
      ["POST", "/send/reaction", { chat, message_id: id, emoji: "👍" }],
      ["POST", "/send/text", { ...quoting, body: "x" }],
      ["POST", "/send/location", { ...quoting, lat: 1, lng: 2 }],
      ["POST", "/send/poll", { ...quoting, question: "?", options: ["a", "b"] }],
      ["POST", `/messages/${id}/pin`, {}],
      ...(id === theirs.id ? [] : ([["PATCH", `/messages/${id}/edit`, { body: "x" }]] as const)),
    ] as const)
      expect(await ask(method, path, body)).toMatchObject(refused)
  }
  expect(await stanzas()).toHaveLength(before)
  expect(await ask("DELETE", `/messages/${ours}`)).toMatchObject({ status: 200 })
})

test("what the network refuses to revoke or to edit is as it was", async () => {
  const { message_id: id } = await ask("POST", "/send/text", { chat: bob.number, body: "stays" })
  for (const change of [
    () => ask("DELETE", `/messages/${id}`),
    () => ask("PATCH", `/messages/${id}/edit`, { body: "other" }),
  ]) {
    await network.fault({ kind: "nack", code: 463, times: 1 })
    expect(await change()).toMatchObject({ status: 502, network_code: 463 })
    const known = await ask("GET", `/messages/${id}`)
    expect(known).toMatchObject({ body: "stays" })
    expect(known).not.toHaveProperty("edit")
  }
})

test("an edit of a message of 20 minutes is refused, since phones ignore it", async () => {
  const { message_id: id } = await ask("POST", "/send/text", { chat: bob.number, body: "of old" })
  // The network's answer is written with what comes next.
  await bob.send(phone.number, "next")
  await until(async () => (await rowsOf(tables.sessions, bridge.id, `SEND#${id}`))[0]?.state === "acked")
  const sentAgo = async (seconds: number) =>
    await updateRow({
      TableName: tables.sessions,
      Key: { pk: `BRIDGE#${bridge.id}`, sk: `SEND#${id}` },
      UpdateExpression: "SET #timestamp = :time",
      ExpressionAttributeNames: { "#timestamp": "timestamp" },
      ExpressionAttributeValues: { ":time": Math.floor(Date.now() / 1000) - seconds },
    })
  // The network's clock may be a little behind.
  await sentAgo(20 * 60 + 5)
  const before = (await stanzas()).length
  expect(await ask("PATCH", `/messages/${id}/edit`, { body: "new" })).toMatchObject({
    status: 409,
    code: "edit_too_late",
  })
  expect(await stanzas()).toHaveLength(before)
  expect(await ask("GET", `/messages/${id}`)).toMatchObject({ body: "of old" })
  await sentAgo(19 * 60)
  expect(await ask("PATCH", `/messages/${id}/edit`, { body: "new" })).toMatchObject({ status: 200 })
})

test("a vote on a revoked poll is no event, since no phone shows it", async () => {
  const { message_id: id } = await ask("POST", "/send/poll", {
    chat: bob.number,
    question: "When?",
    options: ["now", "later"],
  })
  await bob.read({ id })
  await ask("DELETE", `/messages/${id}`)
  await bob.post(phone.number, { vote: { message_id: id, options: ["now"] } })
  const after = await bob.send(phone.number, "after the vote")
  await message(after.id)
  const votes = (await eventsOf(bridge.id)).filter((event) => event.event === "poll_vote")
  expect(votes.map(({ poll_id }) => poll_id)).not.toContain(id)
})

test("a chat that is named must be the message's, by whichever of its names", async () => {
  const eve = await network.phone("Eve")
  const { id } = await bob.send(phone.number, "hello")
  await message(id)
  await ask("POST", "/send/text", { chat: eve.number, body: "hello Eve" })
  for (const chat of [bob.number, `+${bob.number}`, bob.jid, bob.lid])
    expect(await ask("POST", `/messages/${id}/read`, { chat })).toMatchObject({ status: 200 })
  expect(await ask("POST", `/messages/${id}/read`, { chat: eve.number })).toMatchObject({ status: 404 })
})

test("also where the call has no body: nothing is revoked or unpinned in another chat", async () => {
  const eve = await network.phone("Eve")
  const sent = await ask("POST", "/send/text", { chat: bob.number, body: "hello" })
  const calls = (chat: string) =>
    [
      ["DELETE", `/messages/${sent.message_id}/pin?chat=${chat}`],
      ["DELETE", `/messages/${sent.message_id}?chat=${chat}`],
    ] as const
  for (const [method, path] of calls(eve.number))
    expect([path, (await call(bridge.id, method, path)).status]).toEqual([path, 404])
  for (const [method, path] of calls(bob.number))
    expect([path, (await call(bridge.id, method, path)).status]).toEqual([path, 200])
})

test("a message is quoted in its own chat only: elsewhere nothing is sent", async () => {
  const eve = await network.phone("Eve")
  const group = await network.group([bob, phone])
  const { id } = await bob.send(phone.number, "between us")
  const { id: toAll } = await bob.send(group.jid, "for all of us")
  for (const one of [id, toAll]) await message(one)
  for (const [chat, quoted_message_id] of [
    [eve.number, id],
    [group.jid, id],
    [bob.number, toAll],
  ]) {
    const refused = await ask("POST", "/send/text", { chat, body: "look", quoted_message_id })
    expect(refused).toMatchObject({
      status: 404,
      code: "not_found",
      error: "there is no such message in this chat: messages are remembered for 30 days",
    })
  }
  for (const chat of [bob.number, bob.lid])
    expect(await ask("POST", "/send/text", { chat, body: "yes", quoted_message_id: id })).toMatchObject({
      status: 200,
    })
})

test("a status is quoted in the chat of its author, and the quote says that it is one", async () => {
  const eve = await network.phone("Eve")
  const { id } = await bob.post("status@broadcast", { text: "holidays", viewers: [phone.number] })
  await message(id)
  const reply = { body: "lucky you", quoted_message_id: id }
  expect(await ask("POST", "/send/text", { chat: eve.number, ...reply })).toMatchObject({ status: 404 })
  const sent = await ask("POST", "/send/text", { chat: bob.number, ...reply })
  const [read] = await bob.read({ id: sent.message_id })
  const about = { stanzaId: id, remoteJid: "status@broadcast" }
  expect(contentOf(read).extendedTextMessage?.contextInfo).toMatchObject(about)
})

test("a second message under the id of the first does not take its place", async () => {
  const eve = await network.phone("Eve")
  const { message_id: ours } = await ask("POST", "/send/text", { chat: bob.number, body: "ours" })
  await eve.send(phone.number, "not yours", { id: ours })
  const { id } = await bob.send(phone.number, "Bob's")
  await message(id)
  await eve.send(phone.number, "Eve's", { id })
  await until(async () => {
    const messages = await eventsOfType(bridge.id, "message")
    return messages.filter(({ contact_id }) => contact_id === eve.jid).length === 2
  })

  const quoting = await ask("POST", "/send/text", { chat: bob.number, body: "x", quoted_message_id: id })
  const [read] = await bob.read({ id: quoting.message_id })
  expect(contentOf(read).extendedTextMessage?.contextInfo?.quotedMessage).toMatchObject({
    conversation: "Bob's",
  })
  expect(await ask("DELETE", `/messages/${ours}`)).toMatchObject({ status: 200 })
  // Without a chat, the first message with this id is meant.
  await ask("POST", `/messages/${id}/read`, {})
  const [receipt] = await network.log({ kind: "in", tag: "receipt", attrs: { id, type: "read" } })
  expect(receipt?.stanza?.attrs.to).toBe(bob.lid)
  const inHerChat = await ask("POST", "/send/reaction", { chat: eve.number, message_id: id, emoji: "x" })
  const [reaction] = await eve.read({ id: inHerChat.message_id })
  expect(contentOf(reaction).reactionMessage?.key).toMatchObject({ id, fromMe: false })
})

test("a message that another account sent is not the linked one's own, but again once that one is back", async () => {
  const { bridge, bob, phone, network, ask, unlink } = await aChat()
  const { jid } = await network.group([bob, phone])
  const link = async (who: typeof phone) => {
    await until(async () => (await statusOf(bridge.id)) === "unpaired")
    await scanCode(who, bridge.id)
    await until(async () => (await statusOf(bridge.id)) === "connected")
  }
  const { message_id: id } = await ask("POST", "/send/text", { chat: bob.number, body: "of Ada" })
  const { message_id: inGroup } = await ask("POST", "/send/text", { chat: jid, body: "of Ada" })
  await unlink()
  await link(await network.phone("Eve"))
  for (const each of [id, inGroup]) {
    expect(await ask("GET", `/messages/${each}`)).toMatchObject({ contact_id: phone.jid, from_me: false })
    const refused = { status: 409, code: "not_own_message" }
    expect(await ask("DELETE", `/messages/${each}`)).toMatchObject(refused)
    expect(await ask("PATCH", `/messages/${each}/edit`, { body: "of Eve" })).toMatchObject(refused)
  }
  for (const [path, body] of [
    ["/send/reaction", { message_id: id, emoji: "👍" }],
    ["/send/text", { chat: bob.number, body: "quoting", quoted_message_id: id }],
    [`/messages/${id}/pin`, {}],
  ] as const)
    expect(await ask("POST", path, body)).toMatchObject({ status: 404, code: "not_found" })
  await ask("DELETE", "/logout")
  await link(phone)
  expect(await ask("PATCH", `/messages/${id}/edit`, { body: "of Ada again" })).toMatchObject({ status: 200 })
  expect(await ask("GET", `/messages/${id}`)).toMatchObject({ contact_id: phone.jid, from_me: true })
})

test("a read receipt goes to the author; typing is shown in each of its forms", async () => {
  const { id } = await bob.send(phone.number, "read me")
  await message(id)
  expect(await ask("POST", `/messages/${id}/read`, {})).toEqual({ status: 200, message_id: "", ok: true })
  const [receipt] = await network.log({ kind: "in", tag: "receipt", attrs: { id, type: "read" } })
  expect(receipt?.stanza?.attrs).toMatchObject({ id, type: "read", to: bob.lid })

  for (const state of ["composing", "recording", "paused"])
    expect(await ask("POST", "/send/typing", { chat: bob.number, state })).toMatchObject({ status: 200 })
  const shown = await network.log({ kind: "in", tag: "chatstate" })
  expect(JSON.stringify(shown)).toContain('"media":"audio"')
})

test("groups: texts, reactions to a member's message, read receipts that name the member", async () => {
  const group = await network.group([bob, phone])
  const { id } = await bob.send(group.jid, "hello all")
  expect(await message(id)).toMatchObject({ is_group: true, chat_id: group.jid, contact_id: bob.jid })
  expect(
    await ask("POST", "/send/text", { chat: group.jid, body: "hello Bob", quoted_message_id: id }),
  ).toMatchObject({
    status: 200,
  })
  const [read] = await bob.read({ text: "hello Bob" })
  expect(contentOf(read).extendedTextMessage?.contextInfo).toMatchObject({
    stanzaId: id,
    participant: bob.lid,
  })
  const sent = await ask("POST", "/send/reaction", { chat: group.jid, message_id: id, emoji: "👍" })
  const [reaction] = await bob.read({ id: sent.message_id })
  expect(contentOf(reaction).reactionMessage?.key).toMatchObject({ id, fromMe: false, participant: bob.lid })
  await ask("POST", `/messages/${id}/read`, {})
  const [receipt] = await network.log({ kind: "in", tag: "receipt", attrs: { id, type: "read" } })
  expect(receipt?.stanza?.attrs).toMatchObject({ to: group.jid, participant: bob.lid })
})

test("an unknown number, an unknown LID and a group of others are refused, and nothing is sent", async () => {
  const group = await network.group([bob])
  const { length } = await stanzas()
  for (const chat of ["4999999999", "123456@lid", group.jid, "1203630000@g.us"]) {
    const refused = { status: 422, code: "recipient_not_found" }
    expect(await ask("POST", "/send/text", { chat, body: "x" })).toMatchObject(refused)
    expect(await ask("POST", "/send/typing", { chat, state: "composing" })).toMatchObject(refused)
  }
  expect(await ask("POST", "/send/text", { chat: bob.lid, body: "by LID" })).toMatchObject({ status: 200 })
  expect(await stanzas()).toHaveLength(length + 1)
})

test("fields that are wrong, or do not fit together, are refused for the one that is wrong", async () => {
  const cases: [kind: string, fields: object, field: string, says?: RegExp][] = [
    ["poll", { question: "?", options: ["a", "b"], max_answers: 3 }, "max_answers"],
    ["poll", { question: "?", options: ["a", "a"] }, "options"],
    ["event", { name: "x", start_time: 10, end_time: 9 }, "end_time"],
    ["event", { name: "x", start_time: 1_900_000_000_000 }, "start_time", /Unix seconds/],
    ["media", { data: "aGk=" }, "content_type", /`data` needs it/],
    ["media", { file: "A".repeat(22), content_type: "image/png" }, "content_type", /nothing else/],
    ["media", {}, "url"],
    ["location", { lat: 91, lng: 0 }, "lat"],
    ["typing", { state: "sleeping" }, "state"],
    ["reaction", { emoji: "👍" }, "message_id"],
  ]
  for (const [kind, fields, field, says = /./] of cases)
    expect(await ask("POST", `/send/${kind}`, { chat: bob.number, ...fields })).toMatchObject({
      status: 400,
      code: "invalid_request",
      issues: [{ path: field, message: expect.stringMatching(says) }],
    })
})
