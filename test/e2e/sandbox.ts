import { expect, test } from "vitest"
import { until } from "#test/support/until.ts"
import { whole } from "./events/stage.ts"

const sandbox = "/api/instances/sandbox"

async function aVisitor(about: Parameters<typeof whole.customer>[0]) {
  const call = await whole.customer(about)
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body)
    const text = await answer.text()
    // The tests compare it; a 204 has none.
    return { http: answer.status, json: JSON.parse(text || "{}") as Record<string, unknown> }
  }
  /** Calls until it works, as a client does that is told to come back. */
  const patiently = (method: string, path: string, body?: unknown) =>
    until(async () => {
      const said = await ask(method, path, body)
      return said.http !== 503 && said
    })
  const contacts = async () => {
    const { json } = await patiently("GET", `${sandbox}/proxy/contacts`)
    const found = json as unknown as { name: string; phone: string }[] // the contract's
    expect(found).toHaveLength(2)
    return new Map(found.map(({ name, phone }) => [name, phone]))
  }
  return { call, ask, patiently, contacts }
}

/** A customer without a subscription, who has only a sandbox. */
const { ask, patiently, contacts } = await aVisitor({ subscription: "none" })
const other = await aVisitor({ bridges: 1 })

test("a sandbox is there when it is first named, without a subscription, and writes at once", async () => {
  expect(await ask("POST", "/api/instances", { customer_ref: "shop" })).toMatchObject({ http: 402 })
  // The very first call creates the bridge, whose phone links itself.
  expect(await patiently("GET", `${sandbox}/proxy/profile`)).toMatchObject({
    http: 200,
    json: { name: "Sandbox" },
  })
  expect(await ask("GET", `${sandbox}/proxy/status`)).toMatchObject({ json: { status: "connected" } })
  expect(await ask("GET", "/api/instances")).toMatchObject({ json: [{ customer_ref: "sandbox" }] })

  const events = ["message", "poll_vote", "event_response", "message_status"]
  expect(await ask("PATCH", sandbox, { events })).toMatchObject({ http: 200 })
  const moved = await ask("PATCH", sandbox, { webhook_url: whole.webhook.urlOf("sandbox") })
  expect(moved).toMatchObject({
    http: 200,
    json: { inbox: false, webhook_secret: expect.stringMatching(/^whsec_/) },
  })
  whole.webhook.trust("sandbox", String(moved.json.webhook_secret))

  const people = await contacts()
  expect([...people.keys()].toSorted()).toEqual(["Echo", "Voter"])
  const send = async (kind: string, chat: string, body: object) => {
    const sent = await patiently("POST", `${sandbox}/proxy/send/${kind}`, { chat: people.get(chat), ...body })
    expect(sent).toMatchObject({ http: 200 })
    return String(sent.json.message_id)
  }
  const asked = await send("text", "Echo", { body: "is anybody there?" })
  for (const status of ["sent", "delivered", "read"])
    await whole.webhook.event(
      "sandbox",
      "message_status",
      (told) => told.message_id === asked && told.status === status,
    )
  expect(await whole.webhook.event("sandbox", "message")).toMatchObject({
    body: "is anybody there?",
    name: "Echo",
    phone: people.get("Echo"),
  })
  const poll = await send("poll", "Voter", { question: "When?", options: ["now", "later"] })
  expect(await whole.webhook.event("sandbox", "poll_vote")).toMatchObject({
    poll_id: poll,
    selected_options: ["now"],
  })
  const event = await send("event", "Voter", { name: "Party", start_time: 1_900_000_000 })
  expect(await whole.webhook.event("sandbox", "event_response")).toMatchObject({
    event_id: event,
    response: "going",
  })
  expect(whole.webhook.faults()).toEqual([])
})

test("it links itself again after a logout, and is made anew after it was deleted", async () => {
  const { json } = await ask("POST", "/api/instances", { customer_ref: "sandbox" })
  expect(await ask("POST", "/api/instances", { customer_ref: "sandbox" })).toMatchObject({ http: 200, json })
  const before = await contacts()
  expect(await patiently("DELETE", `${sandbox}/proxy/logout`)).toMatchObject({ http: 200 })
  await until(async () => (await ask("GET", `${sandbox}/proxy/status`)).json.status === "connected")
  expect(await contacts()).toEqual(before)
  expect(await ask("GET", `${sandbox}/proxy/qr`)).toMatchObject({
    http: 409,
    json: { code: "already_paired" },
  })

  expect((await ask("DELETE", sandbox)).http).toBe(204)
  expect((await ask("GET", sandbox)).http).toBe(200)
  expect(await contacts()).toEqual(before)
})

test("the people of a sandbox cannot be reached from another one, nor does a sandbox reach anyone else", async () => {
  const ada = await whole.network.create("Ada")
  const strangers = [...(await other.contacts()).values(), ada.number]
  await contacts()
  for (const chat of strangers) {
    const body = { chat, body: "hello?" }
    expect(await patiently("POST", `${sandbox}/proxy/send/text`, body)).toMatchObject({
      http: 422,
      json: { code: "recipient_not_found" },
    })
  }
})

test("it counts against no limit, and `default` is another bridge if there is one", async () => {
  const { call } = other
  await call("GET", sandbox)
  const first = async () => (await (await call("GET", "/api/instances/default")).json()) as object
  expect(await first()).toMatchObject({ customer_ref: "sandbox" })
  const make = async (ref: string) => (await call("POST", "/api/instances", { customer_ref: ref })).status
  expect([await make("b0"), await make("one-more")]).toEqual([201, 403])
  expect(await first()).toMatchObject({ customer_ref: "b0" })
  const listed = (await (await call("GET", "/api/instances")).json()) as { customer_ref: string }[]
  expect(listed.at(-1)).toMatchObject({ customer_ref: "sandbox" })
  for (const { customer_ref } of listed)
    expect((await call("DELETE", `/api/instances/${customer_ref}`)).status).toBe(204)
  // The sandbox has not changed the number of bridges: one is allowed as before, and no more.
  expect([await make("c0"), await make("one-more")]).toEqual([201, 403])
})
