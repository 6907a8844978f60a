import "#test/support/store.ts"
import { randomInt } from "node:crypto"
import { expect, test, vi } from "vitest"
import { Account } from "#core/account/account.ts"
import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { promiseAndRing } from "#core/event/doorbell.ts"
import { Lease } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { anEvent, anOutbox } from "#test/support/session/events-and-doorbells.ts"
import { aPerson } from "./person.ts"

test("the operator finds a number, sees what waits, and pauses or wakes it, but never past a bill", async () => {
  const customer = await aPerson()
  const bridgeId = customer.bridge.id
  await (await anOutbox(customer.bridge)).write(anEvent("waits"))
  await promiseAndRing(bridgeId)
  for (const path of ["/operator", `/operator/find?id=${bridgeId}`])
    expect([path, (await customer.get(path)).status]).toEqual([path, 403])
  expect((await customer.post("/operator/pause", { id: bridgeId })).status).toBe(403)

  const person = await aPerson()
  await Account.makeOperator(person.accountId)
  const state = async () => {
    const lease = await Lease.get(bridgeId)
    return lease?.host === Lease.STOPPED ? Lease.whyStopped(lease) : "running"
  }
  const act = async (name: string) => (await person.post(`/operator/${name}`, { id: bridgeId })).status
  const page = await (await person.get("/operator")).text()
  for (const part of [bridgeId, "events resend", "npm run cost"]) expect(page).toContain(part)
  const found = await (await person.get(`/operator/find?id=${bridgeId}`)).text()
  expect(found).toContain(`${customer.email}</a>`)
  expect(found).toContain('action="/operator/pause"')
  expect(await (await person.get(`/operator/find?id=${customer.accountId}`)).text()).toContain(bridgeId)
  expect((await person.get("/operator/find?id=nothing")).status).toBe(404)
  await BridgesOfPhone.note(bridgeId, "491701112233")
  const steps = [
    ["pause", 303, "operator"],
    ["pause", 409, "operator"],
    ["wake", 303, "running"],
    ["suspend", 303, "suspended"],
    ["wake", 409, "suspended"],
    ["resume", 303, "running"],
  ] as const
  for (const [name, status, after] of steps)
    expect([name, await act(name), await state()]).toEqual([name, status, after])
  expect(await (await person.get(`/operator/find?id=${bridgeId}`)).text()).toContain(
    "waits for a host, epoch",
  )
  await Lease.stop(bridgeId, "billing")
  for (const name of ["pause", "wake"])
    expect([name, await act(name), await state()]).toEqual([name, 303, "billing"])
  expect(await (await person.get(`/operator/find?id=${bridgeId}`)).text()).not.toContain("/operator/wake")
  await Lease.wake(bridgeId, "billing")
  await Lease.stop(bridgeId, "customer")
  const paused = await (await person.get(`/operator/find?id=${bridgeId}`)).text()
  expect([paused.includes("/operator/wake"), paused.includes("/operator/pause")]).toEqual([false, true])
  const ofBoth = [
    ["pause", 303, "operator"],
    ["pause", 409, "operator"],
    ["wake", 303, "customer"],
    ["wake", 409, "customer"],
    ["suspend", 303, "suspended"],
  ] as const
  for (const [name, status, after] of ofBoth)
    expect([name, await act(name), await state()]).toEqual([name, status, after])

  vi.useFakeTimers({ toFake: ["Date"] })
  try {
    vi.setSystemTime(Date.now() + 11 * 60_000)
    const led = await person.post("/operator/suspend", { id: bridgeId })
    expect(led.headers.get("location")).toMatch(/^\/sign-in/)
    expect(await state()).toBe("suspended")
  } finally {
    vi.useRealTimers()
  }
})

test("a name and a phone lead the operator to all that they fit, and only an id to what can be stopped", async () => {
  const [person, customer, other] = await Promise.all([aPerson(), aPerson(), aPerson()])
  await Account.makeOperator(person.accountId)
  await Account.rename(other.accountId, customer.email.toUpperCase())
  const phone = `49170${randomInt(1e7, 1e8)}`
  for (const { bridge } of [customer, other]) await BridgesOfPhone.note(bridge.id, phone)
  const found = async (id: string) =>
    await (await person.get(`/operator/find?${new URLSearchParams({ id }).toString()}`)).text()
  const named = await found(customer.email)
  const linked = await found(`+${phone.slice(0, 5)} ${phone.slice(5)}`)
  for (const one of [customer, other]) {
    expect(named).toContain(`/operator/find?id=${one.accountId}`)
    expect(linked).toContain(`/operator/find?id=${one.bridge.id}`)
  }
  expect(linked.match(/data-ago=/g)).toHaveLength(2)
  for (const page of [named, linked]) expect(page).not.toContain("/operator/pause")
})

test("the operator sees what a number's session reported last, and whether it still runs", async () => {
  const [person, { bridge }] = await Promise.all([aPerson(), aPerson()])
  await Account.makeOperator(person.accountId)
  const shown = async () => {
    const page = await (await person.get(`/operator/find?id=${bridge.id}`)).text()
    return page.replaceAll(/\s+/g, " ")
  }
  expect(await shown()).toContain("has said nothing yet")
  const lease = await aHeldLease(bridge.id)
  await Lease.countLogin(lease, 2)
  await Lease.reportStatus(lease, { status: "connected", epoch: lease.epoch, since: now() })
  expect(await shown()).toContain("connected, for")
  await Lease.release(lease, { failed: true, proven: false })
  const waiting = await shown()
  expect(waiting).toContain("none; the last one became connected")
  expect(waiting).toContain(`waits for a host, epoch ${lease.epoch + 1}`)
  expect(waiting).toContain("1 failure, 0 deaths of hosts, 2 logins that did not last")
  await Lease.stop(bridge.id, "operator")
  expect(await shown()).toContain("no host, epoch")
})
