import { afterAll, expect, test } from "vitest"
import { statuses } from "../cluster/crash-points.ts"
import { startUnderBlows } from "./service-under-blows.ts"

const service = await startUnderBlows({ isFollowed: true })
afterAll(() => service.stop())

test.for(statuses.map((phase) => [phase.name, phase] as const))(
  "a message is told as sent, delivered and read, each once, whatever happens to the host: %s",
  { timeout: 120_000 },
  async ([, phase]) => {
    const { messageId = "" } = await service.send()
    await service.becameOf(messageId, "delivered")
    await service.strike(phase)
    await Promise.all([service.read(messageId), service.fallen(phase)])
    expect(await service.becameOf(messageId, "read")).toEqual(["sent", "delivered", "read"])
    await service.received(await service.write())
    expect(await service.becameOf(messageId, "read")).toEqual(["sent", "delivered", "read"])
  },
)
