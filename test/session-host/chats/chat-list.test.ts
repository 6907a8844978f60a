import { expect, onTestFinished, test } from "vitest"
import { Lease } from "#core/lease/lease.ts"
import { aChat } from "#test/support/session/chat.ts"
import { call } from "#test/support/session/host.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

interface Listed {
  chat_id: string
  name: string
  unread: number
  marked_unread: boolean
  archived: boolean
  pinned: boolean
  muted: boolean
  muted_until: number
  last_message_at: number
}

/** A bridge that keeps messages, and its list of chats. */
async function aListOfChats(options: Parameters<typeof aChat>[0] = {}) {
  const chat = await aChat(options)
  const { id } = chat.bridge
  await Lease.choose(id, { keep: 7 })
  await call(id, "POST", "/look-at-lease")
  const page = async (asked = "limit=50") => {
    const answer = await call(id, "GET", `/chats?${asked}`)
    expect(answer.status).toBe(200)
    const next = answer.headers.get("x-next-after") ?? undefined
    return { chats: (await answer.json()) as Listed[], next }
  }
  const one = async (jid: string) => (await page()).chats.find(({ chat_id }) => chat_id === jid)
  const set = (collection: string, index: string[], value: object) =>
    chat.network.call("POST", `/phones/${chat.phone.number}/app-state/${collection}`, {
      index,
      value,
      version: 2,
    })
  return {
    ...chat,
    page,
    one,
    /** Resolves when the chat is so. */
    once: (jid: string, is: Partial<Listed>) =>
      until(async () => {
        const found = await one(jid)
        return (
          found && Object.entries(is).every(([name, value]) => found[name as keyof Listed] === value) && found
        )
      }),
    set,
  }
}

async function anotherSecond(): Promise<void> {
  const before = Math.floor(Date.now() / 1000)
  await until(() => Math.floor(Date.now() / 1000) > before)
}

test("the chat with the latest message is first, page by page, and has the name of the person or the group", async () => {
  const { bob, phone, network, page, once } = await aListOfChats()
  const cy = await network.phone("Cy")
  const group = await network.group([cy, phone])
  // The order is by seconds.
  for (const [from, to, jid] of [
    [bob, phone.number, bob.jid],
    [cy, phone.number, cy.jid],
    [cy, group.jid, group.jid],
  ] as const) {
    await anotherSecond()
    await from.send(to, "hello")
    await once(jid, { unread: 1 })
  }
  const { chats } = await page()
  expect(chats.map(({ chat_id }) => chat_id)).toEqual([group.jid, cy.jid, bob.jid])
  expect(chats.map(({ name }) => name)).toEqual([expect.stringMatching(/./), "Cy", "Bob"])
  const first = await page("limit=2")
  expect(first.chats).toHaveLength(2)
  const second = await page(`limit=2&after=${first.next}`)
  expect(second).toMatchObject({ next: undefined, chats: [{ chat_id: bob.jid }] })

  // Where the chats are is read once: strangers may make many of them.
  let reads = 0
  const when = (request: object) => {
    if (JSON.stringify(request).includes("CHAT#")) reads++
    return false
  }
  onTestFinished(dynamoDb.faults.add({ fault: "slow", operation: "Query", when }))
  await anotherSecond()
  await bob.send(phone.number, "hello again")
  await once(bob.jid, { unread: 2 })
  expect((await page()).chats.map(({ chat_id }) => chat_id)[0]).toBe(bob.jid)
  expect(reads).toBe(0)
})

test("messages of others are unread until the account reads or writes in the chat", async () => {
  const { ask, bob, phone, network, once, message } = await aListOfChats()
  const writes = async (text: string) => {
    const { id } = await bob.send(phone.number, text)
    await message(id)
    return id
  }
  await writes("one")
  const id = await writes("two")
  await once(bob.jid, { unread: 2 })
  await ask("POST", `/messages/${id}/read`, { chat: bob.number })
  await once(bob.jid, { unread: 0 })
  await writes("three")
  await once(bob.jid, { unread: 1 })
  await ask("POST", "/send/text", { chat: bob.number, body: "an answer" })
  await once(bob.jid, { unread: 0 })
  const last = await writes("four")
  await once(bob.jid, { unread: 1 })
  await network.call("POST", `/phones/${phone.number}/read`, { chat: bob.number, message_ids: [last] })
  expect(await once(bob.jid, { unread: 0 })).toMatchObject({ marked_unread: false })
})

test("what the phone has archived, pinned, muted or marked is shown, also from before the login", async () => {
  const { bob, phone, network, one, once, set, end } = await aListOfChats()
  await bob.send(phone.number, "hello")
  await once(bob.jid, { unread: 1, archived: false, pinned: false, muted: false })
  const muteEndTimestamp = (Math.floor(Date.now() / 1000) + 3600) * 1000
  await set("regular_low", ["archive", bob.jid], { archiveChatAction: { archived: true } })
  await set("regular_low", ["pin_v1", bob.jid], { pinAction: { pinned: true } })
  await set("regular_high", ["mute", bob.jid], { muteAction: { muted: true, muteEndTimestamp } })
  await once(bob.jid, { archived: true, pinned: true, muted: true, muted_until: muteEndTimestamp / 1000 })
  await set("regular_low", ["markChatAsRead", bob.jid], { markChatAsReadAction: { read: true } })
  await once(bob.jid, { unread: 0, marked_unread: false })
  await set("regular_low", ["markChatAsRead", bob.jid], { markChatAsReadAction: { read: false } })
  await once(bob.jid, { unread: 0, marked_unread: true })
  await set("regular_high", ["mute", bob.jid], { muteAction: { muted: true, muteEndTimestamp: -1 } })
  await once(bob.jid, { muted: true, muted_until: 0 })
  const cy = await network.phone("Cy")
  await end("cut")
  await set("regular_low", ["pin_v1", cy.lid], { pinAction: { pinned: true } })
  expect(await once(cy.lid, { pinned: true })).toMatchObject({ last_message_at: 0, name: "" })
  // Her message tells her number.
  await cy.send(phone.number, "hello")
  await once(cy.jid, { pinned: true, unread: 1 })
  expect(await one(cy.lid)).toBeUndefined()
})

test("an `after` of another bridge's chats is refused, and the answer says what to do", async () => {
  const { ask, bob, phone, network, page, once } = await aListOfChats()
  const other = await aListOfChats({ network })
  const cy = await network.phone("Cy")
  for (const from of [bob, cy]) for (const to of [phone, other.phone]) await from.send(to.number, "hello")
  await once(cy.jid, { unread: 1 })
  await other.once(cy.jid, { unread: 1 })
  await other.once(bob.jid, { unread: 1 })
  const { next } = await other.page("limit=1")
  expect(next).toBeDefined()
  expect(await ask("GET", `/chats?after=${next}`)).toMatchObject({
    status: 400,
    error: expect.stringMatching(/after: .*leave it out/),
  })
  expect((await page("limit=1")).chats).toHaveLength(1)
})
