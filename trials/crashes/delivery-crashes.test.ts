import { afterAll, expect, test } from "vitest"
import { deliveries, told } from "../cluster/crash-points.ts"
import { startUnderBlows } from "./service-under-blows.ts"

// A paused deliverer resumes after its claim has ended.
const service = await startUnderBlows({ claimSeconds: 3 })
afterAll(() => service.stop())

test.for(deliveries.map((phase) => [phase.name, phase] as const))(
  "three messages are delivered once each, in order, whatever happens to the deliverer: %s",
  { timeout: 120_000 },
  async ([, phase]) => {
    await service.strike(phase)
    const texts = await service.writeUntilFallen(phase)
    expect(await service.received(texts)).toEqual(texts.map((text) => ({ text, eventIds: 1 })))
  },
)

test(`messages are delivered once each, in order, whatever happens to who stays for more of them: ${told.name}`, async () => {
  const goOn = service.stopLeaving()
  await service.strike(told)
  const texts = await service.writeUntilFallen(told)
  goOn()
  expect(await service.received(texts)).toEqual(texts.map((text) => ({ text, eventIds: 1 })))
}, 120_000)
