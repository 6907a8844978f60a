import { afterAll, expect, test } from "vitest"
import {
  arrivals,
  type CrashPoint,
  deliveries,
  groups,
  sends,
  statuses,
  told,
} from "../cluster/crash-points.ts"
import { startUnderBlows } from "./service-under-blows.ts"

const service = await startUnderBlows()
afterAll(() => service.stop())

const timeout = 120_000

test.for(sends.map((phase) => [`${phase.role} ${phase.name}`, phase] as const))(
  "a text is shown once, under the id that was answered, whatever happens to: %s",
  { timeout },
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
  { timeout },
  async ([name, phase]) => {
    await service.strike(phase)
    const [created] = await Promise.all([service.createGroup(name), service.fallen(phase)])
    const [jid, ...others] = await service.groupsNamed(name)
    expect(others).toEqual([])
    expect(created).toMatchObject({ status: 200, body: { group: { jid }, members: [{ outcome: "added" }] } })
    await service.received(await service.write())
  },
)

test.for(arrivals.map((phase) => [phase.name, phase] as const))(
  "three messages become three events, in order, whatever happens to their host: %s",
  { timeout },
  async ([, phase]) => {
    await service.strike(phase)
    const texts = await service.writeUntilFallen(phase)
    expect(await service.received(texts)).toEqual(texts.map((text) => ({ text, eventIds: 1 })))
  },
)

// A call's stanza is acknowledged outside our reach: it may be lost with its host, and is then not handed
// over again.
test(
  "a call whose host is killed before its event is durable comes at most once, and holds up nothing",
  { timeout },
  async () => {
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
  },
)

test.for(deliveries.map((phase) => [phase.name, phase] as const))(
  "three messages are delivered once each, in order, whatever happens to the deliverer: %s",
  { timeout },
  async ([, phase]) => {
    await service.strike(phase)
    const texts = await service.writeUntilFallen(phase)
    expect(await service.received(texts)).toEqual(texts.map((text) => ({ text, eventIds: 1 })))
  },
)

test(
  `messages are delivered once each, in order, whatever happens to a delivery that stays: ${told.name}`,
  { timeout },
  async () => {
    const goOn = service.stopLeaving()
    await service.strike(told)
    const texts = await service.writeUntilFallen(told)
    goOn()
    expect(await service.received(texts)).toEqual(texts.map((text) => ({ text, eventIds: 1 })))
  },
)

test.for(statuses.map((phase) => [phase.name, phase] as const))(
  "a message is told as sent, delivered and read, each once, whatever happens to the host: %s",
  { timeout },
  async ([, phase]) => {
    await service.followStatuses()
    const { messageId = "" } = await service.send()
    await service.becameOf(messageId, "delivered")
    await service.strike(phase)
    await Promise.all([service.read(messageId), service.fallen(phase)])
    expect(await service.becameOf(messageId, "read")).toEqual(["sent", "delivered", "read"])
    await service.received(await service.write())
    expect(await service.becameOf(messageId, "read")).toEqual(["sent", "delivered", "read"])
  },
)
