import { expect, test } from "vitest"
import "#test/support/store.ts"
import { Lease } from "#core/lease/lease.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { uncoveredIn } from "#test/e2e/contract-coverage.ts"
import { aSharedChat } from "#test/support/session/chat.ts"
import { call, eventsOf, eventsOfType } from "#test/support/session/host.ts"

const { ask, bob, phone, network, bridge } = await aSharedChat()
/** A real Baileys client of Bob's, whose channel it is. */
const owner = await network.paired(bob)
const { id: jid, invite } = await owner.sock.newsletterCreate("Daily", "All that is new")

const postsOf = async (channel: string, query = "") =>
  (await (await call(bridge.id, "GET", `/channels/${channel}/posts${query}`)).json()) as { body: string }[]

test("a channel is found by its link, followed, listed and left; one that is not there is 404", async () => {
  const found = await ask("GET", `/channels/invite?link=https://whatsapp.com/channel/${invite!}`)
  expect(found).toMatchObject({ jid, name: "Daily", description: "All that is new", role: "none" })
  expect(await ask("POST", `/channels/${jid}/follow`)).toMatchObject({ ok: true })
  const listed = await (await call(bridge.id, "GET", "/channels")).json()
  expect(listed).toMatchObject([{ jid, role: "follower", followers: 1 }])
  expect(await ask("DELETE", `/channels/${jid}/follow`)).toMatchObject({ ok: true })
  expect(await (await call(bridge.id, "GET", "/channels")).json()).toEqual([])
  for (const [method, path] of [
    ["GET", "/channels/1@newsletter"],
    ["POST", "/channels/1@newsletter/follow"],
    ["GET", "/channels/1@newsletter/posts"],
  ] as const)
    expect(await ask(method, path)).toMatchObject({ status: 404, code: "not_found" })
})

test("posts of a followed channel are events by choice, each once, and can be read and reacted to", async () => {
  await ask("POST", `/channels/${jid}/follow`)
  await owner.sock.sendMessage(jid, { text: "before it was chosen" })
  expect(await network.control.settled(`${phone.number}:1`, 10_000)).toBe(true)
  await Lease.choose(bridge.id, { events: ["message", "channel_post"] })
  await call(bridge.id, "POST", "/look-at-lease")
  await network.fault({ kind: "twice", device: `${phone.number}:1`, times: 1 })
  await owner.sock.sendMessage(jid, { text: "the news" })
  const [event] = await eventsOfType(bridge.id, "channel_post")
  expect(event).toMatchObject({ channel_id: jid, number: 101, type: "text", body: "the news" })
  expect(await network.control.settled(`${phone.number}:1`, 10_000)).toBe(true)
  const events = await eventsOf(bridge.id)
  expect(events.filter((each) => each.event === "channel_post")).toHaveLength(1)
  const uncovered = uncoveredIn("channels", events).filter((one) => !one.includes(": "))
  expect(uncovered).toEqual(["channel_post.media_type", "channel_post.file"])

  expect((await postsOf(jid)).map(({ body }) => body)).toEqual(["the news", "before it was chosen"])
  expect((await postsOf(jid, "?limit=1&before=101")).map(({ body }) => body)).toEqual([
    "before it was chosen",
  ])
  expect(await ask("POST", `/channels/${jid}/posts/101/reaction`, { emoji: "👍" })).toMatchObject({
    ok: true,
  })
  const [stanza] = await network.log({ kind: "in", tag: "message", attrs: { server_id: "101" } })
  expect(stanza!.stanza).toMatchObject({ attrs: { type: "reaction" }, content: [{ attrs: { code: "👍" } }] })
  expect(await ask("POST", `/channels/${jid}/posts/9/reaction`, { emoji: "👍" })).toMatchObject({
    status: 502,
  })
})

test("a post goes out once under its key, unencrypted, and only where the account may post", async () => {
  const own = await network.paired(phone)
  const { id: ours } = await own.sock.newsletterCreate("Ours", "")
  const messageId = newMessageId()
  const body = { body: "we are open" }
  const post = async () =>
    await (await call(bridge.id, "POST", `/channels/${ours}/posts`, { body, messageId })).json()
  const first = await post()
  expect(first).toMatchObject({ message_id: messageId, chat_id: ours })
  expect(await post()).toEqual(first)
  expect(await postsOf(ours)).toMatchObject([{ message_id: messageId, body: "we are open" }])
  const [stanza] = await network.log({ kind: "in", tag: "message", attrs: { id: messageId } })
  expect(stanza!.stanza!.content).toMatchObject([{ tag: "plaintext" }])
  expect(await ask("POST", `/channels/${jid}/posts`, body)).toMatchObject({ status: 403, code: "not_admin" })
})
