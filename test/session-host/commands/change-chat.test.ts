import "#test/support/store.ts"
import { expect, test } from "vitest"
import { Lease } from "#core/lease/lease.ts"
import { trustMediaOf } from "#test/support/file-server.ts"
import { aChat, aSharedChat } from "#test/support/session/chat.ts"
import { call } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

interface Setting {
  index: string[]
  value: Record<string, unknown>
}

/**
 * A chat in which Bob has written, of a bridge that keeps messages; and the settings that its phone knows.
 */
async function aWrittenChat(making = aChat()) {
  const chat = await making
  const { bridge, bob, phone, network, ask } = chat
  await Lease.choose(bridge.id, { keep: 7 })
  await call(bridge.id, "POST", "/look-at-lease")
  const { id } = await bob.send(phone.number, "hello")
  const path = `/phones/${phone.number}/app-state`
  await until(async () => (await listed()).length === 1)
  async function listed() {
    return (await (await call(bridge.id, "GET", "/chats")).json()) as { chat_id: string }[]
  }
  return {
    ...chat,
    id,
    change: (body: object, of = bob.number) => ask("PATCH", `/chats/${of}`, body),
    set: (collection: string, index: string[], value: object) =>
      network.call("POST", `${path}/${collection}`, { index, value }),
    /** What the phone has read, and found to be vouched for. */
    setting: async (collection: string, kind: string) => {
      const all = (await network.call("GET", `${path}/${collection}`)) as Setting[]
      return all.find(({ index }) => index[0] === kind)
    },
  }
}

const { ask, bob, bridge, id, change, setting } = await aWrittenChat(aSharedChat())

const blocked = async () => await (await call(bridge.id, "GET", "/contacts/blocked")).json()

test("a chat is archived, pinned, muted and marked on the phone, and shown so", async () => {
  const until = Math.floor(Date.now() / 1000) + 3600
  expect(await change({ pinned: true, muted: true, muted_until: until })).toMatchObject({
    status: 200,
    chat_id: bob.jid,
    pinned: true,
    muted: true,
    muted_until: until,
  })
  expect(await setting("regular_low", "pin_v1")).toMatchObject({
    index: ["pin_v1", bob.lid],
    value: { pinAction: { pinned: true } },
  })
  expect(await setting("regular_high", "mute")).toMatchObject({
    value: { muteAction: { muted: true, muteEndTimestamp: String(until * 1000) } },
  })
  const archived = { archived: true, pinned: false, unread: 0, marked_unread: true }
  expect(await change({ archived: true, unread: true })).toMatchObject({ ...archived, unread: 1 })
  const messageRange = { messages: [{ key: { id, remoteJid: bob.lid } }] }
  expect(await setting("regular_low", "archive")).toMatchObject({
    value: { archiveChatAction: { archived: true, messageRange } },
  })
  expect(await setting("regular_low", "pin_v1")).toMatchObject({ value: { pinAction: { pinned: false } } })
  expect(await setting("regular_low", "markChatAsRead")).toMatchObject({
    value: { markChatAsReadAction: { read: false } },
  })
  const back = { archived: false, muted: false, unread: false }
  expect(await change(back)).toMatchObject({ archived: false, muted: false, unread: 0, marked_unread: false })
})

test("changes of the phone at the same time are kept, and so are those made here, each one", async () => {
  const { bob, phone, network, change, set, setting } = await aWrittenChat()
  await set("regular_low", ["star", "1"], { starAction: { starred: true } })
  const many = [true, false, true, false, true]
  const theirs = many.map((starred) => set("regular_low", ["star", "2"], { starAction: { starred } }))
  for (const pinned of many) expect(await change({ pinned })).toMatchObject({ status: 200, pinned })
  // The phone itself gives up a change that a companion has made meanwhile.
  await Promise.allSettled(theirs)
  expect(await setting("regular_low", "pin_v1")).toMatchObject({ value: { pinAction: { pinned: true } } })
  // A long collection comes as a file. Without it nothing is changed, and the caller may try again.
  await network.fault({ kind: "files", device: `${phone.number}:1`, times: 100 })
  await network.call("POST", `/connections/${phone.number}:1/end`, { how: "cut" })
  await until(async () => (await change({ muted: true })).status === 200)
  expect(await change({ pinned: false })).toMatchObject({ status: 503, code: "session_unavailable" })
  trustMediaOf(network)
  expect(await change({ pinned: false }, bob.lid)).toMatchObject({ pinned: false, muted: true })
  expect(await setting("regular_low", "pin_v1")).toMatchObject({ value: { pinAction: { pinned: false } } })
})

test("a change that is none, or does not fit together, is refused, and the answer says what to change", async () => {
  for (const [body, error] of [
    [{}, /at least one/],
    [{ archived: true, muted_until: 1_900_000_000 }, /muted_until/],
    [{ archived: true, pinned: true }, /pinned/],
  ] as const)
    expect(await change(body)).toMatchObject({ status: 400, error: expect.stringMatching(error) })
})

test("a chat that is not there is 404, and nothing is changed for it", async () => {
  const before = await setting("regular_low", "pin_v1")
  expect(await change({ pinned: true }, "491700000000")).toMatchObject({ status: 404, code: "not_found" })
  expect(await setting("regular_low", "pin_v1")).toEqual(before)
})

test("a person who is blocked is in the list until they are unblocked; no unknown person can be blocked", async () => {
  expect(await ask("PUT", `/contacts/${bob.number}/block`)).toMatchObject({ status: 200 })
  expect(await blocked()).toEqual([{ jid: bob.jid, phone: bob.number }])
  expect(await ask("DELETE", `/contacts/${bob.lid}/block`)).toMatchObject({ status: 200 })
  expect(await blocked()).toEqual([])
  expect(await ask("PUT", "/contacts/491700000000/block")).toMatchObject({ status: 404 })
})
