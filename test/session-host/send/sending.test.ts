import "#test/support/store.ts"
import { expect, test } from "vitest"
import { Usage } from "#core/event/usage.ts"
import { Lease } from "#core/lease/lease.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { type Scope, sessionScope } from "#session-host/concurrency/session-scope.ts"
import type { SessionHost } from "#session-host/host/host.ts"
import type { Outgoing } from "#session-host/network/connection.ts"
import { connect } from "#session-host/whatsapp/connect.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { transactions } from "#test/support/recorded-writes.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aSharedChat } from "#test/support/session/chat.ts"
import { aHost, call, held, sendText, statusOf } from "#test/support/session/host.ts"
import { aPairedSession, scanCode } from "#test/support/session/paired.ts"
import { until } from "#test/support/until.ts"

/** The messages that a bridge's usage counts as sent, once its host has stopped. */
async function countedOut(host: SessionHost, bridgeId: string): Promise<number> {
  await host.stop()
  // The next test's hosts must not take it.
  await Lease.stop(bridgeId, "operator")
  const days = await Usage.daysOf(bridgeId, { from: "2000-01-01", to: "9999-12-31" }, {})
  return days.reduce((sum, day) => sum + day.out, 0)
}

/** For tests that lose acknowledgements: so long a send waits for its own. */
const soonMs = 1000

/** For those that need no more than a session. */
const { network, bridge, phone, bob, ask, message } = await aSharedChat()

const asked = async () => (await network.log({ kind: "in", tag: "iq", attrs: { xmlns: "usync" } })).length

test("a message that was acknowledged is answered again from its row, and nothing is sent", async () => {
  const id = newMessageId()
  const first = await sendText(bridge.id, bob.number, "once", id)
  expect(first).toMatchObject({ status: 200, message_id: id })
  expect(await sendText(bridge.id, bob.number, "once", id)).toEqual(first)
  await sendText(bridge.id, bob.number, "end")
  await bob.read({ text: "end" })
  expect(await bob.read({ text: "once" })).toHaveLength(1)
  expect((await bob.read({ text: "once" }))[0]).toMatchObject({ times: 1, id })
})

test("a send costs one transaction: its bytes and all ratchets; that it was acknowledged is written later", async () => {
  const network = await aNetwork()
  const host = await aHost(network)
  const { bridge } = await aPairedSession(network, { host })
  const contact = await network.phone("Bob")
  const asked = transactions()
  // The first one opens sessions, and asks which devices people have.
  await sendText(bridge.id, contact.number, "hello")

  const next = newMessageId()
  const before = asked.length
  await sendText(bridge.id, contact.number, "hello again", next)
  const [commit] = asked.slice(before).filter(({ rows }) => rows.includes(`SEND#${next}`))
  expect(commit!.rows.filter((sk) => sk.includes("#session#"))).toHaveLength(2)
  expect(asked.slice(before)).toEqual([commit])
  // It is written with whatever is written next, and before the session is handed over.
  await host.stop()
  expect(asked.filter(({ rows }) => rows.includes(`SEND#${next}`))).toHaveLength(2)
})

test("an unknown number is refused and nothing is sent; it is asked for once", async () => {
  const refused = await sendText(bridge.id, "49999999999", "hello")
  expect(refused).toMatchObject({ status: 422, code: "recipient_not_found" })
  const before = await asked()
  expect(await sendText(bridge.id, "+49999999999", "hello")).toMatchObject({ code: "recipient_not_found" })
  expect(await asked()).toBe(before)
})

test.each([
  [
    "writes to the account",
    async (number: string) => {
      const { id } = await network.control.send(number, phone.number, "hello")
      return await message(id)
    },
    { event: "message" },
  ],
  [
    "is checked",
    (number: string) => ask("POST", "/contacts/check", { phones: [number] }),
    { 0: { is_on_whatsapp: true } },
  ],
] as const)(
  "a number that was refused can be written to as soon as its new owner %s",
  async (how, act, said) => {
    const number = `4999999${how.length}`
    expect(await sendText(bridge.id, number, "nobody")).toMatchObject({ status: 422 })
    await network.call("POST", "/phones", { number, name: "New" })
    expect(await act(number)).toMatchObject(said)
    expect(await sendText(bridge.id, number, "somebody")).toMatchObject({ status: 200 })
  },
)

test("a refusal of the network is told with its number, and stands for that id", async () => {
  await network.fault({ kind: "nack", code: 463, times: 1 })
  const id = newMessageId()
  const refused = await sendText(bridge.id, bob.number, "hello", id)
  expect(refused).toMatchObject({ status: 502, code: "network_rejected", network_code: 463 })
  expect(await sendText(bridge.id, bob.number, "hello", id)).toEqual(refused)
  expect(await sendText(bridge.id, bob.number, "hello")).toMatchObject({ status: 200 })
})

test.for(["lid", "pn"] as const)(
  "in a group where only admins write others are told so (members by %s)",
  async (mode) => {
    const { jid } = await network.group([bob, phone], mode)
    const change = (changed: object) =>
      network.call("PATCH", `/groups/${jid}`, { by: bob.number, ...changed })
    const mayWrite = () =>
      until(async () => (await sendText(bridge.id, jid, "hello")).status === 200 || undefined)
    await mayWrite()
    const id = newMessageId()
    await sendText(bridge.id, jid, "mine", id)
    await change({ setting: "announcement" })
    const refused = await until(async () => {
      const answer = await sendText(bridge.id, jid, "no")
      return answer.status !== 200 && answer
    })
    expect(refused).toMatchObject({ status: 403, code: "not_admin" })
    // These are not known before: the network says it.
    const pinned = await call(bridge.id, "POST", `/messages/${id}/pin`, { messageId: newMessageId() })
    expect([pinned.status, await pinned.json()]).toEqual([
      403,
      expect.objectContaining({ code: "not_admin" }),
    ])
    await change({ promote: [phone.number] })
    await mayWrite()
    await change({ demote: [phone.number], setting: "not_announcement" })
    await mayWrite()
    expect((await bob.read()).map(({ text }) => text)).not.toContain("no")
  },
)

test("nobody writes in a community itself, not even its owner", async () => {
  const { jid } = await network.control.group({ creator: phone.number, subject: "Village", community: true })
  expect(await sendText(bridge.id, jid, "no")).toMatchObject({ status: 403, code: "not_admin" })
})

test("without an answer the outcome is unknown; the same id sends the same bytes and resolves it", async () => {
  const network = await aNetwork()
  const sends: { outgoing: Outgoing; again: boolean | undefined }[] = []
  const host = await aHost(network, {
    timing: { ackMs: soonMs },
    connect: (input) => {
      const connection = connect({ ...input, url: network.url })
      return {
        ...connection,
        send: (outgoing, again) => {
          sends.push({ outgoing, again })
          return connection.send(outgoing, again)
        },
      }
    },
  })
  const { bridge } = await aPairedSession(network, { host })
  const contact = await network.phone("Bob")
  await sendText(bridge.id, contact.number, "acknowledged at once")
  sends.length = 0
  await network.fault({ kind: "lose_acks", times: 1 })
  const id = newMessageId()
  const unknown = sendText(bridge.id, contact.number, "hello", id)
  await contact.read({ text: "hello" })
  expect(await sendText(bridge.id, contact.number, "hello", id)).toMatchObject({
    status: 409,
    code: "idempotency_conflict",
  })
  expect(await unknown).toMatchObject({ status: 504, code: "send_outcome_unknown" })

  expect(await sendText(bridge.id, contact.number, "another text", id)).toMatchObject({ status: 200 })
  expect(sends.map(({ again }) => again)).toEqual([false, true])
  expect(Buffer.from(sends[1]!.outgoing.message)).toEqual(Buffer.from(sends[0]!.outgoing.message))
  const shown = await contact.read({ id })
  expect(shown.every((message) => message.text === "hello")).toBe(true)
  expect(await sendText(bridge.id, contact.number, "hello", id)).toMatchObject({ status: 200 })
  expect(await countedOut(host, bridge.id)).toBe(2)
})

test("a late answer of the network counts: the same id is then answered without sending", async () => {
  const network = await aNetwork()
  const host = await aHost(network, { timing: { ackMs: soonMs } })
  const { bridge } = await aPairedSession(network, { host })
  const contact = await network.phone("Bob")
  const release = await network.fault({ kind: "hold_acks" })
  const id = newMessageId()
  expect(await sendText(bridge.id, contact.number, "hello", id)).toMatchObject({ status: 504 })
  const asked = transactions()
  await release()
  // With the second of these at the latest, it is written that the held one was acknowledged.
  for (const body of ["one", "two"])
    expect(await sendText(bridge.id, contact.number, body)).toMatchObject({ status: 200 })
  expect(asked.filter(({ rows }) => rows.includes(`SEND#${id}`))).toHaveLength(1)
  expect(await sendText(bridge.id, contact.number, "hello", id)).toMatchObject({ status: 200 })
  expect(await contact.read({ id })).toHaveLength(1)
  expect(await countedOut(host, bridge.id)).toBe(3)
})

test("members who missed a group's message because it was refused can read the next one all the same", async () => {
  const [bob, eve] = [await network.phone("Bob"), await network.phone("Eve")]
  const group = await network.group([bob, phone, eve])
  await network.fault({ kind: "nack", code: 463, times: 1 })
  expect(await sendText(bridge.id, group.jid, "refused")).toMatchObject({ status: 502 })
  for (const body of ["one", "two"]) {
    expect(await sendText(bridge.id, group.jid, body)).toMatchObject({ status: 200 })
    for (const member of [bob, eve]) expect(await member.read({ text: body })).toMatchObject([{ times: 1 }])
  }
  const retries = await network.call("GET", "/log?tag=receipt")
  expect(JSON.stringify(retries)).not.toContain("retry")
})

test("a message whose outcome is unknown is not sent again by another login", async () => {
  const network = await aNetwork()
  const host = await aHost(network, { timing: { ackMs: soonMs } })
  const { bridge, unlink } = await aPairedSession(network, { host })
  const contact = await network.phone("Bob")
  await network.fault({ kind: "lose_acks", times: 1 })
  const id = newMessageId()
  expect(await sendText(bridge.id, contact.number, "hello", id)).toMatchObject({ status: 504 })
  await unlink()
  await until(async () => (await statusOf(bridge.id)) === "unpaired")
  const other = await network.phone("Eve")
  await scanCode(other, bridge.id)
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await sendText(bridge.id, contact.number, "hello", id)).toMatchObject({
    status: 504,
    code: "send_outcome_unknown",
  })
  await sendText(bridge.id, contact.number, "end")
  await contact.read({ text: "end" })
  expect(await contact.read({ text: "hello" })).toHaveLength(1)
})

test("an error that a command leaves behind belongs to its session", async () => {
  const network = await aNetwork()
  let owner: Scope | undefined
  const host = await aHost(network, {
    connect: (input) => {
      const connection = connect({ ...input, url: network.url })
      return {
        ...connection,
        send: async (...asked) => {
          owner = sessionScope.getStore()
          return await connection.send(...asked)
        },
      }
    },
  })
  const { bridge } = await aPairedSession(network, { host })
  const contact = await network.phone("Bob")
  expect(await sendText(bridge.id, contact.number, "hello")).toMatchObject({ status: 200 })
  const { epoch } = host.sessions.get(bridge.id)!.lease
  owner!.fail(new Error("left behind"))
  await until(() => host.sessions.get(bridge.id)?.lease.epoch !== epoch)
})

test("a host that stops finishes the sends that are under way, and takes no others", async () => {
  const network = await aNetwork()
  const { bridge, host } = await aPairedSession(network)
  const contact = await network.phone("Bob")
  const release = await network.fault({ kind: "hold_acks" })
  const sent = sendText(bridge.id, contact.number, "hello")
  await contact.read({ text: "hello" })
  const stopped = host.stop()
  const late = { body: { chat: contact.number, body: "too late" } }
  expect(await call(bridge.id, "POST", "/send/text", late)).toMatchObject({ status: 421 })
  await release()
  expect(await sent).toMatchObject({ status: 200 })
  await stopped
})

test("a send without a linked phone is refused, and a wrong one before that", async () => {
  const network = await aNetwork()
  const bridge = await aBridge()
  await held(bridge.id, await aHost(network))
  const notPaired = { status: 409, code: "not_paired" }
  expect(await sendText(bridge.id, "491711234567", "hello")).toMatchObject(notPaired)
  for (const [body, path] of [
    [{ chat: "491711234567" }, "body"],
    [{ chat: "491711234567", body: "" }, "body"],
    [{ chat: "nobody", body: "hello" }, "chat"],
    [{ chat: 7, body: "hello" }, "chat"],
  ] as const) {
    const answer = await call(bridge.id, "POST", "/send/text", { body })
    const refused = { code: "invalid_request", issues: [{ path }] }
    expect([answer.status, await answer.json()]).toMatchObject([400, refused])
  }
})

test("a send waits for a session that connects, and in vain is told to come back", async () => {
  const network = await aNetwork()
  const { bridge, end } = await aPairedSession(network, { timing: { connectingMs: 300 } })
  const contact = await network.phone("Bob")
  const open = await network.fault({ kind: "refuse_upgrade" })
  await end("cut")
  await until(async () => (await statusOf(bridge.id)) === "disconnected")
  const refused = await call(bridge.id, "POST", "/send/text", {
    body: { chat: contact.number, body: "hello" },
  })
  expect(refused.status).toBe(503)
  expect(refused.headers.get("retry-after")).toBe("2")
  await open()
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await sendText(bridge.id, contact.number, "hello")).toMatchObject({ status: 200 })
})

test("a call waits for its session no longer than its caller does, whatever it waits for", async () => {
  const network = await aNetwork()
  const { bridge, end } = await aPairedSession(network, { timing: { connectingMs: 2000 } })
  await network.fault({ kind: "refuse_upgrade" })
  await end("cut")
  await until(async () => (await statusOf(bridge.id)) === "disconnected")
  const ask = (waitMs?: number) => call(bridge.id, "GET", "/profile", { waitMs })
  const patient = ask().then(() => "patient")
  const answer = await Promise.race([patient, ask(100)])
  expect(answer).toMatchObject({ status: 503 })
  await patient
})
