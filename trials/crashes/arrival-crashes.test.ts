import { afterAll, expect, test } from "vitest"
import { arrivals, type CrashPoint } from "../cluster/crash-points.ts"
import { startUnderBlows } from "./service-under-blows.ts"

const service = await startUnderBlows()
afterAll(() => service.stop())

test.for(arrivals.map((phase) => [phase.name, phase] as const))(
  "three messages become three events, in order, whatever happens to their host: %s",
  { timeout: 120_000 },
  async ([, phase]) => {
    await service.strike(phase)
    const texts = await service.writeUntilFallen(phase)
    expect(await service.received(texts)).toEqual(texts.map((text) => ({ text, eventIds: 1 })))
  },
)

// A call's stanza is acknowledged outside our reach: it may be lost with its host, and is then not handed over again.
test("a call whose host is killed before its event is durable comes at most once, and holds up nothing", async () => {
  const before = service.events("call_incoming")
  const call: CrashPoint = {
    name: "call",
    step: "before event commit",
    blow: "SIGKILL",
    role: "session-host",
  }
  await service.strike(call)
  await Promise.all([service.call(), service.fallen(call)])
  const texts = await service.write()
  expect(await service.received(texts)).toEqual(texts.map((text) => ({ text, eventIds: 1 })))
  expect(service.events("call_incoming") - before).toBeLessThanOrEqual(1)
})
