import { expect, onTestFinished, test } from "vitest"
import { sessionHostPids } from "#local/service/session-host-pids.ts"
import { startService } from "#test/support/service/service.ts"
import { until } from "#test/support/until.ts"

test("a host that ends is replaced long before the next beat", async () => {
  const service = await startService({ LEASE_BEAT_MS: "120000" })
  onTestFinished(async () => {
    await service.stop()
    service.remove()
  })
  let hosts: number[] = []
  const running = async () => {
    hosts = await sessionHostPids(service)
    return hosts.length > 0
  }
  await until(running)
  const first = hosts
  for (const pid of first) process.kill(pid, "SIGKILL")
  await until(async () => (await running()) && !first.includes(hosts[0]!))
  expect(hosts).toHaveLength(1)
})
