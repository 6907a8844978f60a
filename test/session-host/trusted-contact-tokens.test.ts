import "#test/support/store.ts"
import { expect, test } from "vitest"
import { trustMediaOf } from "#test/support/file-server.ts"
import { aChat } from "#test/support/session/chat.ts"
import { until } from "#test/support/until.ts"
import { aNetwork } from "../support/network/network.ts"
import { call, eventsOfType, sendText } from "../support/session/host.ts"
import { aPairedSession } from "../support/session/paired.ts"

test("a contact gets a trusted-contact token with the first message, not with each, also after a reconnect", async () => {
  const network = await aNetwork()
  const session = await aPairedSession(network, { timing: { beatMs: 4000 } })
  const bob = await network.phone("Bob")
  const device = `${session.phone.number}:1`
  const given = async () =>
    (
      await network.control.log({
        who: device,
        kind: "in",
        tag: "iq",
        attrs: { xmlns: "privacy", type: "set" },
      })
    ).length
  await sendText(session.bridge.id, bob.number, "one")
  await until(async () => (await given()) === 1)
  await network.control.settled(device, 10_000)
  await sendText(session.bridge.id, bob.number, "two")
  await session.end("cut")
  await until(session.isConnected)
  expect(await sendText(session.bridge.id, bob.number, "three")).toMatchObject({ status: 200 })
  await sendText(session.bridge.id, bob.lid, "four")
  await network.control.settled(device, 10_000)
  expect(await given()).toBe(1)
})

test("what a person shows to contacts is shown to a session with their token: About, picture, last seen", async () => {
  const { ask, bob, bridge, phone, network } = await aChat({ timing: { beatMs: 4000 } })
  const device = `${phone.number}:1`
  await network.control.change(bob.number, {
    about: "for friends",
    picture: "/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==",
    privacy: { status: "contacts", profile: "contacts", last: "contacts" },
  })
  trustMediaOf(network)
  await ask("POST", "/presence", { state: "available" })
  const shown = async () => ({
    ...(await ask("GET", `/contacts/${bob.number}`)),
    picture: (await call(bridge.id, "GET", `/contacts/${bob.number}/avatar`)).status,
  })
  /** Bob comes and goes; how often it is said since when he is gone. */
  const gone = async () => {
    await ask("POST", "/presence/subscribe", { chat: bob.number })
    await network.control.change(bob.number, { available: true })
    await network.control.change(bob.number, { available: false })
    await until(async () => (await eventsOfType(bridge.id, "presence")).at(-1)?.unavailable)
    return (await eventsOfType(bridge.id, "presence")).filter(({ last_seen }) => last_seen !== undefined)
  }
  expect(await shown()).toMatchObject({ about: "", picture: 404 })
  expect(await gone()).toEqual([])

  await network.control.change(bob.number, { trusts: [phone.number] })
  expect(await network.control.settled(device, 10_000)).toBe(true)
  expect(await shown()).toMatchObject({ about: "for friends", picture: 200 })
  await until(async () => (await gone()).length > 0)

  const { call_id } = (await network.call("POST", `/phones/${bob.number}/calls`, { to: phone.number })) as {
    call_id: string
  }
  await eventsOfType(bridge.id, "call_incoming", 1)
  await ask("POST", `/calls/${call_id}/reject`, { contact_id: bob.jid })
  const [declined] = await network.log({ who: device, kind: "in", tag: "call" })
  // With a token the call would ring on.
  expect(JSON.stringify(declined?.stanza)).not.toContain("tctoken")
})
