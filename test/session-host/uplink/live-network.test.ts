import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { proto } from "@whiskeysockets/baileys"
import { afterAll, expect, test, vi } from "vitest"
import "#test/support/store.ts"
import { BridgeLog } from "#core/bridge/log.ts"
import { Usage } from "#core/event/usage.ts"
import { config } from "#core/platform/config.ts"
import { lines, log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { newMessageId } from "#core/message-id.ts"
import { kinds, wrongs } from "#simulator/stanzas/notices.ts"
import { aChat as newChat } from "#test/support/session/chat.ts"
import { aHost, eventsOf, eventsOfType, sendText, statusOf } from "#test/support/session/host.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { trustMediaOf } from "#test/support/files.ts"
import { anIntruder } from "#test/support/network/intruder.ts"
import { until } from "#test/support/until.ts"

const logs = mkdtempSync(join(tmpdir(), "live-logs-"))
Object.assign(config, { LOG_DIR: logs, METRICS_SERVICE: "session-host" })
afterAll(() => rmSync(logs, { recursive: true }))

/** What the host's own log says, with its metrics. */
const hostLog: string[] = []
vi.spyOn(lines, "write").mockImplementation((line) => hostLog.push(line) > 0)
log.level = "warn"
afterAll(() => {
  log.level = config.LOG_LEVEL
  Object.assign(config, { METRICS_SERVICE: undefined })
})

/** All tests have one network and one host. Each has an account and a contact of its own. */
const shared = await aNetwork()
afterAll(() => shared.close())
const host = await aHost(shared, { isShared: true, capacity: 100 })
const aChat = (options: Parameters<typeof newChat>[0] = {}) => newChat({ network: shared, host, ...options })

async function linesOf(bridgeId: string): Promise<string[]> {
  for await (const lines of BridgeLog.follow(bridgeId, 200)) return lines
  return []
}

// Behaviour of the live network that the simulated one shows by default, as a fault or as a notice.

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

test("a device that somebody runs for a business is the person whose device it is", async () => {
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

test("a device that nobody was told of gets the message that made the network say so, and is asked for once", async () => {
  const { bob, phone, bridge, network } = await aChat()
  const device = `${phone.number}:1`
  const say = (chat: string, body: string) => sendText(bridge.id, chat, body)
  const group = await network.group([bob, phone])
  for (const chat of [bob.number, group.jid]) expect(await say(chat, "before")).toMatchObject({ status: 200 })
  const silent = await network.fault({ kind: "silent_devices" })
  const client = await network.paired(bob)
  await silent()

  const asked = async () =>
    (await network.control.log({ who: device, kind: "in", attrs: { xmlns: "usync" } })).length
  const before = await asked()
  expect(await say(bob.number, "missed by nobody")).toMatchObject({ status: 200 })
  await client.message("missed by nobody")
  expect(await say(group.jid, "nor in a group")).toMatchObject({ status: 200 })
  await client.message("nor in a group")
  const after = await asked()
  // In the chat; the group's message goes to what is known by then.
  expect(after).toBe(before + 1)
  for (const body of ["one more", "and one"]) await say(bob.number, body)
  await client.message("and one")
  expect(await asked()).toBe(after)
  expect(await bob.read({ text: "missed by nobody" })).toMatchObject([{ times: 1 }])
})

test("a list of devices that has changed without a word on how is asked for again", async () => {
  const { bob, phone, bridge, network } = await aChat()
  const device = `${phone.number}:1`
  await sendText(bridge.id, bob.number, "so that they are known")
  const asked = async () =>
    (await network.control.log({ who: device, kind: "in", attrs: { xmlns: "usync" } })).length
  for (const [kind, more] of [
    ["devices_changed", 1],
    ["own_devices", 1],
    ["about_changed", 0],
  ] as const) {
    const before = await asked()
    await network.control.notice(device, { kind, about: bob.number })
    await network.control.settled(device, 10_000)
    expect(await sendText(bridge.id, bob.number, kind)).toMatchObject({ status: 200 })
    expect([kind, (await asked()) - before]).toEqual([kind, more])
  }
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

/** The notices that reach the customer's log. The others are told to nobody. */
const toldOf: Partial<Record<(typeof kinds)[number], RegExp>> = {
  identity_changed: /another phone, or has reinstalled the app \(\d+@lid\)/,
  number_changed: /another number \(\d+@lid\)/,
  group_number_changed: /another number/,
  bot_message: /cannot read a bot's message/,
  newsletter_news: /newsletters are ignored/,
  restricted: /may not start new chats until /,
  unrestricted: /no longer says that this account may not start/,
  capped: /as many new chats as it may until /,
  uncapped: /no longer says that this account has started/,
  cap_nears: /will soon have started as many/,
  hosted_placeholder: /shown on the phone alone/,
  bot_placeholder: /shown on the phone alone/,
  old_placeholder: /too old to ask the phone for it/,
}

test("news that the network sends unasked is settled, told where it says something, and known for what it is", async () => {
  const { bob, phone, bridge, network, message } = await aChat()
  const device = `${phone.number}:1`
  const group = (await network.group([bob, phone])).jid
  await message((await bob.send(phone.number, "so that he is a contact")).id)
  const before = hostLog.length
  for (const kind of kinds) await network.control.notice(device, { kind, about: bob.number, group })
  expect(await network.control.settled(device, 20_000)).toBe(true)
  await message((await bob.send(phone.number, "after them")).id)

  const types = new Set((await eventsOf(bridge.id)).map(({ event }) => event))
  expect([...types].toSorted()).toEqual(["connected", "message", "offline_sync_completed"])
  expect(await eventsOfType(bridge.id, "message")).toHaveLength(2)
  const told = (await linesOf(bridge.id)).join("\n")
  for (const [, sentence] of Object.entries(toldOf)) expect(told).toMatch(sentence)
  expect(hostLog.slice(before).filter((line) => line.includes('"unknown"'))).toEqual([])

  // Each also built wrongly.
  for (const wrong of wrongs)
    for (const kind of kinds) await network.control.notice(device, { kind, about: bob.number, group, wrong })
  await message((await bob.send(phone.number, "after all of them")).id)
  expect(await network.control.settled(device, 20_000)).toBe(true)
  expect(await eventsOfType(bridge.id, "message")).toHaveLength(3)
  expect(await statusOf(bridge.id)).toBe("connected")
}, 120_000)

test("a restriction is in the status until it is lifted, over restarts, and until its time; that one nears is said once", async () => {
  const { bob, phone, bridge, network, ask, host } = await aChat()
  const device = `${phone.number}:1`
  const restriction = async () => {
    const { restriction: kind, restricted_until: until } = (await ask("GET", "/status")) as Record<
      string,
      unknown
    >
    return [kind, typeof until === "number" && until > Date.now() / 1000]
  }
  expect(await restriction()).toEqual([undefined, false])
  await network.control.notice(device, { kind: "capped", about: bob.number })
  await until(async () => (await restriction())[0] === "new_chats_quota")
  for (let i = 0; i < 2; i++) await network.control.notice(device, { kind: "cap_nears", about: bob.number })
  await until(async () => (await restriction())[0] === undefined)
  await network.control.change(phone.number, { capped: true })
  await network.control.notice(device, { kind: "capped", about: bob.number })
  await network.control.change(phone.number, { restricted: true })
  await network.control.notice(device, { kind: "restricted", about: bob.number })
  await until(async () => (await restriction())[0] === "new_chats")
  expect(await restriction()).toEqual(["new_chats", true])

  await host.sessions.get(bridge.id)!.stop()
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await restriction()).toEqual(["new_chats", true])
  await network.control.change(phone.number, { restricted: false })
  await network.control.notice(device, { kind: "unrestricted", about: bob.number })
  await until(async () => (await restriction())[0] === "new_chats_quota")
  await network.control.notice(device, { kind: "uncapped", about: bob.number })
  await until(async () => (await restriction())[0] === undefined)
  const warnings = (await linesOf(bridge.id)).filter((line) => /will soon have started/.test(line))
  expect(warnings).toHaveLength(1)
})

test("a restriction that began while nobody was connected, and a quota, are asked for at the login, and after a refusal", async () => {
  const { bob, phone, bridge, network, ask, host: own } = await aChat()
  const device = `${phone.number}:1`
  const restriction = async () => ((await ask("GET", "/status")) as { restriction?: string }).restriction
  const questions = { who: device, kind: "in", attrs: { xmlns: "w:mex" } } as const
  /** One whether the account may begin chats, one how many more. */
  const atOnce = 2
  await until(async () => (await network.control.log(questions)).length === atOnce)
  await network.control.change(phone.number, { restricted: true })
  const eve = await network.phone("Eve")
  expect(await restriction()).toBeUndefined()
  const before = (await network.control.log(questions)).length
  for (const body of ["one", "two", "three"])
    expect(await sendText(bridge.id, eve.number, body)).toMatchObject({ network_code: 463 })
  await until(async () => (await restriction()) === "new_chats")
  expect((await network.control.log(questions)).length).toBe(before + atOnce)

  await network.control.change(phone.number, { restricted: false, capped: true })
  await own.sessions.get(bridge.id)!.stop()
  await until(async () => (await statusOf(bridge.id)) === "connected")
  await until(async () => (await restriction()) === "new_chats_quota")
  expect(await linesOf(bridge.id)).toContainEqual(expect.stringMatching(/no longer says/))
  expect(await sendText(bridge.id, bob.number, "after it")).toMatchObject({ status: 200 })
})

const unanswered = { kind: "ignore_iq", xmlns: "w:mex" } as const
const isNotKnown = /whether this account may begin chats, or how many more, is not known/

/** What the network does, what it answers later, and what the host's log says then. */
test.for<[string, { kind: "refuse_iq" | "ignore_iq"; xmlns: string; code?: number }, string?, RegExp?]>([
  ["refused", { kind: "refuse_iq", xmlns: "w:mex", code: 503 }, undefined, isNotKnown],
  ["answered with what is no JSON", unanswered, "<html>", /"UnknownStanzas":\[[12]\]/],
  ["refused in the answer", unanswered, '{"errors":[{"extensions":{"error_code":400}}]}', isNotKnown],
  ["never answered", unanswered],
])("a login's questions about new chats that are %s end nothing, and the session goes on", async (row) => {
  const [, fault, answer, said] = row
  const { bob, phone, bridge, network, message, ask, end } = await aChat()
  const device = `${phone.number}:1`
  const before = hostLog.length
  const questions = { who: device, kind: "in", attrs: { xmlns: "w:mex" } } as const
  await until(async () => (await network.control.log(questions)).length === 2)
  await network.fault({ device, ...fault })
  await end("cut")
  const ids = await until(async () => {
    const again = (await network.control.log(questions)).slice(2)
    return again.length === 2 && again.map(({ stanza }) => stanza!.attrs.id!)
  })
  const content = [{ tag: "result", attrs: {}, content: { base64: btoa(answer ?? "") } }]
  for (const id of answer === undefined ? [] : ids)
    await network.control.stanza(device, { tag: "iq", attrs: { id, type: "result" }, content })
  await message((await bob.send(phone.number, "no later than otherwise")).id)
  expect(await sendText(bridge.id, bob.number, "nor this")).toMatchObject({ status: 200 })
  expect(await statusOf(bridge.id)).toBe("connected")
  expect(await ask("GET", "/status")).not.toHaveProperty("restriction")
  const saidYet = () => {
    Metrics.flush()
    return hostLog.slice(before).some((line) => said?.test(line))
  }
  if (said) await until(saidYet)
})

test("messages of others count as in, those of the API and of the phone as out, and are written when the session stops", async () => {
  const { bob, phone, bridge } = await aChat()
  await sendText(bridge.id, bob.number, "from the API")
  await phone.send(bob.number, "from the phone")
  for (const text of ["one", "two"]) await bob.send(phone.number, text)
  await eventsOfType(bridge.id, "message", 3)
  const day = Usage.today()
  const counted = async () => await Usage.of(bridge.id, { from: day, to: Usage.today() }, undefined)
  expect(await counted()).toEqual([])
  await host.sessions.get(bridge.id)!.stop()
  const sums = (await counted()).map((one) => [one.in, one.out])
  expect(sums).toEqual([[2, 2]])
})

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

test("devices whose owner may not give keys are left out, in chats as in groups", async () => {
  const { bob, phone, bridge, network } = await aChat()
  await network.paired(bob)
  const group = await network.group([bob, phone])
  await network.fault({ kind: "not_acceptable", device: `${bob.number}:1` })
  for (const [chat, body] of [
    [bob.number, "in a chat"],
    [group.jid, "in a group"],
  ] as const) {
    expect(await sendText(bridge.id, chat, body)).toMatchObject({ status: 200 })
    expect(await bob.read({ text: body })).toMatchObject([{ times: 1 }])
  }
})

test("a message that no device of its recipient can read is refused, and is sent once one can", async () => {
  const { bob, phone, bridge, network } = await aChat()
  const device = `${phone.number}:1`
  const refused = { status: 503, code: "session_unavailable" }
  for (const kind of ["no_keys", "no_devices"] as const) {
    const person = await network.phone(`Person of ${kind}`)
    const over = await network.fault({ kind, device: `${person.number}:0` })
    const id = newMessageId()
    for (const body of ["first", "again"])
      expect(await sendText(bridge.id, person.number, body, id)).toMatchObject(refused)
    expect(await network.control.log({ who: device, kind: "in", tag: "message", attrs: { id } })).toEqual([])
    expect(await sendText(bridge.id, bob.number, "to somebody else")).toMatchObject({ status: 200 })
    await over()
    expect(await sendText(bridge.id, person.number, "at last", id)).toMatchObject({ status: 200 })
    expect(await person.read({ text: "at last" })).toMatchObject([{ times: 1, id }])
  }
})

test("the network is asked once for the keys of a device that has none, until its owner's devices change", async () => {
  const { bob, phone, bridge, network } = await aChat()
  const device = `${phone.number}:1`
  // It never comes back, so it asks for no message once more.
  const client = await network.paired(bob)
  client.close()
  const group = await network.group([bob, phone])
  const eve = await network.phone("Eve")
  await sendText(bridge.id, eve.number, "so that there is a session with our own phone")
  const asked = () => network.keyQuestions(device)
  const questions = async (chat: string) => {
    const before = await asked()
    expect(await sendText(bridge.id, chat, "hello")).toMatchObject({ status: 200 })
    return (await asked()) - before
  }
  const inTurn = async () => {
    const counts = []
    for (const chat of [bob.number, group.jid, bob.number, group.jid]) counts.push(await questions(chat))
    return counts
  }
  // A question that fails says nothing about the device.
  const fails = await network.fault({ kind: "keys_fail", device: `${bob.number}:1` })
  expect(await inTurn()).toEqual([1, 1, 1, 1])
  await fails()
  const over = await network.fault({ kind: "no_keys", device: `${bob.number}:1` })
  expect(await inTurn()).toEqual([1, 0, 0, 0])

  await over()
  await network.control.notice(device, { kind: "devices_changed", about: bob.number })
  await network.control.settled(device, 10_000)
  expect(await questions(bob.number)).toBe(1)
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

test("an account that was not moved to private ids writes by number, until the network says that it was moved", async () => {
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

  // Somebody whose number is not known here can be named in one way only.
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

test("in a community, messages of its groups are told as of any group, and nobody writes to the community itself", async () => {
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
  const refused = { code: "network_rejected", network_code: 403 }
  for (const chat of [community, announcements!])
    expect(await sendText(bridge.id, chat, "Hello")).toMatchObject(refused)

  await sock.communityUnlinkGroup(general!, community)
  expect(await sendText(bridge.id, general!, "Still here")).toMatchObject({ status: 200 })
  expect(await network.control.settled(`${phone.number}:1`, 10_000)).toBe(true)
})

test("when the network says that groups are out of date, the next send asks for its group", async () => {
  const { bob, phone, bridge, network } = await aChat()
  const device = `${phone.number}:1`
  const group = await network.group([bob, phone])
  const asked = async () =>
    (await network.control.log({ who: device, kind: "in", tag: "iq", attrs: { to: group.jid } })).length
  await sendText(bridge.id, group.jid, "one")
  expect(await asked()).toBe(1)
  await network.control.notice(device, { kind: "groups_dirty", about: bob.number })
  const clean = { who: device, kind: "in", attrs: { xmlns: "urn:xmpp:whatsapp:dirty" } } as const
  await network.log(clean)
  expect(await sendText(bridge.id, group.jid, "two")).toMatchObject({ status: 200 })
  expect(await asked()).toBe(2)
  expect(await bob.read({ text: "two" })).toMatchObject([{ times: 1 }])
})

test("stanzas of the connection itself that are built wrongly change nothing, and hold up nothing", async () => {
  const { bob, phone, bridge, network, message } = await aChat()
  const device = `${phone.number}:1`
  const huge = "9".repeat(50_000)
  const tell = (tag: string, attrs: Record<string, string>, content?: object) =>
    network.control.stanza(device, { tag, attrs, content })
  const parts = ["offline_preview", "offline", "dirty", "edge_routing", "thread_metadata"]
  for (const tag of parts)
    for (const attrs of [{}, { count: huge, message: "words", type: huge, timestamp: "-1" }] as const)
      await tell("ib", { from: "s.whatsapp.net" }, [
        { tag, attrs },
        { tag, attrs, content: { base64: "AAECAw==" } },
      ])
  await tell("ib", {}, { base64: "AAECAw==" })
  await tell("ack", {})
  await tell("ack", { class: "message", id: huge, phash: huge, t: "soon", error: "words" })
  await tell("ack", { class: "message", id: "NOBODYS", phash: "2:?", error: huge })
  await message((await bob.send(phone.number, "after them")).id)

  // Those that a message of ours waits for: without a time, and with a hash that is none.
  const acks = await network.fault({ kind: "lose_acks", device })
  const sent = sendText(bridge.id, bob.number, "acknowledged all the same")
  const [{ stanza } = {}] = await network.log({ who: device, kind: "in", tag: "message" })
  await tell("ack", { class: "message", id: stanza!.attrs.id!, phash: huge, sync: huge })
  expect(await sent).toMatchObject({ status: 200 })
  await acks()
  expect(await sendText(bridge.id, bob.number, "and the next")).toMatchObject({ status: 200 })
  expect(await bob.read({ text: "and the next" })).toMatchObject([{ times: 1 }])
  expect(await statusOf(bridge.id)).toBe("connected")
})

/** Bytes, and a number as big-endian bytes, as the control API takes them. */
const bytes = (value: Uint8Array) => ({ base64: Buffer.from(value).toString("base64") })

function number(value: number, length: number) {
  const out = Buffer.alloc(length)
  out.writeUIntBE(value, 0, length)
  return bytes(out)
}

test("a device that asks for a message with its own keys gets it under these, and the network is asked for none", async () => {
  const chat = await aChat()
  const { phone, bridge, network } = chat
  const device = `${phone.number}:1`
  const eve = await anIntruder(chat)
  const sent = await sendText(bridge.id, eve.lid, "once more, please")
  const bundle = await eve.bundle()
  const since = {
    who: device,
    kind: "in",
    after: (await network.control.log({ who: device })).at(-1)!.n,
  } as const
  const { message_id: id } = sent as unknown as { message_id: string }
  await network.control.stanza(device, {
    tag: "receipt",
    attrs: { id, from: eve.lid, type: "retry", t: "1800000000" },
    content: [
      { tag: "retry", attrs: { count: "2", id, t: "1800000000", v: "1" } },
      { tag: "registration", attrs: {}, content: number(bundle.registrationId, 4) },
      {
        tag: "keys",
        attrs: {},
        content: [
          { tag: "type", attrs: {}, content: bytes(Buffer.of(5)) },
          { tag: "identity", attrs: {}, content: bytes(bundle.identityKey.subarray(1)) },
          {
            tag: "key",
            attrs: {},
            content: [
              { tag: "id", attrs: {}, content: number(bundle.preKey.keyId, 3) },
              { tag: "value", attrs: {}, content: bytes(bundle.preKey.publicKey.subarray(1)) },
            ],
          },
          {
            tag: "skey",
            attrs: {},
            content: [
              { tag: "id", attrs: {}, content: number(bundle.signedPreKey.keyId, 3) },
              { tag: "value", attrs: {}, content: bytes(bundle.signedPreKey.publicKey.subarray(1)) },
              { tag: "signature", attrs: {}, content: bytes(bundle.signedPreKey.signature) },
            ],
          },
        ],
      },
    ],
  })
  await network.log({ ...since, tag: "message", attrs: { id } })
  expect(await network.control.log({ ...since, attrs: { xmlns: "encrypt" } })).toEqual([])
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
