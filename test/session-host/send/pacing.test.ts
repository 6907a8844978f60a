import { expect, test } from "vitest"
import "#test/support/store.ts"
import type { Pacing } from "#contract/pacing.ts"
import { Lease } from "#core/lease/lease.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { aChat } from "#test/support/session/chat.ts"
import { aHost, call, eventsOfType, held } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

/** A session of a bridge with this pacing. */
async function paced(pacing: Pacing) {
  const chat = await aChat()
  const { id } = chat.bridge
  const send = async (to: string, body: string) => {
    const answer = await call(id, "POST", "/send/text", { body: { chat: to, body } })
    const said = (await answer.json()) as { code?: string }
    return { status: answer.status, code: said.code, retryAfter: Number(answer.headers.get("retry-after")) }
  }
  const left = async () =>
    ((await (await call(id, "GET", "/status")).json()) as { new_chats_left?: number }).new_chats_left
  const repace = async (other: Pacing | undefined) => {
    await Lease.choose(id, other ? { pacing: other } : {})
    await call(id, "POST", "/look-at-lease")
  }
  await repace(pacing)
  return { ...chat, send, left, repace }
}

test("a bridge begins as many chats in a day as it may, on any host, and goes on in those that it has", async () => {
  const { network, bridge, host, bob, phone, send, left, message } = await paced({ new_chats_a_day: 2 })
  const [carol, dana, erin] = [await network.phone(), await network.phone(), await network.phone()]
  await message((await bob.send(phone.number, "he has written first")).id)
  expect(await left()).toBe(2)
  expect(await send(bob.number, "an answer")).toMatchObject({ status: 200 })
  const [first, again] = await Promise.all([send(carol.number, "one"), send(carol.number, "and again")])
  expect([first.status, again.status]).toEqual([200, 200])
  expect(await left()).toBe(1)

  const next = await aHost(network)
  await host.stop()
  await held(bridge.id, next)
  expect(await send(dana.number, "two")).toMatchObject({ status: 200 })
  const refused = await send(erin.number, "three")
  expect(refused).toMatchObject({ status: 429, code: "pacing" })
  expect(refused.retryAfter).toBeGreaterThan(0)
  expect(refused.retryAfter).toBeLessThanOrEqual(86_400)
  expect(await left()).toBe(0)
  expect(await send(carol.number, "she is known")).toMatchObject({ status: 200 })
  const group = await network.group([bob, phone])
  expect(await send(group.jid, "a group is no new chat")).toMatchObject({ status: 200 })
  expect(await erin.read()).toEqual([])
})

test("a bridge that may begin no chats is not told to come back tomorrow", async () => {
  const { bridge, bob } = await paced({ new_chats_a_day: 0 })
  const answer = await call(bridge.id, "POST", "/send/text", { body: { chat: bob.number, body: "one" } })
  expect([answer.status, answer.headers.get("retry-after"), await answer.json()]).toMatchObject([
    429,
    null,
    { code: "pacing", error: expect.stringMatching(/`new_chats_a_day` is 0/) },
  ])
})

test("a message that would begin a chat is refused if its sender wants that, until a caller allows it", async () => {
  const { network, bridge, bob, phone, message } = await aChat()
  const carol = await network.phone()
  const send = (to: string, new_chat: "refuse" | "allow") =>
    call(bridge.id, "POST", "/send/text", { body: { chat: to, body: new_chat, new_chat } })
  const refused = await send(carol.number, "refuse")
  expect(refused.status).toBe(409)
  expect(await refused.json()).toMatchObject({ code: "new_chat" })
  expect(await carol.read()).toEqual([])
  expect((await send(carol.number, "allow")).status).toBe(200)
  expect((await send(carol.number, "refuse")).status).toBe(200)
  expect((await send(bob.number, "refuse")).status).toBe(409)
  await message((await bob.send(phone.number, "he has written first")).id)
  expect((await send(bob.number, "refuse")).status).toBe(200)
  const group = await network.group([carol, phone])
  expect((await send(group.jid, "refuse")).status).toBe(200)
})

test("messages leave with a gap, and one that would wait for too long is refused", async () => {
  const { network, bob, phone, send } = await paced({ gap_ms: 1000 })
  const sent = await Promise.all(["one", "two", "three"].map((body) => send(bob.number, body)))
  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200])
  const log = await network.control.log({
    who: `${phone.number}:1`,
    kind: "in",
    tag: "message",
    attrs: { type: "text" },
  })
  const times = log.map(({ at }) => at)
  for (const [i, at] of times.slice(1).entries()) expect(at - times[i]!).toBeGreaterThanOrEqual(900)
})

test("a message that would wait for more than five seconds is refused, and says when it may be sent", async () => {
  const { bob, send } = await paced({ gap_ms: 60_000 })
  expect(await send(bob.number, "one")).toMatchObject({ status: 200 })
  const refused = await send(bob.number, "two")
  expect(refused).toMatchObject({ status: 429, code: "pacing" })
  expect(refused.retryAfter).toBeGreaterThan(30)
  expect(refused.retryAfter).toBeLessThanOrEqual(90)
})

test("a gap that is lifted, shortened or begun holds for the next message at once", async () => {
  const { bob, send, repace } = await paced({ gap_ms: 60_000 })
  expect(await send(bob.number, "one")).toMatchObject({ status: 200 })
  expect(await send(bob.number, "two")).toMatchObject({ code: "pacing" })
  await repace({ gap_ms: 10 })
  expect(await send(bob.number, "two")).toMatchObject({ status: 200 })
  await repace({ gap_ms: 60_000 })
  expect(await send(bob.number, "three")).toMatchObject({ code: "pacing" })
  await repace(undefined)
  expect(await send(bob.number, "three")).toMatchObject({ status: 200 })
  await repace({ gap_ms: 60_000 })
  expect(await send(bob.number, "four")).toMatchObject({ code: "pacing" })
})

test("a session is shown as typing before each message", async () => {
  const { network, bob, phone, send } = await paced({ typing_ms: 300 })
  expect(await send(bob.number, "typed")).toMatchObject({ status: 200 })
  const log = await network.control.log({ who: `${phone.number}:1`, kind: "in" })
  const tags = log.map(({ stanza }) => stanza?.tag)
  expect(tags.lastIndexOf("chatstate")).toBeGreaterThan(-1)
  expect(tags.lastIndexOf("chatstate")).toBeLessThan(tags.lastIndexOf("message"))
})

test("a send marks what it answers as read, shows typing, and then leaves; its retry does neither again", async () => {
  const { network, bridge, bob, phone, message } = await aChat()
  const { id: read } = await bob.send(phone.number, "are you open?")
  await message(read)
  const messageId = newMessageId()
  const answer = { chat: bob.number, body: "until six", read, typing_ms: 1000 }
  for (const _ of ["first", "retry"])
    expect((await call(bridge.id, "POST", "/send/text", { body: answer, messageId })).status).toBe(200)
  const log = await network.control.log({ who: `${phone.number}:1`, kind: "in" })
  const steps = log.flatMap(({ at, stanza }) => {
    const { tag = "", attrs = {} } = stanza ?? {}
    const isReceipt = tag === "receipt" && attrs.id === read && attrs.type === "read"
    return isReceipt || tag === "chatstate" || (tag === "message" && attrs.id === messageId)
      ? [{ tag, at }]
      : []
  })
  expect(steps.map(({ tag }) => tag)).toEqual(["receipt", "chatstate", "message"])
  expect(steps[2]!.at - steps[1]!.at).toBeGreaterThanOrEqual(950)
})

test("a send leaves though what it would mark as read is unknown or of another chat, and types as it says", async () => {
  const { network, bridge, bob, phone } = await paced({ typing_ms: 3000 })
  const carol = await network.phone("Carol")
  const { id: hers } = await carol.send(phone.number, "hello")
  await until(async () => (await eventsOfType(bridge.id, "message")).length > 0)
  for (const read of [hers, "3EB0UNKNOWN"]) {
    const body = { chat: bob.number, body: "to Bob", read, typing_ms: 0 }
    expect((await call(bridge.id, "POST", "/send/text", { body })).status).toBe(200)
  }
  const log = await network.control.log({ who: `${phone.number}:1`, kind: "in" })
  const found = log.flatMap(({ stanza }) => (stanza ? [[stanza.tag, stanza.attrs.type]] : []))
  expect(found).not.toContainEqual(["receipt", "read"])
  expect(found.map(([tag]) => tag)).not.toContain("chatstate")
})
