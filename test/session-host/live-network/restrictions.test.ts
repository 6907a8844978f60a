import { expect, test } from "vitest"
import "#test/support/store.ts"
import { Lease } from "#core/lease/lease.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { sendText, statusOf } from "#test/support/session/host.ts"
import { aSharedHost } from "#test/support/session/shared-host.ts"
import { until } from "#test/support/until.ts"

// Behaviour of the live network that the simulated one shows by default, as a fault or as a notice.

const { aChat, hostLog, linesOf } = await aSharedHost()

type Chat = Awaited<ReturnType<typeof aChat>>

/** A login asks two questions: whether the account may begin chats, and how many more. */
const loginQuestions = 2
const questionsOf = async ({ network, phone }: Pick<Chat, "network" | "phone">) => {
  const questions = { who: `${phone.number}:1`, kind: "in", attrs: { xmlns: "w:mex" } } as const
  return (await network.control.log(questions)).length
}
/** Once it was asked, answers come before notices. */
const untilLoginAsked = (chat: Chat) => until(async () => (await questionsOf(chat)) === loginQuestions)

test("a restriction is in status and lease until its end or lifting, over restarts, and told once before", async () => {
  const chat = await aChat()
  const { bob, phone, bridge, network, ask, host } = chat
  const device = `${phone.number}:1`
  const restriction = async () => {
    const { restriction: kind, restricted_until: until } = (await ask("GET", "/status")) as Record<
      string,
      unknown
    >
    return [kind, typeof until === "number" && until > Date.now() / 1000]
  }
  expect(await restriction()).toEqual([undefined, false])
  await untilLoginAsked(chat)
  // What the network answers to the login's questions must not contradict its notice: the answer may come
  // later.
  await network.control.change(phone.number, { capped: true })
  await network.control.notice(device, { kind: "capped", about: bob.number })
  await until(async () => (await restriction())[0] === "new_chats_quota")
  await network.control.change(phone.number, { capped: false })
  for (let i = 0; i < 2; i++) await network.control.notice(device, { kind: "cap_nears", about: bob.number })
  await until(async () => (await restriction())[0] === undefined)
  await network.control.change(phone.number, { capped: true })
  await network.control.notice(device, { kind: "capped", about: bob.number })
  await network.control.change(phone.number, { restricted: true })
  await network.control.notice(device, { kind: "restricted", about: bob.number })
  await until(async () => (await restriction())[0] === "new_chats")
  expect(await restriction()).toEqual(["new_chats", true])
  const written = async () => (await Lease.get(bridge.id))?.reported?.restriction?.kind
  await until(async () => (await written()) === "new_chats")

  await host.sessions.get(bridge.id)!.stop()
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await restriction()).toEqual(["new_chats", true])
  await network.control.change(phone.number, { restricted: false })
  await network.control.notice(device, { kind: "unrestricted", about: bob.number })
  await until(async () => (await restriction())[0] === "new_chats_quota")
  await network.control.change(phone.number, { capped: false })
  await network.control.notice(device, { kind: "uncapped", about: bob.number })
  await until(async () => (await restriction())[0] === undefined)
  await until(async () => (await written()) === undefined)
  const warnings = (await linesOf(bridge.id)).filter((line) => /will soon have started/.test(line))
  expect(warnings).toHaveLength(1)
})

test("a restriction begun while offline, and a quota, are asked for at the login, and after a refusal", async () => {
  const chat = await aChat()
  const { bob, phone, bridge, network, ask, host: own } = chat
  const restriction = async () => ((await ask("GET", "/status")) as { restriction?: string }).restriction
  await untilLoginAsked(chat)
  await network.control.change(phone.number, { restricted: true })
  const eve = await network.phone("Eve")
  expect(await restriction()).toBeUndefined()
  const before = await questionsOf(chat)
  for (const body of ["one", "two", "three"])
    expect(await sendText(bridge.id, eve.number, body)).toMatchObject({ network_code: 463 })
  await until(async () => (await restriction()) === "new_chats")
  expect(await questionsOf(chat)).toBe(before + loginQuestions)

  await network.control.change(phone.number, { restricted: false, capped: true })
  await own.sessions.get(bridge.id)!.stop()
  await until(async () => (await statusOf(bridge.id)) === "connected")
  await until(async () => (await restriction()) === "new_chats_quota")
  expect(await linesOf(bridge.id)).toContainEqual(expect.stringMatching(/no longer says/))
  expect(await sendText(bridge.id, bob.number, "after it")).toMatchObject({ status: 200 })
})

const unanswered = { kind: "ignore_iq", xmlns: "w:mex" } as const
const isNotKnown = /whether this account may begin chats, or how many more, is not known/

/** Each row: how the network fails, its later answer, and the host's log after that. */
test.for<[string, { kind: "refuse_iq" | "ignore_iq"; xmlns: string; code?: number }, string?, RegExp?]>([
  ["refused", { kind: "refuse_iq", xmlns: "w:mex", code: 503 }, undefined, isNotKnown],
  ["answered with what is no JSON", unanswered, "<html>", /"UnknownStanzas":\[[12]\]/],
  ["refused in the answer", unanswered, '{"errors":[{"extensions":{"error_code":400}}]}', isNotKnown],
  ["never answered", unanswered],
])("a login's questions about new chats that are %s end nothing, and the session goes on", async (row) => {
  const [, fault, answer, said] = row
  const { bob, phone, bridge, network, message, ask, end } = await aChat()
  const device = `${phone.number}:1`
  const before = hostLog.length
  const questions = { who: device, kind: "in", attrs: { xmlns: "w:mex" } } as const
  await until(async () => (await network.control.log(questions)).length === 2)
  await network.fault({ device, ...fault })
  await end("cut")
  const ids = await until(async () => {
    const again = (await network.control.log(questions)).slice(2)
    return again.length === 2 && again.map(({ stanza }) => stanza!.attrs.id!)
  })
  const content = [{ tag: "result", attrs: {}, content: { base64: btoa(answer ?? "") } }]
  for (const id of answer === undefined ? [] : ids)
    await network.control.stanza(device, { tag: "iq", attrs: { id, type: "result" }, content })
  await message((await bob.send(phone.number, "no later than otherwise")).id)
  expect(await sendText(bridge.id, bob.number, "nor this")).toMatchObject({ status: 200 })
  expect(await statusOf(bridge.id)).toBe("connected")
  expect(await ask("GET", "/status")).not.toHaveProperty("restriction")
  const saidYet = () => {
    Metrics.flush()
    return hostLog.slice(before).some((line) => said?.test(line))
  }
  if (said) await until(saidYet)
})
