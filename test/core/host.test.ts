import "#test/support/store.ts"
import { randomUUID } from "node:crypto"
import { expect, test } from "vitest"
import { Host } from "#core/lease/host.ts"

const about = { addr: "127.0.0.1:1", capacity: 2, sessions: 0, network: "simulated" } as const

test("hosts share no partition all together, and all are listed, found, drained, declared dead and removed", async () => {
  const ids = Array.from({ length: 60 }, () => Host.newId())
  expect(new Set(ids.map((id) => Host.key(id).pk)).size).toBeGreaterThan(2)
  for (const id of ids.slice(0, 20)) {
    await Host.announce({ id, network: "simulated", capacity: 2 })
    await Host.setTask(id, `task of ${id}`)
    expect(await Host.beat({ id, ...about })).toBe("up")
    await Host.drain(id)
    expect(await Host.beat({ id, ...about })).toBe("draining")
    expect(await Host.markDead(id, 1)).toBe(false)
    expect(await Host.markDead(id, 2)).toBe(true)
    expect(await Host.get(id)).toMatchObject({ id, state: "dead", task: `task of ${id}` })
  }
  expect((await Host.list()).map(({ id }) => id).toSorted()).toEqual(ids.slice(0, 20).toSorted())
  for (const id of ids) await Host.remove(id)
  expect(await Host.list()).toEqual([])
})

test.for(["a plain UUID", "no id of ours", "no partition of ours"])(
  "a host of %s is in the first",
  (which) => {
    const ids = {
      "a plain UUID": randomUUID(),
      "no id of ours": "host-1",
      "no partition of ours": `${randomUUID()}-9`,
    }
    expect(Host.key(ids[which as keyof typeof ids]).pk).toBe("HOSTS")
  },
)
