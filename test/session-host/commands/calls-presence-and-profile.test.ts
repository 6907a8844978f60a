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
  }
}

/** For those that leave the session as it was. */
const { ask, bob, bobDoes, phone, network, device, bridge } = await aTalk(aSharedChat())

test("presence is subscribed to once the session is available; a group and an unknown number have none", async () => {
  const { ask, bob, phone, network } = await aTalk()
  const early = await ask("POST", "/presence/subscribe", { chat: bob.number })
  expect(early).toMatchObject({ status: 409, code: "presence_unavailable" })

  expect(await ask("POST", "/presence", { state: "available" })).toMatchObject({ status: 200, ok: true })
  expect(await ask("POST", "/presence/subscribe", { chat: bob.number })).toMatchObject({ status: 200 })
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
  // As many characters as the contract allows, which the network counts as more.
  for (const status of ["x".repeat(140), "🌊".repeat(139)])
    expect(await ask("PATCH", "/profile/status", { status })).toMatchObject({
      status: 400,
      code: "invalid_request",
    })
  expect(await ask("GET", "/profile/qr")).toMatchObject({
    link: expect.stringMatching(/^https:\/\/wa\.me\/qr\/\w+$/),
  })
  expect(await (await call(bridge.id, "GET", "/status/privacy")).json()).toEqual([
    { is_default: true, list: [], type: "contacts" },
  ])
})
