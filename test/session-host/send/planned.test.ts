import { expect, onTestFinished, test, vi } from "vitest"
import { Lease } from "#core/lease/lease.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { seeded } from "#test/support/random.ts"
import { aChat } from "#test/support/session/chat.ts"
import { call, eventsOfType, held } from "#test/support/session/host.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

const now = () => Math.floor(Date.now() / 1000)

/** A session, and ways to plan. */
async function aPlanner() {
  const chat = await aChat()
  const begun = now()
  const ask = async (method: string, path: string, body?: unknown, messageId?: string) => {
    const answer = await call(chat.bridge.id, method, path, { body, ...(messageId && { messageId }) })
    const json = (await answer.json()) as Record<string, unknown> // compared by the caller
    return { status: answer.status, json }
  }
  const plan = async (body: string, inSeconds: number, more: object = {}) => {
    const { status, json } = await ask("POST", "/send/text", {
      chat: chat.bob.number,
      body,
      send_at: begun + inSeconds,
      ...more,
    })
    expect([status, json]).toMatchObject([200, { state: "planned", chat_id: chat.bob.jid }])
    return String(json.message_id)
  }
  const stateOf = async (id: string) => (await ask("GET", `/planned/${id}`)).json
  return { ...chat, ask, plan, stateOf }
}

const textsOf = async (phone: { read: () => Promise<{ text?: string | undefined }[]> }) =>
  (await phone.read()).map(({ text }) => text)

test("planned messages go when they are due, in the order of their times, unless cancelled", async () => {
  const { bridge, bob, ask, plan, stateOf } = await aPlanner()
  const third = await plan("third", 5)
  const second = await plan("second", 4)
  const never = await plan("never", 4)
  const first = await plan("first", 3600)
  const listed = (await ask("GET", "/planned?limit=3")).json as unknown as { id: string }[]
  expect(listed.map(({ id }) => id)).toEqual([second, never, third])
  const elsewhere = await ask("DELETE", `/planned/${never}?chat=4999000111222`)
  expect(elsewhere.json).toMatchObject({ code: "not_found" })
  expect((await ask("DELETE", `/planned/${never}?chat=${bob.number}`)).status).toBe(200)
  expect((await ask("PATCH", `/planned/${first}`, { send_at: now() })).json).toMatchObject({ id: first })
  const all = await until(async () => {
    const texts = await textsOf(bob)
    return texts.length >= 3 && texts
  })
  expect(all).toEqual(["first", "second", "third"])
  await until(async () => (await stateOf(third)).state === "sent")
  expect(await stateOf(second)).toMatchObject({
    state: "sent",
    text: "second",
    kind: "text",
    message_id: second,
  })
  expect(await stateOf(never)).toMatchObject({ state: "cancelled" })
  expect((await ask("DELETE", `/planned/${first}`)).json).toMatchObject({ code: "not_planned" })
  expect((await ask("GET", "/planned?state=over")).json).toHaveLength(4)
  expect((await ask("GET", "/planned")).json).toEqual([])
  expect((await call(bridge.id, "GET", `/messages/${second}`)).status).toBe(200)
})

test("a repeated call plans once, and what could not be sent then is refused at once", async () => {
  const { bob, ask } = await aPlanner()
  const id = newMessageId()
  const body = { chat: bob.number, body: "once", send_at: now() + 3600 }
  const once = await ask("POST", "/send/text", body, id)
  expect(await ask("POST", "/send/text", body, id)).toEqual(once)
  expect((await ask("GET", "/planned")).json).toHaveLength(1)
  const refused = async (path: string, more: object) =>
    (await ask("POST", path, { ...body, ...more })).json.error
  expect(await refused("/send/text", { send_at: now() - 5 })).toMatch(/^send_at: this time has passed/)
  expect(await refused("/send/text", { send_at: now() + 400 * 86_400 })).toMatch(
    /^send_at: more than 366 days/,
  )
  expect(await refused("/send/media", { file: "mN3x8QbX0mJ7cVtY2kLw5g" })).toMatch(/^file: an upload is kept/)
})

test("what cannot go in time expires and is told; the rest goes once the number is back", async () => {
  onTestFinished(() => void vi.useRealTimers())
  const { bridge, bob, network, phone, ask, plan, stateOf, end } = await aPlanner()
  await Lease.choose(bridge.id, { events: ["message_status"] })
  await call(bridge.id, "POST", "/look-at-lease")
  const late = await plan("late", 900)
  const patient = await plan("patient", 900, { valid_for: 86_400 })
  const rejected = await ask("POST", "/send/text", {
    chat: "4999000111222",
    body: "to nobody",
    send_at: now() + 900,
    valid_for: 86_400,
  })
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 })
  await end("cut")
  expect(
    await until(async () => {
      const texts = await textsOf(bob)
      return texts.length > 0 && texts
    }),
  ).toEqual(["patient"])
  const nobody = String(rejected.json.message_id)
  await until(async () => (await stateOf(nobody)).state === "failed")
  expect(await stateOf(late)).toMatchObject({ state: "expired", code: "session_unavailable" })
  expect(await stateOf(nobody)).toMatchObject({ state: "failed", code: "recipient_not_found" })
  await until(async () => (await stateOf(patient)).state === "sent")
  const told = (await eventsOfType(bridge.id, "message_status")).filter(({ status }) => status === "failed")
  expect(told.map(({ message_id }) => message_id).toSorted()).toEqual([late, nobody].toSorted())

  const orphan = await plan("of another phone", 90_000)
  const { json: job } = await ask("POST", "/jobs", {
    messages: [{ chat: bob.number, body: "x" }],
    send_at: now() + 3600,
  })
  await ask("DELETE", "/logout")
  expect(
    await until(async () => {
      const now = await stateOf(orphan)
      return now.state !== "planned" && now
    }),
  ).toMatchObject({ code: "not_paired" })
  await until(async () => (await ask("GET", `/jobs/${String(job.id)}`)).json.state === "stopped")
  void network
  void phone
})

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

test(`a job sends each message once whatever dies, and answers do not wait (SEED=${seed})`, async () => {
  const random = seeded(seed)
  const { bridge, bob, network, host, ask } = await aPlanner()
  const people = await Promise.all(Array.from({ length: 16 }, () => network.phone()))
  const [blocked, stranger] = [people.pop()!, "4999000111333"]
  expect((await ask("PUT", `/contacts/${blocked.number}/block`)).status).toBe(200)
  const session = async () => {
    await held(bridge.id, host)
    return host.sessions.get(bridge.id)!
  }
  const messages = [blocked, ...people].map(({ number }) => ({ chat: number, fields: { name: number } }))
  const asked = {
    template: "Hello {{name}}",
    messages: [...messages, { chat: stranger, fields: { name: "" } }],
  }
  const id = `job_${newMessageId()}`
  const { jobs } = await (await session()).memory()
  await jobs.add(id, { ...asked, gap_ms: 0, valid_for: 600 }, "a-request")
  const job = async () => (await ask("GET", `/jobs/${id}`)).json
  for (let kills = 0; kills < 5; kills++) {
    const was = Number((await job()).left)
    const at = was - random.between(1, 3)
    await until(async () => {
      const { left, state } = await job()
      return Number(left) <= at || state !== "running"
    })
    if (kills === 1) dynamoDb.faults.add({ fault: "lost-answer", operation: "TransactWriteItems", times: 2 })
    ;(await session()).abandon()
    const answered = await until(async () => {
      await session()
      const sent = await ask("POST", "/send/text", { chat: bob.number, body: `answer ${kills}` })
      return sent.status === 200 && sent
    })
    expect(answered.status).toBe(200)
  }
  await until(async () => (await job()).state === "done")
  expect(await job()).toMatchObject({ total: 17, sent: 15, failed: 2, left: 0 })
  for (const { number, read } of people)
    expect([number, await textsOf({ read })]).toEqual([number, [`Hello ${number}`]])
  expect(await blocked.read({ wait: 0 } as object)).toEqual([])
  const report = (await ask("GET", `/planned?state=over&job=${id}&limit=1000`)).json as unknown as {
    code?: string
    state: string
  }[]
  expect(report.map(({ state, code }) => code ?? state)).toEqual([
    "blocked",
    ...people.map(() => "sent"),
    "recipient_not_found",
  ])
})

test("a job is paused, goes on, and is stopped in the middle: what is left never goes", async () => {
  const { bob, bridge, host, network, ask } = await aPlanner()
  const people = await Promise.all(Array.from({ length: 4 }, () => network.phone()))
  const create = async (messages: object[], more: object = {}) =>
    await ask("POST", "/jobs", { messages, gap_ms: 3_600_000, valid_for: 86_400, ...more })
  const texts = people.map(({ number }, at) => ({ chat: number, body: `text ${at}` }))
  const issues = async (messages: object[], more?: object) => (await create(messages, more)).json.issues
  expect(await issues([...texts, { ...texts[0], body: "again" }])).toEqual([
    { path: "messages.4.chat", message: "the same chat as messages.0" },
  ])
  expect(await issues([{ chat: bob.number, fields: {} }], { template: "{{name}}" })).toEqual([
    { path: "messages.0.fields", message: "lacks name" },
  ])
  expect(await issues(texts, { valid_for: 600 })).toMatchObject([{ path: "gap_ms" }])
  const id = String((await create(texts)).json.id)
  const job = async (state?: string) =>
    (await ask(state ? "PATCH" : "GET", `/jobs/${id}`, state && { state })).json
  await until(async () => Number((await job()).sent) > 0)
  const paused = await job("paused")
  expect(paused).toMatchObject({ state: "paused", left: 3 })
  const rest = async () =>
    (await ask("GET", `/planned?job=${id}`)).json as unknown as { id: string; state: string }[]
  const last = (await rest()).at(-1)!
  expect((await ask("DELETE", `/planned/${last.id}`)).status).toBe(200)
  expect(await job("running")).toMatchObject({ state: "running", sent: 1, left: 2 })
  const { jobs, plans } = await host.sessions.get(bridge.id)!.memory()
  // Its next message need not wait for an hour.
  ;(await jobs.get(id)).waitMs = 0
  plans.onChange()
  await until(async () => Number((await job()).sent) > 1)
  expect(await job("stopped")).toMatchObject({ state: "stopped", cancelled: 1 })
  expect((await ask("PATCH", `/jobs/${id}`, { state: "running" })).json).toMatchObject({
    code: "not_planned",
  })
  const { sent, left } = await job()
  expect(Number(sent) + Number(left)).toBe(3)
  const report = (await ask("GET", `/planned?state=over&job=${id}`)).json as unknown as { state: string }[]
  expect(report.map(({ state }) => state).toSorted()).toEqual(["cancelled", "cancelled", "sent", "sent"])
  expect((await ask("GET", "/jobs")).json).toMatchObject([{ id, total: 4 }])
})
