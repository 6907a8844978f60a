import { expect, test } from "vitest"
import "#test/support/store.ts"
import { call, eventsOfType, sendText, statusOf } from "#test/support/session/host.ts"
import { aSharedHost } from "#test/support/session/shared-host.ts"
import { until } from "#test/support/until.ts"

/** What `status` answers. */
const statusIn = async (bridgeId: string) =>
  (await (await call(bridgeId, "GET", "/status")).json()) as Record<string, unknown> // compared by the caller

const { aChat, linesOf } = await aSharedHost({ timing: { deadMs: 2000 } })

test("a connection without any answer is ended and told, though other stanzas come in; the next one sends", async () => {
  const { network, bridge, bob, phone } = await aChat()
  const device = `${phone.number}:1`
  const alive = await network.fault({ kind: "dead", device })
  const refused = await network.fault({ kind: "refuse_upgrade", code: 503 })
  const sent = sendText(bridge.id, bob.number, "into the void")
  const typing = { tag: "chatstate", attrs: { from: bob.lid }, content: [{ tag: "composing" }] }
  await until(async () => {
    await network.control.stanza(device, typing)
    const lines = await linesOf(bridge.id)
    return lines.some((line) =>
      line.includes("lost, unanswered, the network has answered nothing for minutes"),
    )
  })
  const [gone] = await eventsOfType(bridge.id, "disconnected")
  expect(gone).toEqual({ event: "disconnected", detail: expect.stringContaining("answered nothing on it") })
  await until(async () => (await statusIn(bridge.id)).objection === "unanswered")
  await refused()
  await alive()
  await sent
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await eventsOfType(bridge.id, "connected", 2)).toHaveLength(2)
  expect(await statusIn(bridge.id)).not.toHaveProperty("objection")
  expect(await sendText(bridge.id, bob.number, "heard again")).toMatchObject({ status: 200 })
  expect(await bob.read({ text: "heard again" })).toMatchObject([{ times: 1 }])
})

test("a login says how often the device has logged in: ever, and in this process", async () => {
  const { network, phone, bridge, end } = await aChat()
  const who = `${phone.number}:1`
  const logins = async () =>
    (await network.control.log({ who, kind: "note" })).flatMap(({ event, detail }) =>
      event === "login" ? [detail] : [],
    )
  for (const count of [1, 2, 3]) {
    await until(async () => (await logins()).length === count && (await statusOf(bridge.id)) === "connected")
    await end("cut")
    await until(async () => (await statusOf(bridge.id)) !== "connected" || (await logins()).length > count)
  }
  const counts = [0, 1, 2].map((count) => ({ lc: count, connectAttemptCount: count }))
  expect((await logins()).slice(0, 3)).toEqual(counts)
})

test("a frame that cannot be read ends no login, though it comes again with each", async () => {
  const { network, phone, bob, message, end } = await aChat()
  const device = `${phone.number}:1`
  // `@` is an address that no frame can hold.
  const attrs = { id: "U1", from: "@", type: "text", t: "1" }
  await network.control.stanza(device, { tag: "message", attrs })
  await end("cut")
  const { id } = await bob.send(phone.number, "behind it")
  expect(await message(id)).toMatchObject({ body: "behind it" })
})
