import { afterAll, expect, test } from "vitest"
import { groups, sends } from "../cluster/crash-points.ts"
import { startUnderBlows } from "./service-under-blows.ts"

const service = await startUnderBlows()
afterAll(() => service.stop())

test.for(sends.map((phase) => [`${phase.role} ${phase.name}`, phase] as const))(
  "a text is shown once, under the id that was answered, whatever happens to: %s",
  { timeout: 120_000 },
  async ([, phase]) => {
    await service.strike(phase)
    const [sent] = await Promise.all([service.send(), service.fallen(phase)])
    expect(sent.status).toBe(200)
    expect(await service.shown(sent.text)).toEqual([sent.messageId])
    expect(await service.unreadable()).toBe(0)
    // The bridge lives on, and has proved itself to its host.
    await service.received(await service.write())
  },
)

test.for(groups.map((phase) => [phase.name, phase] as const))(
  "a group is created once, and answered, whatever happens to the host: %s",
  { timeout: 120_000 },
  async ([name, phase]) => {
    await service.strike(phase)
    const [created] = await Promise.all([service.createGroup(name), service.fallen(phase)])
    const [jid, ...others] = await service.groupsNamed(name)
    expect(others).toEqual([])
    expect(created).toMatchObject({ status: 200, body: { group: { jid }, members: [{ outcome: "added" }] } })
    await service.received(await service.write())
  },
)
