import "#test/support/store.ts"
import { randomUUID } from "node:crypto"
import { expect, test } from "vitest"
import { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Lease } from "#core/lease/lease.ts"
import { LinkedPhone } from "#core/lease/linked-phone.ts"
import { now } from "#core/platform/clock.ts"
import { batchWrite, get } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { aScriptedHost } from "#test/support/scripted-host.ts"
import { anEvent, anOutbox, answerAll } from "#test/support/session/events-and-doorbells.ts"
import { aPerson } from "./person.ts"

test("an account whose number is in use sees first what is down and why, what was given up today, and what came last; before that, its first steps", async () => {
  const person = await aPerson()
  const shown = async (path = "/") => await (await person.get(path)).text()
  expect(await shown()).toContain("Next steps")
  const phone = LinkedPhone.sealed("15550001", person.bridge.id, await Bridge.deliveryKeyOf(person.bridge))
  const held = await aHeldLease(person.bridge.id)
  const report = async (status: "connected" | "unpaired") =>
    await Lease.report(held, { status, phone, since: now() - 600, epoch: held.epoch })
  await report("connected")
  expect(await shown()).toContain("Next steps")
  const receiver = await aReceiver([422])
  const outbox = await anOutbox(await Bridge.setWebhookUrl(person.bridge, receiver.url))
  expect(await shown()).toContain("All is well")
  await report("unpaired")
  await outbox.append(anEvent("the lost order"))
  await outbox.append(anEvent("a later word"))
  await answerAll()
  const page = (await shown()).replaceAll(/\s+/g, " ")
  expect(page).not.toContain("Next steps")
  expect(page).toContain("One number needs you")
  expect(page).toContain('<span class="state bad">Unlinked</span>')
  expect(page).toContain("+15550001")
  expect(page).toContain("1 undelivered")
  expect(page).toContain("<dt>Messages delivered</dt> <dd>1</dd>")
  expect(page).toContain('<dt>Events undelivered</dt> <dd class="bad">1</dd>')
  expect(page).toMatch(/<p> \d{1,2}:00: 1 <\/p>/)
  expect(page.indexOf("a later word")).toBeLessThan(page.indexOf("the lost order"))
  expect(await shown("/start")).toContain("Next steps")
})

test("of very many numbers those with troubles come first, are counted and found by name; a page of them does not wait for a host that hangs", async () => {
  const person = await aPerson()
  const host = await aScriptedHost(() => {})
  const held = await host.take(person.bridge.id)
  await Lease.report(held, { status: "connected", since: now(), epoch: held.epoch })
  const rows = await Promise.all([
    get(tables.accounts, Bridge.key(person.accountId, "shop")),
    get(tables.leases, Lease.key(person.bridge.id)),
    get(tables.events, Delivery.key(Delivery.first(person.bridge.id))),
  ])
  const [bridge, lease, delivery] = rows.map((row) => row!)
  await batchWrite(
    Array.from({ length: 120 }, (_, i) => ({
      id: randomUUID(),
      ref: `number-${i}`,
      isDown: i === 117,
    })).flatMap(({ id, ref, isDown }) => [
      { table: tables.accounts, row: { ...bridge!, id, customer_ref: ref, sk: `BRIDGE#${ref}` } },
      {
        table: tables.leases,
        row: {
          ...lease!,
          pk: `BRIDGE#${id}`,
          ...(isDown && { reported: { status: "replaced", since: 1, epoch: held.epoch } }),
        },
      },
      { table: tables.events, row: { ...delivery!, pk: `BRIDGE#${id}` } },
    ]),
  )
  const shown = async (query = "") => {
    const page = await (await person.get(`/numbers${query}`)).text()
    return { page, refs: [...page.matchAll(/<tr id="number-([^"]+)"/g)].map(([, ref]) => ref) }
  }
  const start = performance.now()
  const first = await shown()
  expect(performance.now() - start).toBeLessThan(2000)
  expect([first.refs.length, first.refs[0]]).toEqual([100, "number-117"])
  expect(first.page).toContain("not confirmed yet")
  expect(first.page).toContain("All (121)")
  expect(first.page).toContain("Down (1)")
  expect((await shown("?page=2")).refs).toHaveLength(21)
  expect((await shown("?show=down")).refs).toEqual(["number-117"])
  expect((await shown("?search=R-11&show=connected")).refs).toHaveLength(10)
  expect((await shown("?search=nothing")).page).toContain("No number is such a one.")
})
