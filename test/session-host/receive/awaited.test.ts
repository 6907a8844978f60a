import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import "#test/support/store.ts"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { config } from "#core/platform/config.ts"
import { aChat } from "#test/support/session/chat.ts"
import { aHost, held, statusOf } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

const folder = mkdtempSync(join(tmpdir(), "bridge-logs-"))
config.LOG_DIR = folder
afterAll(() => rmSync(folder, { recursive: true }))

test("a message of which the network has a placeholder alone is asked of the phone again, also by the next host", async () => {
  const { bob, phone, bridge, network, host, message } = await aChat()
  const device = `${phone.number}:1`
  const speaks = await network.fault({ kind: "silent_phone", device })
  await network.fault({ kind: "unavailable", device, times: 1 })
  const { id } = await bob.send(phone.number, "once more")
  await network.log({ who: device, kind: "in", tag: "ack", attrs: { id } })
  const next = await aHost(network, { timing: { awaitedMs: 200 } })
  await host.stop()
  await held(bridge.id, next)
  await speaks()
  expect(await message(id)).toMatchObject({ body: "once more", contact_id: bob.jid })
})

test("a message that the phone never gives is asked for some more times and then given up, and its customer reads so", async () => {
  const { bob, phone, bridge, network } = await aChat({ timing: { awaitedMs: 20 } })
  const device = `${phone.number}:1`
  await network.fault({ kind: "silent_phone", device })
  await network.fault({ kind: "unavailable", device, times: 1 })
  const before = { who: device, kind: "in", tag: "message", attrs: { category: "peer" } } as const
  const asked = (await network.control.log(before)).length
  await bob.send(phone.number, "never")
  await until(async () => {
    for await (const lines of BridgeLog.follow(bridge.id, 50))
      return lines.some((line) => line.includes("has not given it in two days"))
    return false
  })
  expect((await network.control.log(before)).length - asked).toBe(5)
  expect(await statusOf(bridge.id)).toBe("connected")
})
