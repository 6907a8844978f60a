import { beforeAll, expect, test } from "vitest"
import type { Event } from "#contract/event.ts"
import type { Phone } from "#one-machine/network/client.ts"
import { uncoveredIn } from "../contract-coverage.ts"
import { whole } from "./stage.ts"

let grace: Phone
let ada: Phone
const device = () => `${grace.number}:1`

beforeAll(async () => {
  grace = await whole.network.create("Grace")
  ada = await whole.network.create("Ada")
  await whole.bridge("happenings")
})

const event = <Type extends Event["event"]>(
  type: Type,
  matches?: (event: Extract<Event, { event: Type }>) => boolean,
) => whole.webhook.event("happenings", type, matches)
const ask = async (method: string, path: string, body?: unknown) => {
  const answer = await whole.call(method, `/api/instances/happenings/${path}`, body)
  return { status: answer.status, ...((await answer.json()) as object) } // compared by the caller
}
const adaDoes = (method: string, what: string, body: object) =>
  whole.network.call(method, `/phones/${ada.number}${what}`, body)
const graceIs = (body: object) => whole.network.call("PATCH", `/phones/${grace.number}`, body)

test("a link is told, with whose phone it is", async () => {
  await whole.link("happenings", grace)
  expect(await event("connected")).toEqual({ event: "connected", phone: grace.number })
})

test("a subscription reports a contact as there, gone, typing and recording", async () => {
  expect(await ask("POST", "proxy/presence", { state: "available" })).toMatchObject({ status: 200 })
  expect(await ask("POST", "proxy/presence/subscribe", { chat: ada.number })).toMatchObject({ status: 200 })
  await adaDoes("PATCH", "", { available: true })
  expect(await event("presence", ({ unavailable }) => !unavailable)).toMatchObject({ contact_id: ada.jid })
  await adaDoes("PATCH", "", { available: false })
  const gone = await event("presence", ({ last_seen }) => last_seen !== undefined)
  expect(gone).toMatchObject({ contact_id: ada.jid, unavailable: true })
  for (const [state, said] of [
    ["composing", { state: "composing", mode: "text" }],
    ["recording", { state: "composing", mode: "voice" }],
    ["paused", { state: "paused", mode: "text" }],
  ] as const) {
    await adaDoes("POST", "/typing", { to: grace.number, state })
    const typing = await event(
      "typing",
      ({ mode, ...told }) => mode === said.mode && told.state === said.state,
    )
    expect(typing).toEqual({
      event: "typing",
      contact_id: ada.jid,
      chat_id: ada.jid,
      chat_lid: ada.lid,
      ...said,
    })
  }
})

test.for([
  ["terminate", "timeout", "timeout"],
  ["terminate", undefined, "hangup"],
  ["reject", undefined, "decline"],
  ["terminate", "busy", "busy"],
  ["terminate", "accepted_elsewhere", "accept_elsewhere"],
] as const)("a call comes in and ends (%s %s) with %s", async ([step, reason, expected]) => {
  const { call_id } = (await adaDoes("POST", "/calls", { to: grace.number })) as { call_id: string }
  const chat = { contact_id: ada.jid, chat_id: ada.jid, chat_lid: ada.lid }
  const about = { call_id, ...chat, timestamp: expect.any(Number) }
  const isIt = (told: { call_id: string }) => told.call_id === call_id
  expect(await event("call_incoming", isIt)).toEqual({
    event: "call_incoming",
    ...about,
    name: "Ada",
    platform: "android",
  })
  await adaDoes("POST", `/calls/${call_id}`, { to: grace.number, step, reason })
  expect(await event("call_terminated", isIt)).toEqual({
    event: "call_terminated",
    ...about,
    reason: expected,
  })
})

test("a call with a picture, to a group", async () => {
  const call = { to: grace.number, video: true, group: "1@g.us" }
  const { call_id } = (await adaDoes("POST", "/calls", call)) as { call_id: string }
  expect(await event("call_incoming", (told) => told.call_id === call_id)).toMatchObject({
    video: true,
    chat_id: "1@g.us",
  })
  await adaDoes("POST", `/calls/${call_id}`, { to: grace.number })
  await event("call_terminated", (told) => told.call_id === call_id)
})

test("a call by somebody with a username names them so, and has no number", async () => {
  const hal = await whole.network.create("Hal")
  await whole.network.change(hal.number, { username: "hal.3" })
  const from = `/phones/${hal.number}/calls`
  const { call_id } = (await whole.network.call("POST", from, { to: grace.number })) as { call_id: string }
  expect(await event("call_incoming", (told) => told.call_id === call_id)).toMatchObject({
    contact_id: hal.lid,
    chat_id: hal.lid,
    name: "Hal",
    username: "hal.3",
  })
  await whole.network.call("POST", `${from}/${call_id}`, { to: grace.number })
  await event("call_terminated", (told) => told.call_id === call_id)
})

const connections = () => whole.webhook.of("happenings").filter(({ event }) => event === "connected").length
const pixel = "/9j/4AAQSkZJRgABAQAAAQABAAD/2Q=="

test("the own picture, changed and removed on the phone", async () => {
  await graceIs({ picture: pixel })
  const set = await event("profile_picture_updated", ({ remove }) => !remove)
  expect(set).toMatchObject({ picture_id: expect.stringMatching(/./) })
  await graceIs({ picture: null })
  expect(await event("profile_picture_updated", ({ remove }) => remove)).not.toHaveProperty("picture_id")
})

test("a test of the webhook", async () => {
  expect(await ask("POST", "webhook-test")).toMatchObject({ status: 200, success: true, event: "test" })
  expect(await event("test")).toMatchObject({ timestamp: expect.any(Number) })
})

test("a connection that stays away is told, and what waited meanwhile is bracketed", async () => {
  await ask("POST", "proxy/send/text", { chat: ada.number, body: "are you there?" })
  const [sent] = await whole.network.read(ada.number, { text: "are you there?", wait: 10_000 })
  const before = connections()
  await whole.network.fault({ kind: "refuse_upgrade" })
  await whole.network.cut(device())
  await whole.write(ada, grace.number, { text: "yes" })
  await adaDoes("POST", "/read", { chat: grace.number, message_ids: [sent!.id] })
  await graceIs({ picture: pixel })
  const contact = { number: ada.number, full_name: "Ada Lovelace" }
  await whole.network.call("POST", `/phones/${grace.number}/contacts`, contact)
  expect(await event("disconnected")).toEqual({
    event: "disconnected",
    detail: expect.stringMatching(/lost/),
  })
  await whole.network.clearFaults()

  const preview = await event("offline_sync_preview", ({ messages }) => messages > 0)
  const { total, messages, notifications, receipts, app_data_changes } = preview
  expect(total).toBe(messages + notifications + receipts + app_data_changes)
  expect(await event("offline_sync_completed", ({ count }) => count === total)).toBeDefined()
  await event("connected", () => connections() > before)
})

test("another place that takes the session over, and a phone that unlinks it", async () => {
  await whole.network.end(device(), "replaced")
  expect(await event("disconnected", ({ reason }) => reason === "stream_replaced")).toMatchObject({
    detail: expect.stringMatching(/another place/),
  })
  expect(await ask("GET", "proxy/status")).toMatchObject({ status: "replaced" })
  await whole.network.call("DELETE", `/phones/${grace.number}/devices/1`)
  // Only a customer may take the session back; the network then says that there is nothing to take.
  await whole.call("PATCH", "/api/instances/happenings", {
    webhook_url: `${whole.webhook.urlOf("happenings")}?again`,
  })
  expect(await event("disconnected", ({ reason }) => reason === "logged_out")).toMatchObject({
    detail: expect.stringMatching(/unlinked/),
  })
})

test("all that the contract can say of happenings was said, each delivery was genuine and as documented", () => {
  expect(uncoveredIn("happenings", whole.webhook.of("happenings"))).toEqual([])
  expect(whole.webhook.faults()).toEqual([])
})
