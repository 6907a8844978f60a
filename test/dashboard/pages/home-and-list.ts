import "#test/support/store.ts"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { expect, onTestFinished, test, vi } from "vitest"
import type { Event } from "#contract/event.ts"
import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { RequestLog } from "#core/account/request-log.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Uploads } from "#core/files/uploads.ts"
import { Lease } from "#core/lease/lease.ts"
import { LinkedPhone } from "#core/lease/linked-phone.ts"
import { now } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { batchWrite, getRow, updateRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { app } from "#test/support/service/app.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll } from "#test/support/session/events-and-doorbells.ts"
import { until } from "#test/support/until.ts"
import { aPerson } from "./person.ts"

test("a number in use shows first what is down, why and what helps, then what was given up and came last", async () => {
  const person = await aPerson()
  const shown = async (path = "/") => await (await person.get(path)).text()
  expect(await shown()).toContain("Next steps")
  const phone = LinkedPhone.sealed("15550001", person.bridge.id, await Bridge.deliveryKeyOf(person.bridge))
  const held = await aHeldLease(person.bridge.id)
  const report = async (status: "connected" | "unpaired") =>
    await Lease.reportStatus(held, { status, phone, since: now() - 600, epoch: held.epoch })
  await report("connected")
  expect(await shown()).not.toContain("Next steps")
  const receiver = await aReceiver([422])
  const bridge = await Bridge.setWebhookUrl(person.bridge, receiver.url)
  await Webhook.update(bridge, await Webhook.get(bridge, "first"), { heals: false })
  const outbox = await anOutbox(bridge)
  expect(await shown()).toContain("All is well")
  await report("unpaired")
  await outbox.append(anEvent("the lost order"))
  await outbox.append(anEvent("a \u202elater word"))
  await answerAll()
  const page = (await shown()).replaceAll(/\s+/g, " ")
  expect(page).not.toContain("Next steps")
  expect(page).toContain("One number needs attention")
  expect(page).toContain('<span class="state bad">Unlinked</span>')
  expect(page).toContain("+15550001")
  expect(page).toContain("1 undelivered")
  expect(page).toContain('<dt>Messages received today</dt> <dd class="">2</dd>')
  expect(page).toContain('<dt>Events undelivered, of 30 days</dt> <dd class="bad">1</dd>')
  expect(page).toMatch(/<p>\s*\d{1,2}:00: 2\s*<\/p>/)
  expect(page.indexOf("a later word")).toBeLessThan(page.indexOf("the lost order"))
  expect(await shown("/start")).toContain("Next steps")
  await report("connected")
  receiver.say(500)
  await outbox.append(anEvent("one more"))
  await answerAll()
  expect(await shown()).toMatch(/href="\/numbers\/shop\/deliveries"\s*>See deliveries/)
  expect(await shown()).toContain('<a href="/numbers/shop/events?state=pending">1 waiting</a>')
  expect(await shown("/numbers/shop/log")).toContain(">Webhook failing</a>")
})

test("sends rejected today are on Home and on their number's page, restricted while its session says so", async () => {
  const person = await aPerson()
  const status = { status: "connected", jid: "", lid: "", name: "", phone: "15550001" }
  const restricted = { ...status, restriction: "new_chats", restricted_until: now() + 3600 }
  const codes = [463, 463, 479]
  const host = await aScriptedHost(({ path }, response) => {
    if (!path.startsWith("/send")) return sayJson(response, 200, restricted)
    const refusal = { code: "network_rejected", error: "the network said no", network_code: codes.shift() }
    sayJson(response, 502, refusal)
  })
  const lease = await host.take(person.bridge.id)
  const phone = LinkedPhone.sealed("15550001", person.bridge.id, await Bridge.deliveryKeyOf(person.bridge))
  await Lease.reportStatus(lease, { status: "connected", phone, since: now(), epoch: lease.epoch })
  await Bridge.setWebhookUrl(person.bridge, "https://example.com/hook")
  const authorization = `Bearer ${await ApiKey.create(person.accountId, "robot")}`
  const headers = { authorization, "content-type": "application/json" }
  const body = JSON.stringify({ chat: "491711234567", body: "hi" })
  for (let sends = 0; sends < 3; sends++)
    await app.request("/api/instances/shop/proxy/send/text", { method: "POST", headers, body })
  await until(
    async () => (await RequestLog.page(person.accountId, { limit: 9, sinceMs: 1 })).calls.length === 3,
  )
  const home = (await (await person.get("/")).text()).replaceAll(/\s+/g, " ")
  expect(home).toContain("One number needs attention")
  expect(home).toMatch(/<dt>Sends today that failed at the network<\/dt> <dd class="bad"><a [^>]+>3</)
  const number = await (await person.get("/numbers/shop")).text()
  for (const page of [home, number]) {
    expect(page).toContain("2 sends rejected today<")
    expect(page).toContain('<span class="state warn">Restricted</span>')
  }
  expect(number).toContain("does not let this number start new")
  expect(home).toContain('href="/requests?refused=true&code=463&number=shop"')
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  vi.setSystemTime(Date.now() + 86_400_000)
  const { calls } = await RequestLog.page(person.accountId, { limit: 9, sinceMs: Date.now() - 3_600_000 })
  expect(calls).toEqual([])
})

/** The figures above Home, or in a list of facts, by their names. */
function figuresOf(page: string): Record<string, string> {
  const pairs = page.matchAll(/<dt>([^<]+)<\/dt>\s*<dd[^>]*>\s*(?:<a[^>]*>)?([^<]*?)\s*</g)
  return Object.fromEntries([...pairs].map(([, name, value]) => [name, value]))
}

test("what came is counted when it comes, whichever webhooks are dead, and beside it what is not delivered", async () => {
  const person = await aPerson()
  const [dead, other] = [await aReceiver([500]), await aReceiver([422])]
  dead.say(500)
  const bridge = await Bridge.setWebhookUrl(person.bridge, dead.url)
  const phone = LinkedPhone.sealed("15550001", bridge.id, await Bridge.deliveryKeyOf(bridge))
  const held = await aHeldLease(bridge.id)
  await Lease.reportStatus(held, { status: "connected", phone, since: now(), epoch: held.epoch })
  const { webhook } = await Webhook.create(bridge, other.url, {})
  await Webhook.update(bridge, webhook, { heals: false })
  const outbox = await anOutbox(bridge)
  await outbox.append(anEvent("one"), anEvent("two"), anEvent("three"))
  await outbox.append({ ...anEvent("from the phone"), from_me: true } as Event)
  await answerAll()
  const shown = async (path: string) => figuresOf(await (await person.get(path)).text())
  const waiting = { "Events not delivered yet": "4", "Events undelivered, of 30 days": "1" }
  expect(await shown("/")).toMatchObject({ "Messages received today": "3", ...waiting })
  expect(await shown("/numbers/shop")).toMatchObject({
    "Messages received": "3",
    "Not delivered yet (first webhook)": "4",
    "Undelivered, of 30 days": "1",
  })
  await Webhook.pause(webhook)
  await outbox.append(anEvent("four"))
  await answerAll()
  const later = { "Events not delivered yet": "6", "Events undelivered, of 30 days": "1" }
  expect(await shown("/")).toMatchObject({ "Messages received today": "4", ...later })
  expect(await (await person.get("/usage")).text()).toMatch(/Messages in<\/span> <b>4</)
  const home = await (await person.get("/")).text()
  expect(home).toContain(dead.url)
})

test("pages tell the truth of paused webhooks, numbers without a first one, and loops of refusals", async () => {
  const person = await aPerson()
  const shown = async (path: string) => (await (await person.get(path)).text()).replaceAll(/\s+/g, " ")
  const dead = await aReceiver([500])
  const { webhook } = await Webhook.create(person.bridge, dead.url, {})
  const outbox = await anOutbox(person.bridge)
  const [id] = await outbox.append(anEvent("one"))
  await answerAll()
  expect(await shown("/numbers")).toContain(
    "No webhook of its own: events stay here, and another webhook gets them, too",
  )
  expect(await shown("/numbers/shop/events")).toContain("kept here</span>")
  await Webhook.pause(webhook)
  const at = `?webhook=${webhook.webhookId}`
  expect(await shown(`/numbers/shop/events/${id}${at}`)).toContain("This webhook is paused.")
  expect(await shown(`/numbers/shop/events/${id}${at}`)).toContain(`<bdi>${dead.url}</bdi>`)
  const deliveries = await shown(`/numbers/shop/deliveries${at}`)
  expect(deliveries).toContain(">Paused</span>")
  expect(deliveries).not.toMatch(/Webhook failing|next attempt is due/)
  // The steps tick a number only once it has a phone.
  expect(await shown("/start")).not.toMatch(/Add a number<\/a> and link a phone<span class="hidden">: done/)
  const phone = LinkedPhone.sealed("15550001", person.bridge.id, await Bridge.deliveryKeyOf(person.bridge))
  const held = await aHeldLease(person.bridge.id)
  await Lease.reportStatus(held, { status: "connected", phone, since: now(), epoch: held.epoch })
  expect(await shown("/start")).toMatch(/Add a number<\/a> and link a phone<span class="hidden">: done/)
  // A loop of refusals does not hide what the network rejected before.
  const call = { method: "POST", path: "/api/instances/shop/proxy/send/text", keyId: "k", ms: 5 }
  const rejected = { code: "network_rejected", sentence: "no", networkCode: 463 }
  const { atOnce } = RequestLog.keepLimit
  RequestLog.keepLimit.atOnce = 300
  onTestFinished(() => void (RequestLog.keepLimit.atOnce = atOnce))
  await RequestLog.add(person.accountId, { ...call, requestId: "rejected", status: 502, refusal: rejected })
  await until(async () => (await RequestLog.page(person.accountId, { limit: 1 })).calls.length === 1)
  const limited = { code: "rate_limited", sentence: "rate limit exceeded" }
  for (let i = 0; i < 150; i++)
    await RequestLog.add(person.accountId, { ...call, requestId: `loop-${i}`, status: 429, refusal: limited })
  await until(async () => (await RequestLog.page(person.accountId, { limit: 200 })).calls.length === 151)
  expect(figuresOf(await shown("/"))).toMatchObject({ "Sends today that failed at the network": "1" })
})

test("an event that another webhook gave up is red everywhere, says at which one, and is sent there again", async () => {
  const person = await aPerson()
  const [well, other] = [await aReceiver(), await aReceiver([422])]
  const bridge = await Bridge.setWebhookUrl(person.bridge, well.url)
  const phone = LinkedPhone.sealed("15550001", bridge.id, await Bridge.deliveryKeyOf(bridge))
  const held = await aHeldLease(bridge.id)
  await Lease.reportStatus(held, { status: "connected", phone, since: now(), epoch: held.epoch })
  const { webhookId } = (await Webhook.create(bridge, other.url, { heals: false })).webhook
  const outbox = await anOutbox(bridge)
  const [lost] = await outbox.append(anEvent("the lost order"))
  await outbox.append(anEvent("a later word"))
  await answerAll()
  const shown = async (path: string) => await (await person.get(path)).text()
  const mark = `<a class="state bad" href="/numbers/shop/deliveries?webhook=${webhookId}">1 undelivered</a>`
  for (const path of ["/", "/numbers", "/numbers?show=failing", "/numbers/shop", "/numbers/shop/log"])
    expect(await shown(path)).toContain(mark)
  expect(await shown("/numbers")).not.toContain(">OK</span>")
  const events = await shown("/numbers/shop/events")
  expect(events.match(/undelivered at another webhook/g)).toHaveLength(1)
  const at = `/numbers/shop/events/${lost}`
  expect(events.replaceAll(/\s+/g, " ")).toContain(`webhook=${webhookId}">Undelivered at ${other.url}<`)
  expect(await shown(at)).toContain("The webhook took it.")
  expect(await shown(`${at}?webhook=${webhookId}`)).toContain("did not take it, and answered with status 422")
  expect(await shown(`/numbers/shop/deliveries?webhook=${webhookId}`)).toContain("Undelivered: 1")
  expect(await shown("/numbers/shop/deliveries")).not.toContain("Undelivered:")
  await person.post(`${at}/resend?webhook=${webhookId}`)
  await answerAll()
  expect(await shown("/numbers")).toContain(">OK</span>")
  expect([well.arrivals.length, other.arrivals.length]).toEqual([2, 3])
})

test("a viewer is told what is wrong with a number, and is offered nothing that they may not do", async () => {
  const viewer = await aPerson("viewer")
  const phone = LinkedPhone.sealed("15550001", viewer.bridge.id, await Bridge.deliveryKeyOf(viewer.bridge))
  const held = await aHeldLease(viewer.bridge.id)
  await Lease.reportStatus(held, { status: "unpaired", phone, since: now() - 600, epoch: held.epoch })
  await Bridge.setWebhookUrl(viewer.bridge, "https://example.com/hook")
  const home = await (await viewer.get("/")).text()
  expect(home).toContain('<span class="state bad">Unlinked</span>')
  expect(home).not.toContain("Link it again")
})

test("a search that finds none of an account's numbers does not say that it has none", async () => {
  const page = await (await (await aPerson()).get("/numbers?search=nothing")).text()
  expect(page).toContain("No number is such a one.")
  expect(page).not.toContain("No number yet")
})

test("a number is found by a part of its phone's number, and by the phone's name at WhatsApp", async () => {
  const person = await aPerson()
  const said = { status: "connected", jid: "", lid: "", name: "Käthe's Café", phone: "15550001" }
  const host = await aScriptedHost((_call, response) => sayJson(response, 200, said))
  const held = await host.take(person.bridge.id)
  const phone = LinkedPhone.sealed("15550001", held.bridgeId, await Bridge.deliveryKeyOf(person.bridge))
  await Lease.reportStatus(held, { status: "connected", phone, since: now(), epoch: held.epoch })
  await Bridge.create({ accountId: person.accountId, customerRef: "other" })
  const shown = async (search: string) => {
    const page = await (await person.get(`/numbers?${new URLSearchParams({ search }).toString()}`)).text()
    return [...page.matchAll(/<tr id="number-([^"]+)"/g)].map(([, ref]) => ref)
  }
  for (const text of ["55500", "+1 (555) 0001", "käthe", "SHO"])
    expect([text, await shown(text)]).toEqual([text, ["shop"]])
  expect(await shown("0002")).toEqual([])
})

test("chosen numbers are paused, woken, redirected and deleted at once, and all are there as CSV", async () => {
  const person = await aPerson()
  await Bridge.setShownName(person.bridge, '=1+1, "Berlin"')
  await Lease.choose(person.bridge.id, {
    ...(await Lease.get(person.bridge.id))!.choice,
    dailyPresence: false,
  })
  const like = { customer_ref: "till", webhook_url: "", like: "shop" }
  expect((await person.post("/new-number", like)).status).toBe(303)
  const till = await Bridge.get(person.accountId, "till")
  expect((await Lease.get(till.id))?.choice.dailyPresence).toBe(false)
  const did = async (form: Record<string, string>, ...refs: string[]) => {
    const body = new URLSearchParams(form)
    for (const ref of refs) body.append("refs", ref)
    return await (await person.post("/numbers", body)).text()
  }
  const why = async () => Lease.whyStopped((await Lease.get(till.id))!)
  expect(await did({ act: "pause" }, "shop", "till")).toContain("2 of 2 numbers paused.")
  expect(await why()).toBe("customer")
  expect(await did({ act: "wake" }, "shop", "till", "nobody")).toMatch(
    /2 of 3 numbers woken\.[^]+<b>nobody<\/b>/,
  )
  expect(await why()).toBeUndefined()
  expect(await did({ act: "webhook", url: "https://shop.example/hook" }, "till")).toContain("1 of 1")
  expect((await Bridge.get(person.accountId, "till")).webhookUrl).toBe("https://shop.example/hook")
  const csv = (await (await person.get("/numbers.csv")).text()).split("\r\n")
  expect(csv[0]).toBe("customer_ref,name,phone,state,webhook,messages_today,waiting,undelivered")
  expect(csv).toContain(`shop,"'=1+1, ""Berlin""",,Unsettled,,0,0,0`)
  expect(csv).toContain("till,,,Unsettled,https://shop.example/hook,0,0,0")
  expect(await did({ act: "delete" }, "till")).toContain("tick that you are sure")
  expect(await did({ act: "delete", sure: "yes" }, "till")).toContain("1 of 1 numbers deleted.")
  expect(await Bridge.find(person.accountId, "till")).toBeUndefined()
  const viewer = await aPerson("viewer")
  expect((await viewer.post("/numbers", { act: "pause", refs: "shop" })).status).toBe(403)
  expect(await (await viewer.get("/numbers")).text()).not.toContain('name="refs"')
})

/** To a person's own number come copies, of which most have said nothing yet; one of the others is down. */
async function tenThousandNumbers(
  { accountId, bridge: own }: Awaited<ReturnType<typeof aPerson>>,
  epoch: number,
): Promise<void> {
  const rows = await Promise.all([
    getRow(tables.accounts, Bridge.key(accountId, "shop")),
    getRow(tables.leases, Lease.key(own.id)),
    getRow(tables.events, Delivery.key(Delivery.first(own.id))),
  ])
  const [bridge, lease, delivery] = rows.map((row) => row!)
  const reported = (status: string) => ({ status, since: 1, epoch })
  await batchWrite(
    Array.from({ length: 9999 }, (_, i) => ({ id: randomUUID(), ref: `number-${i}`, i })).flatMap(
      ({ id, ref, i }) => [
        { table: tables.accounts, row: { ...bridge!, id, customer_ref: ref, sk: `BRIDGE#${ref}` } },
        // The others say nothing yet.
        ...(i < 120
          ? [
              {
                table: tables.leases,
                row: {
                  ...lease,
                  pk: `BRIDGE#${id}`,
                  reported: reported(i === 117 ? "replaced" : "connected"),
                },
              },
              { table: tables.events, row: { ...delivery!, pk: `BRIDGE#${id}` } },
            ]
          : []),
      ],
    ),
  )
  await updateRow({
    TableName: tables.accounts,
    Key: Account.key(accountId),
    UpdateExpression: "SET bridges = :all",
    ExpressionAttributeValues: { ":all": 10_000 },
  })
}

test("ten thousand numbers come within a second, whatever hangs, live, troubles first, and can be searched", async () => {
  const person = await aPerson()
  const host = await aScriptedHost(() => {})
  const held = await host.take(person.bridge.id)
  const deliveryKey = await Bridge.deliveryKeyOf(person.bridge)
  const phone = LinkedPhone.sealed("15550001", person.bridge.id, deliveryKey)
  await Lease.reportStatus(held, { status: "connected", phone, since: now(), epoch: held.epoch })
  for (const number of ["15550001", "15550002"]) await BridgesOfPhone.note(person.bridge.id, number)
  await tenThousandNumbers(person, held.epoch)
  const shown = async (query = "") => {
    const page = await (await person.get(`/numbers${query}`)).text()
    const refs = [...page.matchAll(/<tr id="number-([^"]+)"/g)].map(([, ref]) => ref)
    return { page, refs }
  }
  const first = await shown()
  expect([first.refs.length, first.refs[0]]).toEqual([100, "number-0"])
  expect(first.page).toContain("not checked yet")
  expect(first.page).toContain("All (10000)")
  expect(await (await person.get("/")).text()).not.toContain("the last time")
  const stream = (await person.get("/live/numbers")).body!.getReader()
  let said = ""
  while (!said.includes("Down (1)")) said += Buffer.from((await stream.read()).value ?? []).toString()
  await stream.cancel()
  const again = await shown()
  expect([again.refs.length, again.refs[0]]).toEqual([100, "number-117"])
  expect(again.page).toContain("Down (1)")
  const home = (await (await person.get("/")).text()).replaceAll(/\s+/g, " ")
  expect(home).toContain('<a href="/numbers?show=down">Down</a></dt> <dd>1</dd>')
  const usage = await (await person.get("/usage")).text()
  expect(usage).toContain("type the name of one")
  expect(usage).not.toContain('<option value="number-1"')
  expect((await shown("?page=100")).refs).toHaveLength(100)
  expect((await shown("?page=101")).refs).toHaveLength(0)
  expect((await shown("?show=down")).refs).toEqual(["number-117"])
  expect((await shown("?search=R-11&show=connected")).refs).toHaveLength(10)
  expect((await shown("?search=%2B1+(555)+0001")).refs).toEqual(["shop"])
  expect((await shown("?search=15550002")).page).toContain("No number is such a one.")
})

test("a number's name on the pages is changed in its settings, found in the list, and leaves its reference", async () => {
  const person = await aPerson()
  const save = async (name: string) =>
    await (await person.post("/numbers/shop/settings/name", { name })).text()
  const name = " <b>Berlin</b> & co \ud800"
  expect(await save(name)).toMatch(
    /<h1><bdi>&lt;b&gt;Berlin&lt;\/b&gt; &amp; co \ufffd<\/bdi><\/h1>\s*<p>shop<\/p>/,
  )
  const shown = async (path: string) => await (await person.get(path)).text()
  expect(await shown("/numbers?search=berlin")).toMatch(
    /href="\/numbers\/shop"><bdi>&lt;b&gt;Berlin.*<\/a>\s*<div class="small muted">shop</,
  )
  expect(await shown("/account/audit-log")).toContain("changed the name of")
  expect(await save("x".repeat(65))).toContain("Name: at most 64 characters")
  expect(await save("\u{1f600}".repeat(64))).toContain(`<h1><bdi>${"\u{1f600}".repeat(64)}</bdi>`)
  expect(await save(" ")).toContain("<h1>shop</h1>")
})

test("on one machine the usage page says how much of its room the files of the account take up", async () => {
  const { STORAGE_DIR, STORAGE_ACCOUNT_MB } = config
  config.STORAGE_DIR = mkdtempSync(join(tmpdir(), "files-"))
  config.STORAGE_ACCOUNT_MB = 50
  onTestFinished(() => {
    rmSync(config.STORAGE_DIR!, { recursive: true })
    Object.assign(config, { STORAGE_DIR, STORAGE_ACCOUNT_MB })
  })
  const person = await aPerson()
  const upload = Uploads.withNewId({ bridgeId: person.bridge.id, contentType: "a/b", fileName: "" })
  await Uploads.store(upload, 3_000_000, Readable.from([Buffer.alloc(3_000_000)]))
  expect(await (await person.get("/usage")).text()).toContain("<b>3 of 50 MB</b>")
})

test("the chats of the only number are a step from every page; of several, one is chosen", async () => {
  const person = await aPerson()
  const led = await person.get("/chats")
  expect([led.status, led.headers.get("location")]).toEqual([302, "/numbers/shop/chats"])
  await Bridge.create({ accountId: person.accountId, customerRef: "other" })
  const choice = await (await person.get("/chats")).text()
  for (const ref of ["shop", "other"]) expect(choice).toContain(`href="/numbers/${ref}/chats"`)
})
