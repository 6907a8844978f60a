import { expect, onTestFinished, test, vi } from "vitest"
import { now } from "#core/platform/clock.ts"
import { aChat } from "#test/support/session/chat.ts"
import { aHost, held } from "#test/support/session/host.ts"
import { aMemory } from "#test/support/session/memory.ts"
import { until } from "#test/support/until.ts"

test("messages of a chat say that a person answers, until it is taken back, at each holder of the bridge", async () => {
  const { bob, phone, bridge, host, network, ask, message } = await aChat()
  const cy = await network.phone("Cy")
  const heard = async (from: typeof bob, text: string) =>
    (await message((await from.send(phone.number, text)).id)).handover
  expect(await heard(bob, "one")).toBeUndefined()
  const { until: end } = (await ask("PUT", `/chats/${bob.number}/handover`, {})) as unknown as {
    until: number
  }
  expect(end - Date.now() / 1000).toBeGreaterThan(3.9 * 3600)
  expect(await heard(bob, "two")).toBe(true)
  expect(await heard(cy, "three")).toBeUndefined()

  await host.stop()
  await held(bridge.id, await aHost(network))
  expect(await heard(bob, "four")).toBe(true)
  const listed = await ask("GET", "/handovers")
  expect(Object.values(listed)).toContainEqual({ chat_id: bob.jid, until: end })
  expect(await ask("GET", `/handovers?chat=${cy.number}`)).not.toHaveProperty("0")

  expect(await ask("PUT", `/chats/${bob.number}/handover`, { seconds: 0 })).toMatchObject({ until: 0 })
  expect(await heard(bob, "five")).toBeUndefined()
  await ask("PUT", `/chats/${bob.number}/handover`, { seconds: 1 })
  // It ends by itself.
  await until(async () => !("0" in (await ask("GET", "/handovers"))))
  expect(await heard(bob, "six")).toBeUndefined()
})

test("no chat stays a person's because the clock was set back", async () => {
  const { memory } = await aMemory()
  onTestFinished(() => void vi.useRealTimers())
  const ahead = new Date(Date.now() + 3 * 365 * 86_400_000)
  vi.useFakeTimers({ toFake: ["Date"], now: ahead })
  await memory.handovers.set("49171@s.whatsapp.net", now() + 3600)
  expect(await memory.handovers.until("49171@s.whatsapp.net")).toBe(now() + 3600)
  vi.useRealTimers()
  expect(await memory.handovers.until("49171@s.whatsapp.net")).toBe(0)
  expect(await memory.handovers.list()).toEqual(new Map())
})
