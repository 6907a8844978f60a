import { expect, test } from "vitest"
import { countRequests } from "#test/support/count-requests.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { transactions } from "#test/support/recorded-writes.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aHost, eventsOfType, held } from "#test/support/session/host.ts"
import { scanCode } from "#test/support/session/paired.ts"
import { until } from "#test/support/until.ts"

const chats = 2000

test("a phone's thousands of chats are read a hundred at a time, and a message waits for few of them", async () => {
  const network = await aNetwork()
  const host = await aHost(network, { timing: { beatMs: 4000 } })
  const bridge = await aBridge()
  await held(bridge.id, host)
  const [phone, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  const { numbers } = await network.control.crowd({ count: chats })
  await network.control.chats(phone.number, { people: numbers, messages: 1 })
  const written = transactions()
  const reads = ["GetItem", "BatchGetItem"].map(countRequests)
  const pairsWritten = () => written.map(({ rows }) => rows.filter((sk) => sk.includes("lid-mapping")).length)
  const all = () => pairsWritten().reduce((sum, some) => sum + some, 0)

  await scanCode(phone, bridge.id)
  await until(async () => all() >= 200)
  await bob.send(phone.number, "meanwhile")
  await eventsOfType(bridge.id, "message", 1)
  expect(all()).toBeLessThan(chats)
  // Both directions of each pair.
  await until(async () => all() >= 2 * chats)
  expect(Math.max(...pairsWritten())).toBeLessThan(100)
  // Each chat by itself would be thousands.
  expect(reads.reduce((sum, count) => sum + count(), 0)).toBeLessThan(300)
})
