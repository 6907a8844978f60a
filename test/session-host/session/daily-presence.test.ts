import { expect, test } from "vitest"
import "#test/support/store.ts"
import { Lease } from "#core/lease/lease.ts"
import { isDue } from "#session-host/session/daily-presence.ts"
import type { Network } from "#test/support/network/network.ts"
import { aChat } from "#test/support/session/chat.ts"
import { call } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

const dayMs = 86_400_000

test("a bridge's time comes once a day, at its own hour", () => {
  for (const bridgeId of ["one", "two", "three"]) {
    let shownMs = 0
    const hours = new Set<number>()
    for (let atMs = 10 * dayMs; atMs < 20 * dayMs; atMs += 600_000)
      if (isDue(bridgeId, shownMs, dayMs, atMs)) {
        shownMs = atMs
        hours.add(atMs % dayMs)
      }
    // The first look finds that it was never shown.
    expect(hours.size).toBeLessThanOrEqual(2)
    expect(isDue(bridgeId, shownMs, dayMs, shownMs + dayMs)).toBe(true)
  }
})

test("a time in the future, written before the clock was set back, keeps no bridge from being shown", () => {
  expect(isDue("one", 400 * dayMs, dayMs, 10 * dayMs)).toBe(true)
})

/** A session whose days are a second and a half long. */
async function inFastDays(network?: Network, dailyPresenceMs = 200) {
  const chat = await aChat({
    timing: { dailyPresenceEachMs: 1500, dailyPresenceMs },
    ...(network && { network }),
  })
  const device = `${chat.phone.number}:1`
  return {
    ...chat,
    device,
    /** The presences that the session has shown, in order. */
    shown: async () => {
      const log = await chat.network.control.log({ who: device, kind: "in", tag: "presence" })
      return log.flatMap(({ stanza }) => stanza?.attrs.type ?? [])
    },
  }
}

test("a session is shown available for a while each day, so that its phone warns of no inactive device", async () => {
  const { network, phone, device, shown } = await inFastDays()
  const inactive = async () =>
    (await network.control.phone(phone.number)).devices.find(({ id }) => id === 1)?.inactive
  await network.call("POST", `/devices/${device}/absence`, { days: 15 })
  await until(async () => (await shown()).length >= 5)
  // A new connection begins with one.
  expect((await shown()).slice(1, 5)).toEqual(["available", "unavailable", "available", "unavailable"])
  expect(await inactive()).toBe(false)
})

test("a session is not shown if its customer wants that, and one that is shown as available stays so", async () => {
  const other = await inFastDays()
  const [quiet, available] = [await inFastDays(other.network), await inFastDays(other.network)]
  await Lease.choose(quiet.bridge.id, { dailyPresence: false })
  await call(quiet.bridge.id, "POST", "/look-at-lease")
  await available.ask("POST", "/presence", { state: "available" })
  const before = {
    quiet: await quiet.shown(),
    available: await available.shown(),
    other: await other.shown(),
  }
  await until(async () => (await other.shown()).length >= before.other.length + 4)
  const lasts = (await quiet.shown()).slice(before.quiet.length)
  // One may have been under way.
  expect(lasts.filter((state) => state !== "unavailable")).toEqual([])
  expect(await available.shown()).toEqual(before.available)
  expect(before.available.at(-1)).toBe("available")
})

test("a session that is shown for the day is hidden when its customer wants it no more", async () => {
  const { bridge, shown } = await inFastDays(undefined, 60_000)
  await until(async () => (await shown()).at(-1) === "available")
  await Lease.choose(bridge.id, { dailyPresence: false })
  await call(bridge.id, "POST", "/look-at-lease")
  expect(await until(async () => (await shown()).at(-1) === "unavailable")).toBe(true)
})
