import { beforeAll, expect, test } from "vitest"
import { EventType } from "#contract/event.ts"
import { until } from "#test/support/until.ts"
import { uncoveredIn } from "../contract-coverage.ts"
import { kinds } from "./message-kinds.ts"
import { whole } from "./stage.ts"

let people: Awaited<ReturnType<typeof linked>>

beforeAll(async () => {
  people = await linked()
})

/**
 * A bridge on Grace's phone, Ada, who writes with it, a group of both, and messages for either to refer to.
 */
async function linked() {
  const [grace, ada] = [await whole.network.create("Grace"), await whole.network.create("Ada")]
  // Sent before there was a bridge, which never sees it.
  const unseen = await whole.write(grace, ada.number, { event: { name: "Before", start: 10 } })
  await whole.bridge("messages")
  await whole.link("messages", grace)
  const device = `${grace.number}:1`
  const group = await whole.network.group({
    creator: ada.number,
    members: [grace.number],
    subject: "Regulars",
  })
  return { grace, ada, device, group: group.jid, unseen }
}

/** Sends through the API, to Ada unless `body` names another chat, and waits until its reader has it. */
async function send(suffix: string, body: Record<string, unknown>, reader = people.ada): Promise<string> {
  const path = `/api/instances/messages/proxy/send/${suffix}`
  const answer = await whole.call("POST", path, { chat: people.ada.number, ...body })
  const { message_id: id } = (await answer.json()) as { message_id: string } // the contract's
  await whole.network.read(reader.number, { id, wait: 10_000 })
  return id
}

const adaWrites = (content: Record<string, unknown>, to = people.grace.number) =>
  whole.write(people.ada, to, content)
const message = (id: string) => whole.webhook.event("messages", "message", (event) => event.message_id === id)

const became = (id: string, status: string) =>
  whole.webhook.event(
    "messages",
    "message_status",
    (told) => told.message_id === id && told.status === status,
  )

test.for(kinds)("%s arrives as what it is", async ([, content, expected]) => {
  const { ada } = people
  const about = { contact_id: ada.jid, chat_id: ada.jid, phone: ada.number, from_me: false, is_group: false }
  expect(await message(await adaWrites(content))).toMatchObject({ ...about, ...expected })
})

test("a message says that a person answers in its chat", async () => {
  const path = `/api/instances/messages/proxy/chats/${people.ada.number}/handover`
  await whole.call("PUT", path)
  expect(await message(await adaWrites({ text: "Is there a person?" }))).toMatchObject({ handover: true })
  await whole.call("PUT", path, { seconds: 0 })
})

test("an answer says what it quotes and whom it mentions", async () => {
  const { grace } = people
  const ours = await send("text", { body: "ours" })
  const id = await adaWrites({ text: "about that", quoted: ours, mentions: [grace.number] })
  expect(await message(id)).toMatchObject({
    quoted: { message_id: ours, contact_id: grace.jid, body: "ours", type: "text" },
    mentions: [grace.jid],
  })
})

test("a reaction, an edit, a pin and a revocation say to what", async () => {
  const ours = await send("text", { body: "ours" })
  const reaction = await adaWrites({ reaction: { message_id: ours, emoji: "👍" } })
  expect(await message(reaction)).toMatchObject({
    type: "reaction",
    reaction: { emoji: "👍", message_id: ours, contact_id: people.grace.jid },
    target_id: ours,
  })
  const id = await adaWrites({ text: "frist" })
  const edit = await message(await adaWrites({ edit: { message_id: id, text: "first" } }))
  expect(edit).toMatchObject({ body: "first", edit: "edit", target_id: id })
  expect(await message(await adaWrites({ pin: { message_id: id } }))).toMatchObject({
    edit: "pin",
    target_id: id,
  })
  expect(await message(await adaWrites({ revoke: { message_id: id } }))).toMatchObject({
    body: "",
    edit: "revoke",
    target_id: id,
  })
})

test("groups, statuses, and what is written on the own phone", async () => {
  const { ada, grace, group } = people
  expect(await message(await adaWrites({ text: "hello all" }, group))).toMatchObject({
    is_group: true,
    chat_id: group,
    contact_id: ada.jid,
  })
  expect(await message(await whole.write(grace, ada.number, { text: "by hand" }))).toMatchObject({
    from_me: true,
    chat_id: ada.jid,
    contact_id: grace.jid,
  })
  const status = await adaWrites({ text: "holidays", viewers: [grace.number] }, "status@broadcast")
  expect(await message(status)).toMatchObject({ is_broadcast: true, contact_id: ada.jid })
})

test("a business whose name the network has verified, and a broadcast list", async () => {
  const { grace } = people
  const bakery = await whole.network.create("Bakery")
  await whole.network.call("PATCH", `/phones/${bakery.number}`, { business: { name: "Bakery" } })
  const open = await whole.write(bakery, grace.number, { text: "open" })
  expect(await message(open)).toMatchObject({ verified_business: true, name: "Bakery" })
  const offer = { text: "fresh bread", viewers: [grace.number] }
  expect(await message(await whole.write(bakery, "123@broadcast", offer))).toMatchObject({
    is_broadcast: true,
    chat_id: bakery.jid,
    contact_id: bakery.jid,
  })
})

test("votes: another's, and one's own from the phone", async () => {
  const { ada, grace } = people
  const poll = await send("poll", { question: "When?", options: ["Monday", "Tuesday"] })
  const vote = { vote: { message_id: poll, options: ["Tuesday"] } }
  const told = { poll_id: poll, selected_options: ["Tuesday"] }
  const theirs = await adaWrites(vote)
  const about = { message_id: theirs, contact_id: ada.jid, phone: ada.number, name: "Ada", from_me: false }
  expect(await voted(theirs)).toMatchObject({ ...told, ...about })
  const ours = await whole.write(grace, ada.number, vote)
  expect(await voted(ours)).toMatchObject({ ...told, contact_id: grace.jid, from_me: true })
})
const voted = (id: string) => whole.webhook.event("messages", "poll_vote", (vote) => vote.message_id === id)

test("answers to an event message, whatever they say, also to one that the bridge never saw", async () => {
  const { ada, grace, unseen } = people
  const party = await send("event", { name: "Party", start_time: 1_900_000_000 })
  for (const response of ["going", "not_going", "maybe"] as const) {
    const id = await adaWrites({ rsvp: { message_id: party, response, guests: 2 } })
    expect(await answered(id)).toMatchObject({
      event_id: party,
      contact_id: ada.jid,
      phone: ada.number,
      name: "Ada",
      from_me: false,
      response,
      extra_guest_count: 2,
    })
  }
  const own = await whole.write(grace, ada.number, { rsvp: { message_id: party, response: "going" } })
  expect(await answered(own)).toMatchObject({ contact_id: grace.jid, from_me: true, response: "going" })
  const sealed = await adaWrites({ rsvp: { message_id: unseen, response: "going" } })
  expect(await answered(sealed)).toMatchObject({ event_id: unseen, response: "unknown" })
})
const answered = (id: string) =>
  whole.webhook.event("messages", "event_response", (answer) => answer.message_id === id)

test("what a person with a username writes, votes and answers says so, and has no number", async () => {
  const hal = await whole.network.create("Hal")
  await whole.network.change(hal.number, { username: "hal.2" })
  const halWrites = (content: object) => whole.write(hal, people.grace.number, content)
  const named = { username: "hal.2", name: "Hal", phone: "" }
  expect(await message(await halWrites({ text: "hello" }))).toMatchObject(named)

  const to = { chat: "@hal.2" }
  const poll = await send("poll", { ...to, question: "How?", options: ["so", "not so"] }, hal)
  const vote = { vote: { message_id: poll, options: ["so"] } }
  expect(await voted(await halWrites(vote))).toMatchObject({ ...named, selected_options: ["so"] })
  const party = await send("event", { ...to, name: "Party", start_time: 1_900_000_000 }, hal)
  const answer = { rsvp: { message_id: party, response: "going" } }
  expect(await answered(await halWrites(answer))).toMatchObject({ ...named, response: "going" })
})

test("events from while the session was off say so", async () => {
  const poll = await send("poll", { question: "Where?", options: ["here", "there"] })
  const party = await send("event", { name: "Later", start_time: 1_900_000_000 })
  await whole.network.fault({ kind: "refuse_upgrade" })
  await whole.network.cut(people.device)
  await until(async () => (await whole.statusOf("messages")) === "disconnected")
  const missed = await adaWrites({ text: "are you there?" })
  const vote = await adaWrites({ vote: { message_id: poll, options: ["here"] } })
  const answer = await adaWrites({ rsvp: { message_id: party, response: "maybe" } })
  await whole.network.clearFaults()
  expect(await message(missed)).toMatchObject({ body: "are you there?", offline: true })
  expect(await voted(vote)).toMatchObject({ selected_options: ["here"], offline: true })
  expect(await answered(answer)).toMatchObject({ response: "maybe", offline: true })
})

test("what becomes of a message: to a person, refused, and to a group", async () => {
  const { ada, grace, group } = people
  const choice = { events: EventType.options, message_status: "participants" }
  expect((await whole.call("PATCH", "/api/instances/messages", choice)).status).toBe(200)
  const adaSees = (id: string, more: object) =>
    whole.network.call("POST", `/phones/${ada.number}/read`, {
      chat: grace.number,
      message_ids: [id],
      ...more,
    })

  const toAda = await send("text", { body: "seen?" })
  await became(toAda, "delivered")
  await adaSees(toAda, {})
  expect(await became(toAda, "read")).toMatchObject({ chat_id: ada.jid })
  await whole.network.fault({ kind: "nack", code: 463, times: 1 })
  const body = { chat: ada.number, body: "no" }
  const refused = await whole.call("POST", "/api/instances/messages/proxy/send/text", body)
  expect(refused.status).toBe(502)
  const failed = await whole.webhook.event("messages", "message_status", ({ status }) => status === "failed")
  expect(failed).toMatchObject({ network_code: 463, reason: expect.stringMatching(/./) })

  const toAll = await send("text", { body: "seen by all?", chat: group })
  expect(await became(toAll, "sent")).toMatchObject({ counts: { recipients: 1, delivered: 0 } })
  for (const type of ["read", "played"]) {
    await adaSees(toAll, { chat: group, from: grace.number, type })
    expect(await became(toAll, type)).toMatchObject({
      chat_id: group,
      participants: [expect.stringMatching(/@/)],
    })
  }
})

test("all that the contract can say of messages was said, and each delivery was genuine and as documented", () => {
  // No simulated phone schedules a message: `open-answer.test.ts` opens one.
  expect(uncoveredIn("messages", whole.webhook.of("messages"))).toEqual([
    // `own-store/own-store.test.ts` shows it.
    "message.file.stored_as",
    "message.scheduled_for",
  ])
  expect(whole.webhook.faults()).toEqual([])
})
