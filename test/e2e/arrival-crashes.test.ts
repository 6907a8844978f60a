import { afterAll, expect, test } from "vitest"
import { arrivals } from "#test/chaos/phases.ts"
import { startService } from "./service-under-blows.ts"

const service = await startService()
afterAll(() => service.stop())

test.for(arrivals.map((phase) => [phase.name, phase] as const))(
  "three messages become three events, in order, whatever happens to their host: %s",
  { timeout: 60_000 },
  async ([, phase]) => {
    await service.strike(phase)
    const [texts] = await Promise.all([service.write(), service.fallen(phase)])
    expect(await service.received(texts)).toEqual(texts.map((text) => ({ text, eventIds: 1 })))
  },
)
