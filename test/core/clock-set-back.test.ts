import "#test/support/store.ts"
import { randomUUID } from "node:crypto"
import { afterEach, expect, test, vi } from "vitest"
import { Browser } from "#core/account/browser.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import { Claim } from "#core/event/claim.ts"
import { Delivery } from "#core/event/delivery.ts"
import { promiseAndRing } from "#core/event/doorbell.ts"
import { EventRow } from "#core/event/event-row.ts"
import { skipEvent } from "#core/event/retry-and-skip.ts"
import { HostShortage } from "#core/lease/host-shortage.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { Place } from "#core/limits/place.ts"
import { RateLimit } from "#core/limits/rate-limit.ts"
import { Idempotency } from "#core/message/idempotency.ts"
import { now } from "#core/platform/clock.ts"
import { transact } from "#core/store/store.ts"
import { isDead } from "#functions/sweep/is-host-dead.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { allOverdue, anEvent, anOutbox, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"

afterEach(async () => {
  vi.useRealTimers()
  await forgetDoorbells()
})

/** Begins a wait. @returns whether it is still going on */
type Wait = () => Promise<() => Promise<boolean> | boolean>

const host = { id: "host-a", addr: "127.0.0.1:1" }

async function aHeldLease() {
  const { id } = await aBridge()
  return (await Lease.acquire((await Lease.get(id))!, host))!
}

const waits: Record<string, Wait> = {
  "the limit of requests": async () => {
    const who = randomUUID()
    const isRefused = async () => (await RateLimit.count("mailsBetween", who)).isExceeded
    for (let i = 0; i < 3; i++) expect(await isRefused()).toBe(false)
    return isRefused
  },
  "the claim on an Idempotency-Key": async () => {
    const request = { accountId: randomUUID(), bridgeId: randomUUID(), key: "order-1", fingerprint: "f" }
    await Idempotency.claim(request)
    return async () => (await Idempotency.claim(request)).kind === "conflict"
  },
  "the claim on a delivery": async () => {
    const { id } = await aBridge()
    await Claim.acquire(Delivery.first(id), "one")
    return async () => (await Claim.acquire(Delivery.first(id), "another")) === undefined
  },
  "the wait before a skip, for the attempt that is under way": async () => {
    const bridge = await aBridge()
    const { id } = bridge
    await (await anOutbox(bridge)).append(anEvent())
    const event = EventRow.asOf((await EventRow.get(id, 1))!, 0)
    await Claim.acquire(Delivery.first(id), "one")
    return async () =>
      await skipEvent(Delivery.first(id), event, { withinMs: 0 }).then(
        () => false,
        () => true,
      )
  },
  "the wait of a failed event": async () => {
    const { id } = await aBridge()
    const held = await Claim.acquire(Delivery.first(id), "one")
    if (!held || "early" in held) throw new Error("not claimed")
    await Claim.fail(held, 180)
    return async () => "early" in (await Claim.acquire(Delivery.first(id), "another"))!
  },
  "the promise of a delivery": async () => {
    const { id } = await aBridge()
    await Delivery.promise(Delivery.first(id), 0)
    return async () => !(await promiseAndRing(id))
  },
  "the time in which a promise may be kept, for the sweep": async () => {
    const { id } = await aBridge()
    await Delivery.promise(Delivery.first(id), 0)
    return async () => !(await allOverdue()).some(({ bridgeId }) => bridgeId === id)
  },
  "the rest of a suspect": async () => {
    let held = await aHeldLease()
    for (let i = 0; i < 3; i++) {
      await Lease.release(held, { failed: true, proven: false })
      held = (await Lease.acquire((await Lease.get(held.bridgeId))!, host))!
    }
    return () => Lease.triedAgainAt(held) > now()
  },
  "the wait for the next login": async () => {
    const held = await aHeldLease()
    await Lease.countLogin(held, 5)
    const lease = (await Lease.get(held.bridgeId))!
    return () => Lease.loginAgainAt(lease) > now()
  },
  "the wait for the next start of a host": async () => {
    await HostShortage.note("live", "capacity", "none left")
    const shortage = (await HostShortage.get("live"))!
    return () => HostShortage.mustWait(shortage)
  },
  "the time of a starting host": async () => {
    const id = Host.newId()
    await Host.announce({ id, network: "live", capacity: 1 })
    const starting = (await Host.get(id))!
    const about = { observed: new Map(), report: undefined, atMs: 0 }
    return () => !isDead(starting, { ...about, now: now() })
  },
  "the claim on the removal of a bridge": async () => {
    const { id } = await aBridge()
    await transact([Lease.ending(id)])
    await Lease.claimRemoval(id, "one")
    return async () => (await Lease.claimRemoval(id, "another")) === undefined
  },
  "the place of a stream": async () => {
    const of = randomUUID()
    await Place.take(of, 1)
    return async () => (await Place.take(of, 1)) === undefined
  },
  "a mailed code": async () => {
    const { asking } = await SignIn.begin("a@example.com")
    return async () => (await SignIn.useCode(asking, "wrong")) === "wrong"
  },
  "a mailed link": async () => {
    const { link } = await SignIn.begin("b@example.com")
    return async () => (await SignIn.readLink(link)) !== undefined
  },
  "a link session": async () => {
    const { token } = await LinkSession.create(await aBridge(), {})
    return async () => (await LinkSession.ofToken(token)) !== undefined
  },
  "the freshness of a sign-in": async () => {
    const who = { personId: randomUUID(), accountId: randomUUID(), agent: "" }
    const browser = (await Browser.ofToken(await Browser.admit(who)))!
    return () => Browser.isFresh(browser)
  },
}

test.for(Object.entries(waits))(
  "%s ends when the clock is set back by two hours, not by a second",
  async ([, begin]) => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const isGoingOn = await begin()
    expect(await isGoingOn()).toBe(true)
    vi.setSystemTime(Date.now() - 1000)
    expect(await isGoingOn()).toBe(true)
    vi.setSystemTime(Date.now() - 2 * 3_600_000)
    expect(await isGoingOn()).toBe(false)
  },
)
