import "#test/support/store.ts"
import { expect, test } from "vitest"
import { sendText } from "../support/session/host.ts"
import { aNetwork } from "../support/network/network.ts"
import { aPairedSession } from "../support/session/paired.ts"
import { until } from "#test/support/until.ts"

test("a contact is given a trusted-contact token with the first message, not with each, also after a reconnect", async () => {
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
