import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { examples } from "#contract/examples.ts"
import { ask } from "./ask.ts"
import { bytesOf, type Draft } from "./draft.ts"
import { faultsOf } from "./oracle.ts"
import { type Route, routes } from "./routes.ts"
import { startTenants, type Tenants } from "./tenants.ts"
import { changes } from "./visible-state.ts"

/** Two accounts of a whole running service: ours asks, and nothing of theirs may come back. */
let tenants: Tenants
beforeAll(async () => {
  tenants = await startTenants()
}, 120_000)
afterAll(async () => await tenants.stop())

/** The request of a route's example, with some parts replaced. */
function theRequest(route: Route, other: Partial<Draft> = {}): Draft {
  const { parameters = {}, body } = examples[route.name]
  const given = Object.entries(parameters).map(([name, value]) => [name, String(value)] as const)
  const isIn = (where: string) => (pair: readonly [string, string]) =>
    route.operation.parameters?.some((one) => one.in === where && one.name === pair[0])
  const headers: [string, string][] = [
    ["authorization", `Bearer ${tenants.ours.key}`],
    ["x-request-id", "the-same-one"],
  ]
  if (body) headers.push(["content-type", "application/json"])
  return {
    route,
    method: route.method,
    ref: tenants.known.shop,
    parameters: Object.fromEntries(given.filter(isIn("path"))),
    query: given.filter(isIn("query")).map(([name, value]) => [name, value]),
    headers,
    body: body as Draft["body"], // an object
    mutations: [],
    ...other,
  }
}

describe("through our own bridge", () => {
  /** Routes that name something of a bridge in their path or body, and the names of the other account's. */
  const cases: [name: string, of: (foreign: Tenants["known"]["foreign"]) => Partial<Draft>][] = [
    ["revokeMessage", ({ messageIds }) => ({ parameters: { id: messageIds[1]! } })],
    ["editMessage", ({ messageIds }) => ({ parameters: { id: messageIds[1]! } })],
    ["readMessage", ({ messageIds }) => ({ parameters: { id: messageIds[0]! }, body: {} })],
    ["getMessage", ({ messageIds }) => ({ parameters: { id: messageIds[0]! } })],
    ["messageMedia", ({ messageIds }) => ({ parameters: { id: messageIds[0]! } })],
    ["resendEvent", ({ eventIds }) => ({ parameters: { event_id: eventIds[0]! } })],
    ["getDelivery", ({ eventIds }) => ({ parameters: { event_id: eventIds[0]! } })],
    ["retryDelivery", ({ eventIds }) => ({ parameters: { event_id: eventIds[0]! } })],
    ["skipDelivery", ({ eventIds }) => ({ parameters: { event_id: eventIds[0]! } })],
    [
      "sendReaction",
      ({ messageIds }) => ({
        body: { chat: tenants.known.phones[0], emoji: "x", message_id: messageIds[0] },
      }),
    ],
    [
      "sendText",
      ({ messageIds }) => ({
        body: { chat: tenants.known.phones[0], body: "x", quoted_message_id: messageIds[0] },
      }),
    ],
    ["contactAvatar", ({ numbers }) => ({ parameters: { jid: numbers[0]! } })],
  ]

  test.for(cases)("%s of what is theirs finds nothing, and changes nothing", async ([name, of]) => {
    const route = routes.find((one) => one.name === name)!
    const draft = theRequest(route, of(tenants.known.foreign))
    const [before, theirs] = [await tenants.ourState(true), await tenants.theirState(true)]
    const answer = await ask(tenants.service.baseUrl, draft)
    expect([answer.status, bytesOf(draft)?.toString(), answer.body.toString()]).toEqual([
      404,
      bytesOf(draft)?.toString(),
      expect.stringContaining('"not_found"'),
    ])
    expect(faultsOf(draft, answer, tenants.canaries)).toEqual([])
    expect(changes(before, await tenants.ourState(true))).toEqual([])
    expect(changes(theirs, await tenants.theirState(true))).toEqual([])
  })

  test("their contact is a stranger: what the network tells to all, and not the name they know", async () => {
    const route = routes.find((one) => one.name === "getContact")!
    for (const jid of tenants.known.foreign.numbers) {
      const draft = theRequest(route, { parameters: { jid } })
      const answer = await ask(tenants.service.baseUrl, draft)
      expect(faultsOf(draft, answer, tenants.canaries)).toEqual([])
    }
  })

  test("their event is no place in our list", async () => {
    const route = routes.find((one) => one.name === "listEvents")!
    const query: [string, string][] = [
      ["state", "inbox"],
      ["after", tenants.known.foreign.eventIds[0]!],
    ]
    const answer = await ask(tenants.service.baseUrl, theRequest(route, { query }))
    expect(answer.status).toBe(400)
  })

  test("their call cannot be told from one that is over", async () => {
    const route = routes.find((one) => one.name === "rejectCall")!
    const body = { contact_id: tenants.known.phones[0] }
    const [theirs, nobodys] = await Promise.all(
      ["THEIRCALL", "NOCALL"].map((id) =>
        ask(tenants.service.baseUrl, theRequest(route, { parameters: { id }, body })),
      ),
    )
    expect([theirs!.status, theirs!.body.toString()]).toEqual([nobodys!.status, nobodys!.body.toString()])
  })
})
