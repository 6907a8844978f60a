import "#test/support/store.ts"
import { expect, test } from "vitest"
import type { Choice } from "#core/bridge/choice.ts"
import { Lease } from "#core/lease/lease.ts"
import { trustMediaOf } from "#test/support/file-server.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aHost, call, eventsOf, held, statusOf } from "#test/support/session/host.ts"
import { scanCode } from "#test/support/session/paired.ts"
import { until } from "#test/support/until.ts"

/**
 * A bridge with this choice, linked to a phone that has written with Bob and Cy before: 30 messages with
 * each.
 */
async function aLateLink(choice: Choice.Given, { files = false } = {}) {
  const network = await aNetwork()
  await aHost(network, { timing: { olderMs: 3000 } })
  const bridge = await aBridge()
  await held(bridge.id)
  await Lease.choose(bridge.id, choice)
  await call(bridge.id, "POST", "/look-at-lease")
  const phone = await network.phone("Ada")
  const [bob, cy] = [await network.phone("Bob"), await network.phone("Cy")]
  const before = { people: [bob.number, cy.number], messages: 30 }
  await network.call("POST", `/phones/${phone.number}/chats`, before)
  if (files) {
    trustMediaOf(network)
    await network.fault({ kind: "files", device: `${phone.number}:1`, times: 10 })
  }
  await scanCode(phone, bridge.id)
  await until(async () => (await statusOf(bridge.id)) === "connected")
  const get = async (path: string) => (await (await call(bridge.id, "GET", path)).json()) as unknown[]
  return { network, bridge, phone, bob, cy, get }
}

test.for([false, true])(
  "what the phone tells when it is linked is kept once, and is no event (as files: %s)",
  async (files) => {
    const { bridge, phone, bob, cy, get } = await aLateLink({ keep: 90, history: true }, { files })
    const listOf = async (of: string) =>
      (await get(`/chats/${of}/messages?limit=100`)) as {
        body: string
        from_me: boolean
        contact_id: string
      }[]
    for (const [who, name] of [
      [bob, "Bob"],
      [cy, "Cy"],
    ] as const) {
      // The phone tells the newest 20 first, and those again with the others.
      const messages = await until(async () => {
        const found = await listOf(who.number)
        return found.length >= 30 && found
      })
      const told = Array.from({ length: 30 }, (_, i) => `message ${30 - i} with ${name}`)
      expect(messages.map(({ body }) => body)).toEqual(told)
      expect(messages[0]).toMatchObject({ from_me: true, contact_id: phone.jid })
      expect(messages[1]).toMatchObject({ from_me: false, contact_id: who.jid })
    }
    expect(await get("/chats")).toMatchObject([{ chat_id: cy.jid }, { chat_id: bob.jid }])
    // What comes by itself after that is in its place.
    await bob.send(phone.number, "and now")
    await until(async () => (await listOf(bob.number))[0]?.body === "and now")
    expect(await listOf(bob.number)).toHaveLength(31)
    const messages = (await eventsOf(bridge.id)).filter(({ event }) => event === "message")
    expect(messages).toMatchObject([{ body: "and now" }])
  },
)

test("without `history` nothing from before the link is kept", async () => {
  const { phone, bob, get } = await aLateLink({ keep: 90 })
  await bob.send(phone.number, "first")
  await until(async () => (await get(`/chats/${bob.number}/messages`)).length > 0)
  expect(await get(`/chats/${bob.number}/messages`)).toMatchObject([{ body: "first" }])
  expect(await get("/chats")).toHaveLength(1)
})

test("older messages of a chat come when the phone is asked for them, are kept once, and are no events", async () => {
  const { bridge, network, phone, bob, get } = await aLateLink({ keep: 90 })
  const ask = async (body: object) => {
    const answer = await call(bridge.id, "POST", `/chats/${bob.number}/history`, { body })
    return (await answer.json()) as {
      state: string
      is_end: boolean
      messages: { body: string }[]
      code?: string
    }
  }
  expect((await ask({})).code).toBe("not_found")
  const { id } = await bob.send(phone.number, "first")
  const list = `/chats/${bob.number}/messages?limit=100`
  await until(async () => (await get(list)).length > 0)
  const first = await ask({ count: 20 })
  expect([first.state, first.is_end, bodies(first)]).toEqual(["came", false, told(30, 11)])
  const rest = await ask({})
  expect([rest.is_end, bodies(rest)]).toEqual([true, told(10, 1)])
  expect(await ask({})).toEqual({ state: "came", messages: [], is_end: true })
  expect(bodies(await ask({ before: id, count: 3 }))).toEqual(told(30, 28))
  expect(bodies({ messages: (await get(list)) as { body: string }[] })).toEqual(["first", ...told(30, 1)])
  expect((await eventsOf(bridge.id)).filter(({ event }) => event === "message")).toHaveLength(1)

  await network.fault({ kind: "silent_phone", device: `${phone.number}:1` })
  expect(await ask({})).toEqual({ state: "asked", messages: [], is_end: false })
})

/** What Bob's phone has said, from this number down to that one. */
function told(from: number, to: number): string[] {
  return Array.from({ length: from - to + 1 }, (_, i) => `message ${from - i} with Bob`)
}

function bodies({ messages }: { messages: { body: string }[] }): string[] {
  return messages.map(({ body }) => body)
}
