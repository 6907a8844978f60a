import { expect, test } from "vitest"
import "#test/support/store.ts"
import { aChat, aSharedChat } from "#test/support/session/chat.ts"
import { aHost, call, eventsOfType, held, statusOf } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

/** These tests are not about leases: a busy machine must not cost a host its own. */
const calm = { timing: { beatMs: 1000 } }

async function aTalk(making = aChat(calm)) {
  const chat = await making
  const bob = `/phones/${chat.bob.number}`
  const control = chat.network.call
  return {
    ...chat,
    device: `${chat.phone.number}:1`,
    bobDoes: (what: string, body: object) => control("POST", `${bob}/${what}`, body),
    bobIs: (body: object) => control("PATCH", bob, body),
  }
}

/** For those that leave the session as it was. */
const { ask, bob, bobDoes, phone, network, device, bridge } = await aTalk(aSharedChat())

test("presence and typing of a contact that was subscribed to become events", async () => {
  const { ask, bob, bobIs, bobDoes, bridge, phone, network } = await aTalk()
  const early = await ask("POST", "/presence/subscribe", { chat: bob.number })
  expect(early).toMatchObject({ status: 409, code: "presence_unavailable" })

  expect(await ask("POST", "/presence", { state: "available" })).toMatchObject({ status: 200, ok: true })
  expect(await ask("POST", "/presence/subscribe", { chat: bob.number })).toMatchObject({ status: 200 })
  await bobIs({ available: true })
  await until(async () => (await eventsOfType(bridge.id, "presence")).some(({ unavailable }) => !unavailable))
  await bobIs({ available: false })
  const gone = await until(async () =>
    (await eventsOfType(bridge.id, "presence")).find(({ last_seen }) => last_seen !== undefined),
  )
  expect(gone).toEqual({
    event: "presence",
    contact_id: bob.jid,
    unavailable: true,
    last_seen: expect.any(Number),
  })

  for (const state of ["composing", "recording", "paused"])
    await bobDoes("typing", { to: phone.number, state })
  const about = { event: "typing", contact_id: bob.jid, chat_id: bob.jid }
  expect(await eventsOfType(bridge.id, "typing", 3)).toEqual([
    { ...about, state: "composing", mode: "text" },
    { ...about, state: "composing", mode: "voice" },
    { ...about, state: "paused", mode: "text" },
  ])
  const group = await network.group([bob, phone])
  expect(await ask("POST", "/presence/subscribe", { chat: group.jid })).toMatchObject({ status: 200 })
  for (const nobody of ["4915100000000", "1203630@g.us"])
    expect(await ask("POST", "/presence/subscribe", { chat: nobody })).toMatchObject({
      status: 422,
      code: "recipient_not_found",
    })
  const asked = await network.log({ kind: "in", tag: "presence", attrs: { type: "subscribe" } })
  expect(asked).toHaveLength(1)
})

test("a session that is shown as available stays so at the next host, until that is taken back", async () => {
  const { ask, network, bridge, device, host } = await aTalk()
  await ask("POST", "/presence", { state: "available" })
  const shown = async () =>
    (await network.log({ kind: "in", who: device, tag: "presence", attrs: { type: "available" } })).length
  const before = await shown()
  await host.stop()
  const next = await aHost(network, calm)
  await held(bridge.id, next)
  await until(async () => (await statusOf(bridge.id)) === "connected")
  await until(async () => (await shown()) > before)

  await ask("POST", "/presence", { state: "unavailable" })
  const after = await shown()
  await call(bridge.id, "POST", "/restart")
  await ask("GET", "/status/privacy")
  expect(await shown()).toBe(after)
})

const ends = [
  ["terminate", "timeout", "timeout"],
  ["terminate", undefined, "hangup"],
  ["terminate", "busy", "busy"],
  ["terminate", "accepted_elsewhere", "accept_elsewhere"],
  ["reject", undefined, "decline"],
] as const

test("calls come in, and end each with its reason", async () => {
  for (const [at, [step, reason, expected]] of ends.entries()) {
    const { call_id } = (await bobDoes("calls", { to: phone.number })) as { call_id: string }
    const about = { call_id, contact_id: bob.jid, timestamp: expect.any(Number) }
    const incoming = await eventsOfType(bridge.id, "call_incoming", at + 1)
    expect(incoming[at]).toEqual({ event: "call_incoming", ...about, platform: "android" })
    await bobDoes(`calls/${call_id}`, { to: phone.number, step, reason })
    const terminated = await eventsOfType(bridge.id, "call_terminated", at + 1)
    expect(terminated[at]).toEqual({ event: "call_terminated", ...about, reason: expected })
  }
})

test("a call is declined under the address that the caller called with; one that is over, too", async () => {
  const { call_id } = (await bobDoes("calls", { to: phone.number })) as { call_id: string }
  await until(async () =>
    (await eventsOfType(bridge.id, "call_incoming")).some((incoming) => incoming.call_id === call_id),
  )
  const decline = () => ask("POST", `/calls/${call_id}/reject`, { contact_id: bob.number })
  expect(await decline()).toMatchObject({ status: 200, ok: true })
  const [stanza] = await network.log({ kind: "in", who: device, tag: "call" })
  expect(stanza?.stanza).toMatchObject({
    attrs: { to: bob.lid },
    content: [{ tag: "reject", attrs: { "call-id": call_id, "call-creator": bob.lid } }],
  })
  await bobDoes(`calls/${call_id}`, { to: phone.number })
  expect(await decline()).toMatchObject({ status: 200, ok: true })
  expect(await ask("POST", "/calls/unheard-of/reject", { contact_id: bob.jid })).toMatchObject({
    status: 200,
  })
  expect(await ask("POST", `/calls/${call_id}/reject`, { contact_id: "1@g.us" })).toMatchObject({
    status: 400,
  })
})

test("the profile is read, its about text changed; the link of the personal code, the status lists", async () => {
  expect(await ask("PATCH", "/profile/status", { status: "at sea" })).toMatchObject({ status: 200, ok: true })
  // Some accounts may need the old question as well, and WhatsApp Web asks both.
  const old = { who: device, kind: "in", attrs: { xmlns: "status", type: "set" } } as const
  expect(await network.control.log(old)).toHaveLength(1)
  expect(await ask("GET", "/profile")).toMatchObject({ about: "at sea", jid: phone.jid, phone: phone.number })
  expect(await ask("PATCH", "/profile/status", { status: "" })).toMatchObject({ status: 200 })
  expect(await ask("GET", "/profile")).toMatchObject({ about: "" })
  expect(await ask("PATCH", "/profile/status", { status: "x".repeat(140) })).toMatchObject({ status: 400 })
  expect(await ask("GET", "/profile/qr")).toMatchObject({
    link: expect.stringMatching(/^https:\/\/wa\.me\/qr\/\w+$/),
  })
  expect(await (await call(bridge.id, "GET", "/status/privacy")).json()).toEqual([
    { is_default: true, list: [], type: "contacts" },
  ])
})

test("a group has a card, another's has none", async () => {
  const group = await network.group([phone, bob], "lid", "Chess")
  await network.call("PATCH", `/groups/${group.jid}`, { by: phone.number, description: "every Friday" })
  expect(await ask("GET", `/groups/${group.jid}`)).toMatchObject({
    status: 200,
    jid: group.jid,
    name: "Chess",
    topic: "every Friday",
    participants: 2,
    created: expect.any(Number),
  })
  const others = await network.group([bob, await network.phone()])
  for (const jid of [others.jid, "120363000000000000@g.us"])
    expect(await ask("GET", `/groups/${jid}`)).toMatchObject({ status: 404, code: "not_found" })
  expect(await ask("GET", `/groups/${bob.jid}`)).toMatchObject({ status: 400 })
})
