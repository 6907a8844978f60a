import "#test/support/store.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import type { Event } from "#contract/event.ts"
import { RequestLog } from "#core/account/request-log.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { Lease } from "#core/lease/lease.ts"
import { iso } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { sentenceForPeople } from "#dashboard/api-words.ts"
import { outcome } from "#dashboard/events/attempt-words.ts"
import { accountsPage } from "#dashboard/people/accounts.ts"
import { codeBlocks } from "#dashboard/start/code-blocks.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { aVisitor } from "#test/support/service/visitor.ts"
import { anEvent, anOutbox, answerAll } from "#test/support/session/events-and-doorbells.ts"
import { strictS3 } from "#test/support/strict-s3.ts"
import { until } from "#test/support/until.ts"
import { aPerson, nobody } from "./person.ts"

const { state, store } = await strictS3()

test("events are found by type, direction, chat and text, and each filter is a link", async () => {
  const person = await aPerson()
  const outbox = await anOutbox(person.bridge)
  const own = { ...anEvent("I wrote this"), from_me: true } as Event
  await outbox.write(anEvent("from Ada"), own, { event: "connected", phone: "1" })
  const shown = async (query: string) => {
    const text = await (await person.get(`/numbers/shop/events?${query}`)).text()
    return ["from Ada", "I wrote this", "+1</b>"].filter((one) => text.includes(one))
  }
  expect(await shown("")).toHaveLength(3)
  expect(await shown("direction=out")).toEqual(["I wrote this"])
  expect(await shown("search=ADA&direction=in")).toEqual(["from Ada"])
  expect(await shown("type=connected&chat=")).toEqual(["+1</b>"])
  expect(await shown("chat=491711234567&type=")).toEqual(["from Ada", "I wrote this"])
})

const hoursAgo = (hours: number) => iso(Date.now() - hours * 3_600_000).slice(0, 16)

test("an event that was given up is red wherever its number is, says why it is not retried, and is found", async () => {
  const person = await aPerson()
  const receiver = await aReceiver([
    (response) => response.writeHead(422, { "x-trace": "t1" }).end('{"why":"no such order"}'),
  ])
  const bridge = await Bridge.setWebhookUrl(person.bridge, receiver.url)
  await Webhook.update(bridge, await Webhook.get(bridge, "first"), { heals: false })
  const outbox = await anOutbox(bridge)
  const [lost] = await outbox.append(anEvent("the lost order"))
  await outbox.append(anEvent("a later word"))
  await answerAll()
  const shown = async (path: string) => await (await person.get(path)).text()
  const mark = '<a class="state bad" href="/numbers/shop/deliveries">1 undelivered</a>'
  for (const path of ["/numbers", "/numbers/shop", "/numbers/shop/log"])
    expect(await shown(path)).toContain(mark)
  expect(await shown("/numbers")).not.toContain(">OK</span>")
  const overview = (await shown("/numbers/shop")).replaceAll(/\s+/g, " ")
  expect(overview).toContain("<dt>Attempts that failed</dt> <dd>1 of 2</dd>")
  expect(overview).toMatch(/<dt>95 % of attempts took at most<\/dt> <dd>\d+ ms<\/dd>/)
  expect(overview).toMatch(/<title>\d{1,2}:00: 2<\/title> <rect/)
  const all = await shown("/numbers/shop/events")
  expect(all).toContain(`id="outcome-${lost}" class="state bad">undelivered</span>`)
  expect(all).toContain('class="state good">delivered</span>')
  const some = await shown("/numbers/shop/events?state=undelivered")
  expect([some.includes("the lost order"), some.includes("a later word")]).toEqual([true, false])
  expect(some).not.toContain("data-stream")
  await outbox.write(anEvent("a word that waits"))
  const [today, tomorrow] = [0, 1].map((days) => `${iso(Date.now() + days * 86_400_000).slice(0, 10)}T00:00`)
  for (const [query, words] of [
    ["state=delivered", ["a later word"]],
    [`state=delivered&since=${today}`, ["a later word"]],
    [`since=${today}`, ["the lost order", "a later word", "a word that waits"]],
    [`since=${tomorrow}`, []],
    [`state=inbox&since=${today}`, []],
    ["until=2020-01-01T10:30", []],
    ["since=yesterday", ["the lost order", "a later word", "a word that waits"]],
  ] as const) {
    const found = await shown(`/numbers/shop/events?${query}`)
    const all = ["the lost order", "a later word", "a word that waits"]
    expect([query, all.filter((word) => found.includes(word))]).toEqual([query, [...words]])
    const isToCome = words.length === 0 && !/state|until/.test(query)
    expect(found.includes("New events that match appear here.")).toBe(isToCome)
  }
  const page = await shown(`/numbers/shop/events/${lost}`)
  expect(page).toContain(
    "Undelivered, at the first attempt: the webhook did not take it, and answered with status 422.",
  )
  expect(page).toContain("x-trace: t1")
  expect(page).toContain("{\n  &quot;why&quot;: &quot;no such order&quot;\n}")
  const attempts = async (query: string) => {
    const [, table = ""] =
      /aria-label="Attempts">(.*?)<\/table>/s.exec(await shown(`/numbers/shop/deliveries${query}`)) ?? []
    return ["the lost order", "a later word"].filter((one) => table.includes(one))
  }
  expect(await attempts("")).toHaveLength(2)
  const [, givenUp = ""] =
    /id="given-up"(.*?)<\/section>/s.exec(await shown("/numbers/shop/deliveries")) ?? []
  expect(givenUp).toContain('class="state bad">422</span>')
  expect(await attempts("?outcome=failed")).toEqual(["the lost order"])
  expect(await attempts("?outcome=taken")).toEqual(["a later word"])
  await person.post(`/numbers/shop/events/${lost}/resend`)
  await answerAll()
  expect(await attempts("?outcome=resent")).toEqual(["the lost order"])
  expect(await shown("/numbers/shop")).not.toContain("1 undelivered")
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 3_600_000 })
  expect(await attempts(`?since=${hoursAgo(1)}`)).toEqual([])
  expect(await attempts(`?since=${hoursAgo(24)}&outcome=taken`)).toHaveLength(2)
  expect(await attempts(`?until=${hoursAgo(24)}`)).toEqual([])
})

test("a fault in a form is said in words beside it, and what was typed stays", async () => {
  const person = await aPerson()
  const answer = await person.post("/new-number", { customer_ref: "my shop", webhook_url: "ftp://x" })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('value="my shop"')
  const long = await person.post("/new-number", { customer_ref: "x".repeat(65) })
  expect([long.status, await long.text()]).toEqual([400, expect.stringContaining("at most 64 characters")])
  expect((await person.post("/numbers/shop/connect", { phone: "12" })).status).toBe(400)
  expect(
    (await person.post("/numbers/shop/webhooks/first/address", { webhook_url: "nonsense" })).status,
  ).toBe(400)
  expect(
    (await person.get("/numbers/shop/events?chat=%00%ff&type=nonsense&before=evt_x")).status,
  ).toBeLessThan(500)
  expect((await person.get(`/numbers/${"x".repeat(2000)}`)).status).toBe(404)
})

test("a refusal calls a field as the form does, and says once why a number is none", async () => {
  const person = await aPerson()
  for (const [path, form] of [
    ["/new-number", { customer_ref: "new", webhook_url: "ftp://x" }],
    ["/numbers/shop/webhooks/first/address", { webhook_url: "ftp://x" }],
  ] as const) {
    const said = await (await person.post(path, form)).text()
    expect(said).toContain("Address: must begin with http:&#x2F;&#x2F;".replaceAll("&#x2F;", "/"))
    expect(said).not.toContain("ebhook_url:")
    expect(said.replaceAll("&#x2F;", "/")).toContain('value="ftp://x"')
  }
  const said = await (await person.post("/numbers/shop/connect", { phone: "12" })).text()
  expect(said.match(/is is not a phone number/g)).toHaveLength(1)
  expect(said).not.toContain("invalid_request")
  expect(sentenceForPeople("constructor: none")).toBe("Constructor: none.")
})

test("a number is added under any name, of which its reference is made", async () => {
  const person = await aPerson()
  const added = async (name: string) => {
    const answer = await person.post("/new-number", { customer_ref: name, webhook_url: "" })
    const ref = /^\/numbers\/([^/]+)\/connect$/.exec(answer.headers.get("location") ?? "")?.[1] ?? ""
    return { status: answer.status, ref, shownName: (await Bridge.find(person.accountId, ref))?.shownName }
  }
  expect(await added(" Käserei & Söhne ")).toMatchObject({
    ref: "Kaserei-Sohne",
    shownName: "Käserei & Söhne",
  })
  expect(await added("till")).toMatchObject({ ref: "till", shownName: "" })
  const bakery = await added("パン屋")
  expect(bakery).toMatchObject({ ref: expect.stringMatching(/^number-[0-9a-f]{8}$/), shownName: "パン屋" })
  expect(await added("パン屋")).toEqual(bakery)
  expect(await added("Kaserei Sohne")).toMatchObject({ status: 409 })
  expect(await added("")).toMatchObject({ status: 400 })
})

test("a number whose name is taken is not added, and its page is not shown for the new one", async () => {
  const person = await aPerson()
  const answer = await person.post("/new-number", {
    customer_ref: "shop",
    webhook_url: "https://shop.example/new",
  })
  expect(answer.status).toBe(409)
  const page = await answer.text()
  expect(page).toContain("This account has a number of this name")
  expect(page).toContain('href="/numbers/shop"')
  expect(page).toContain("shop.example/new")
  expect((await Bridge.get(person.accountId, "shop")).webhookUrl).toBe("")
})

test("a form for a number, sent twice, leads to the number that is there, until that has had an event", async () => {
  const person = await aPerson()
  const add = async (webhook_url: string) =>
    await person.post("/new-number", { customer_ref: "new", webhook_url })
  for (const url of ["https://shop.example", " https://SHOP.example/ "]) {
    const answer = await add(url)
    expect([url, answer.status, answer.headers.get("location")]).toEqual([url, 303, "/numbers/new/connect"])
  }
  expect((await add("")).status).toBe(409)
  await (await anOutbox(await Bridge.get(person.accountId, "new"))).write({ event: "connected", phone: "1" })
  expect((await add("https://shop.example")).status).toBe(409)
  expect(await Bridge.list(person.accountId)).toHaveLength(2)
})

test("the path of a form, opened as a page, leads to the page that the form is on", async () => {
  const person = await aPerson()
  for (const [path, page] of [
    ["/account/invite", "/account"],
    ["/keys/abc/revoke", "/keys"],
    ["/numbers/shop/webhooks/first/address", "/numbers/shop/webhooks"],
    ["/numbers/shop/deliveries/resend", "/numbers/shop/deliveries"],
    ["/sandbox/say", "/"],
    ["/sign-in/code", "/sign-in"],
  ] as const) {
    let at: string = path
    for (let answer = await person.get(at); answer.status === 302; answer = await person.get(at))
      at = answer.headers.get("location") ?? ""
    expect([path, at]).toEqual([path, page])
  }
  const event = await person.get("/numbers/shop/events/a%0Ab/resend")
  expect(event.headers.get("location")).toBe("/numbers/shop/events/a%0Ab")
})

test("a path that is neither a page nor a form is not there, whatever its characters", async () => {
  const person = await aPerson()
  for (const path of [
    "/sign-in/nosuch",
    "/sign-in/a%0Ab/c",
    "/sign-in/a%00b/c",
    "/keys/abc",
    "/numbers/shop/nosuch",
  ]) {
    const answer = await person.get(path)
    const said = await answer.text()
    expect([path, answer.status, said.includes("There is nothing here")]).toEqual([path, 404, true])
  }
})

test("an attempt without an answer says what was missing, and an account with its own name is named once", async () => {
  const failed = { success: false, status_code: 0, error: "dns" }
  expect(String(await outcome(failed))).toContain(">unknown host<")
  expect(String(await outcome({ ...failed, error: "tls" }))).toContain(">TLS failed<")
  expect(String(await outcome({ ...failed, error: "blocked" }))).toContain(">not allowed<")
  expect(String(await outcome({ ...failed, status_code: 500 }))).toContain(">500<")
  const invitation = { id: "1", role: "viewer", by: "ada@example.com" }
  const asked = { email: "b@example.com", own: [], present: "", mayOpen: false, next: "/" }
  const said = async (name: string) =>
    String(await accountsPage({ ...asked, invitations: [{ ...invitation, name }] }))
  expect(await said("ada@example.com")).toContain("their account")
  expect(await said("Ada's shop")).not.toContain("their account")
})

test("a saved webhook can be tested from there, and one that was taken away is not said to get events", async () => {
  const person = await aPerson()
  const save = async (webhook_url: string) =>
    await (await person.post("/numbers/shop/webhooks/first/address", { webhook_url })).text()
  expect(await save("https://shop.example/hook")).toMatch(
    /action="\/numbers\/shop\/webhooks\/first\/test">[^]+Send a test event/,
  )
  expect(await save("")).toContain("Events stay here from now on.")
})

test("the last type of events goes only when that is said again, and then the number's first page says so", async () => {
  const person = await aPerson()
  const save = async (form: Record<string, string>) =>
    await (await person.post("/numbers/shop/settings/events", form)).text()
  const overview = async () => await (await person.get("/numbers/shop")).text()
  expect(await save({ ignore: "status" })).toContain("Not saved yet")
  expect(await overview()).not.toContain("switched off")
  expect(await save({ none: "yes", ignore: "groups status" })).toContain("Nothing is delivered from now on")
  expect(await overview()).toContain("All types of events are switched off")
  const viewer = await aPerson("viewer")
  const seen = await (await viewer.get("/numbers/shop/webhooks")).text()
  expect([seen.includes("No webhook: events stay here"), seen.includes("webhook_url")]).toEqual([true, false])
  expect((await Lease.get(person.bridge.id))?.choice).toMatchObject({
    events: [],
    ignore: ["groups", "status"],
  })
})

test("a page that is refused for the reader's own reason asks for no report", async () => {
  const person = await aPerson("viewer")
  for (const path of ["/numbers/nobody", "/operator", "/new-number"])
    expect(await (await person.get(path)).text()).not.toContain("report this code")
})

test("for what is not there a browser gets a page, with a way around if signed in, and a program gets JSON", async () => {
  const [person, stranger] = [await aPerson(), aVisitor()]
  const accept = { accept: "text/html,*/*" }
  for (const [visitor, hasNavigation] of [
    [person, true],
    [stranger, false],
  ] as const) {
    const answer = await visitor.get("/Numbers", accept)
    const page = await answer.text()
    expect([answer.status, page.includes('href="/usage"')]).toEqual([404, hasNavigation])
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
  }
  expect(await (await person.get("/Numbers")).json()).toMatchObject({ code: "not_found" })
  for (const path of ["/numbers/nobody", "/operator"])
    expect(await (await person.get(path)).text()).toContain('href="/usage"')
  for (const [typed, page] of [
    ["/numbers/?search=x", "/numbers?search=x"],
    ["/usage//", "/usage"],
    ["/sign-in/", "/sign-in"],
  ] as const)
    expect((await stranger.get(typed, accept)).headers.get("location")).toBe(page)
  // It would be another host.
  expect((await stranger.get("//evil.example/", accept)).status).toBe(404)
})

test("a page that is not there says why, and names no call of the API", async () => {
  config.SANDBOX = true
  onTestFinished(() => void (config.SANDBOX = false))
  const person = await aPerson()
  for (const [path, sentence] of [
    ["/numbers/nobody", "This number does not exist, was deleted, or belongs to another account."],
    ["/numbers/shop/events/evt_expired", "There is no such event: it may have expired."],
    ["/try/nothing", "This call cannot be tried here."],
  ] as const) {
    const answer = await person.get(path)
    const said = await answer.text()
    expect([path, answer.status, said.includes(sentence), said.includes("GET ")]).toEqual([
      path,
      404,
      true,
      false,
    ])
  }
})

test("if the sandbox's phone is unusable, the first page says so, and leads to a receiver on the internet", async () => {
  config.SANDBOX = true
  onTestFinished(() => void (config.SANDBOX = false))
  const person = await aPerson()
  const host = await aScriptedHost(({ path }, response) => {
    const contact = { ...nobody, name: "Echo", phone: "15550002" }
    const status = { status: "connected", jid: "", lid: "", name: "", phone: "15550001" }
    sayJson(response, 200, path === "/contacts" ? [contact] : status)
  })
  const page = async () => (await (await person.get("/")).text()).replaceAll("&#x2F;", "/")
  expect(await page()).toContain("Its number is here once the sandbox is linked")
  await host.take((await Bridge.get(person.accountId, "sandbox")).id)
  const linked = await page()
  expect(linked).toContain("+15550002, somebody who writes to you")
  expect(linked).toContain("This phone cannot be used from here.")
  expect(linked).toContain("&quot;chat&quot;:&quot;15550002&quot;")
  const places = { baseUrl: "https://bridge.example.com", contact: "15550002" }
  const elsewhere = String(await codeBlocks({ ...places, isReceiverHere: false }))
  expect(elsewhere).toContain("Put your program where the internet can reach it")
  expect(elsewhere).not.toContain("http://127.0.0.1")
  const quoted = elsewhere.replaceAll("&quot;", '"')
  expect(quoted).toContain('await sandbox.sendText({ chat: "15550002", body: "Hello" })')
  expect(quoted).toContain('sandbox.send_text(chat="15550002", body="Hello")')
  expect(
    quoted.match(/BRIDGE_URL="https:\/\/bridge.example.com"|BRIDGE_URL="https:&#x2F;&#x2F;/g),
  ).toHaveLength(4)
  expect(await (await person.post("/sandbox/call")).text()).toContain("This phone cannot be used from here.")
  // Its pages are under the sandbox, as those of no other number are.
  for (const [number, place] of [
    ["sandbox", "/start"],
    ["shop", "/numbers"],
  ] as const) {
    const log = (await (await person.get(`/numbers/${number}/log`)).text()).replaceAll("&#x2F;", "/")
    expect(log).toContain(`<a href="${place}" aria-current=page>`)
  }
  const numbers = async () => await (await person.get("/numbers")).text()
  expect(await numbers()).not.toContain("No number yet")
  await person.post("/numbers/shop/settings/delete", { confirm: "shop" })
  const left = await numbers()
  expect([left.includes("No number yet"), left.match(/<tr id="number-/g)?.length]).toEqual([true, 1])
})

test("how a number sends is typed and shown in seconds, recommended by a button, removed by empty fields", async () => {
  const person = await aPerson()
  const path = "/numbers/shop/settings"
  const chosen = async () => (await Lease.get(person.bridge.id))!.choice
  const form = { new_chats: "20", gap: "3.5", typing: "", daily_presence: "on", link_previews: "on" }
  expect((await person.post(`${path}/sending`, form)).status).toBe(200)
  expect(await chosen()).toMatchObject({
    pacing: { new_chats_a_day: 20, gap_ms: 3500 },
    dailyPresence: true,
    linkPreviews: true,
  })
  const shown = await (await person.get(path)).text()
  for (const value of ['value="20"', 'value="3.5"']) expect(shown).toContain(value)
  expect(shown).toMatch(/name="daily_presence"\s+checked/)

  for (const [wrong, sentence] of [
    [{ gap: "61" }, "Seconds between two messages: not a number in the range"],
    [{ typing: "soon" }, "Seconds of typing before a message: not a number"],
    [{ new_chats: "-1" }, "New chats a day: not a number"],
  ] as const) {
    const refused = await person.post(`${path}/sending`, { ...form, ...wrong })
    const text = await refused.text()
    expect([refused.status, text.includes(sentence)]).toEqual([400, true])
    expect(text).toContain(`value="${Object.values(wrong)[0]}"`)
  }
  expect(await chosen()).toMatchObject({ pacing: { new_chats_a_day: 20, gap_ms: 3500 } })

  await person.post(`${path}/sending`, { ...form, take: "recommended" })
  const recommended = { new_chats_a_day: 20, gap_ms: 3000, typing_ms: 1500 }
  expect(await chosen()).toMatchObject({ pacing: recommended, dailyPresence: true })
  await person.post(`${path}/sending`, { new_chats: " ", gap: "", typing: "" })
  expect(await chosen()).not.toHaveProperty("pacing")
  expect(await chosen()).toMatchObject({ dailyPresence: false, linkPreviews: false })
})

test("which messages a number keeps is chosen from a list, and nothing else is taken", async () => {
  const person = await aPerson()
  const path = "/numbers/shop/settings"
  const chosen = async () => (await Lease.get(person.bridge.id))!.choice
  expect((await person.post(`${path}/keeping`, { keep: "30", history: "on" })).status).toBe(200)
  expect(await chosen()).toMatchObject({ keep: 30, history: true })
  const shown = await (await person.get(path)).text()
  expect(shown).toMatch(/<option value="30" selected>/)
  expect(shown).toMatch(/name="history"\s+checked/)
  const refused = await person.post(`${path}/keeping`, { keep: "14" })
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("not 7, 30 or 90 days"),
  ])
  const unfit = await person.post(`${path}/keeping`, { keep: "", history: "on" })
  expect([unfit.status, await unfit.text()]).toEqual([
    400,
    expect.stringContaining("Earlier messages: only while messages are kept"),
  ])
  expect(await chosen()).toMatchObject({ keep: 30, history: true })
  await person.post(`${path}/keeping`, { keep: "" })
  expect(await chosen()).not.toHaveProperty("keep")
  expect(await chosen()).toMatchObject({ history: false })
})

test("a number's files go to a bucket of its owner's, whose secret no page shows, until that is ended", async () => {
  const person = await aPerson()
  const path = "/numbers/shop/settings"
  const chosen = async () => (await Lease.get(person.bridge.id))!.choice.mediaStore
  const form = {
    bucket: "shop-files",
    access_key_id: "AKIA1",
    secret_access_key: "hush-hush",
    endpoint: "",
    link: "key",
  }
  const refused = await person.post(`${path}/store`, { ...form, endpoint: "https://10.0.0.1" })
  const shown = await refused.text()
  expect([refused.status, shown.includes("this address is not public")]).toEqual([400, true])
  expect([shown.includes('value="shop-files"'), shown.includes("hush-hush")]).toEqual([true, false])
  expect(await chosen()).toBeUndefined()
  const saved = await (await person.post(`${path}/store`, form)).text()
  expect(saved).toContain("Saved. It holds from the next file on.")
  expect(saved).not.toContain("hush-hush")
  expect(await chosen()).toMatchObject({ bucket: "shop-files", region: "us-east-1", link: "key" })
  await person.post(`${path}/store`, { ...form, ...store, prefix: "shop/" })
  const tried = async () => await (await person.post(`${path}/store/try`)).text()
  expect(await tried()).toContain("<code>shop/try.txt</code>")
  state.isRefusing = true
  expect(await tried()).toContain("The bucket did not take it: ")
  await person.post(`${path}/store/remove`)
  expect(await chosen()).toBeUndefined()
})

test("how many chats a number may still begin today is said by its session", async () => {
  const person = await aPerson()
  const path = "/numbers/shop/settings"
  expect(await (await person.get(path)).text()).not.toContain("left today")
  await person.post(`${path}/sending`, { new_chats: "20" })
  const said = { status: "connected", jid: "", lid: "", name: "", phone: "15550001", new_chats_left: 7 }
  const host = await aScriptedHost((_call, response) => sayJson(response, 200, said))
  await host.take(person.bridge.id)
  expect(await (await person.get(path)).text()).toContain("7 are left today.")
})

/** A text that was sent so many seconds after the others began. */
function aSentText(id: string, askedAt: number) {
  return {
    message_id: id,
    chat_id: "491711234567@s.whatsapp.net",
    contact_id: "491719876543@s.whatsapp.net",
    from_me: true,
    type: "text",
    media_type: "",
    body: `sent ${id}.`,
    status: "delivered",
    sent_at: askedAt,
    asked_at: askedAt,
    request_id: `request-${id}`,
  }
}

test("in a chat, an answer stands after its question, whatever their clocks say", async () => {
  const person = await aPerson()
  const chat = "491711234567@s.whatsapp.net"
  const at = Math.floor(Date.now() / 1000)
  const aSend = (id: string, body: string, events_before: number, timestamp = at) => {
    const { status: _status, sent_at: _at, ...sent } = aSentText(id, at)
    const about = { chat_id: chat, name: "", phone: "491719876543", is_group: false, timestamp }
    return { ...sent, ...about, body, events_before, status: "sent" }
  }
  // Both are of the second of the question, by clocks that differ: one before it, one as its answer.
  const sent = [aSend("M2", "the answer", 1, at - 1), aSend("M1", "an offer", 0)]
  const host = await aScriptedHost(({ path }, response) =>
    sayJson(response, 200, path.startsWith("/said?") ? sent : path.startsWith("/names") ? {} : []),
  )
  await host.take(person.bridge.id)
  const outbox = await anOutbox(person.bridge)
  await outbox.write(anEvent("the question"), { event: "connected", phone: "1" })
  // While much else runs, a page may come without what its session says.
  const words = await until(async () => {
    const page = await (await person.get(`/numbers/shop/chats/${encodeURIComponent(chat)}`)).text()
    const all = [...page.matchAll(/<p class="words"[^>]*>([^<]+)<\/p>/g)].map(([, one]) => one)
    return all.length === 3 && all
  })
  expect(words).toEqual(["an offer", "the question", "the answer"])
  const list = async () => await (await person.get("/numbers/shop/chats")).text()
  await until(async () => (await list()).replaceAll(/\s+/g, " ").includes("You: <bdi>the answer</bdi>"))
})

test("a message that failed leads to the call that sent it, where that is listed", async () => {
  const person = await aPerson()
  const at = Math.floor(Date.now() / 1000)
  const failed = { ...aSentText("M1", at), status: "failed", reason: "the network refused it" }
  const sent = [{ ...failed, request_id: "not-kept" }, failed, aSentText("M2", at)]
  const host = await aScriptedHost(({ path }, response) =>
    sayJson(response, 200, path.startsWith("/messages/") ? failed : sent),
  )
  await host.take(person.bridge.id)
  const call = { method: "POST", path: "/api/instances/shop/proxy/send/text", keyId: "key", ms: 5 }
  const refusal = { code: "network_rejected", sentence: "the network refused it" }
  for (const requestId of ["before", "request-M1"])
    await RequestLog.add(person.accountId, { ...call, requestId, status: 502, refusal })
  const listed = async () => (await RequestLog.page(person.accountId, { limit: 9 })).calls
  await until(async () => (await listed()).length === 2)
  const [latest] = await listed()
  await until(() => Date.now() > latest!.atMs)
  await RequestLog.add(person.accountId, { ...call, requestId: "after", status: 502, refusal })
  await until(async () => (await listed()).length === 3)
  const page = (await (await person.get("/numbers/shop/messages/M1")).text()).replaceAll("&#x2F;", "/")
  const links = [...page.matchAll(/href="(\/requests\/[^"]+)">See the request</g)].map(([, to]) => to!)
  expect(links).toHaveLength(1)
  const request = await (await person.get(links[0]!)).text()
  expect(request).toContain("<code>request-M1</code>")
  // The session still has what the call sent: as code, and to be sent again.
  for (const begins of ["-d &#39;", 'spellcheck="false">\n'])
    expect(request).toContain(`${begins}{\n  &quot;chat&quot;: &quot;491711234567@s.whatsapp.net&quot;`)
  const body = JSON.stringify({ chat: "491711234567", body: "again" })
  const [, key = ""] = /name="key" value="([^"]+)"/.exec(request) ?? []
  const answer = await (await person.post(links[0]!, { body, key })).text()
  expect(answer).toContain('aria-label="The answer"')
  // The same form again is the same message.
  await person.post(links[0]!, { body, key })
  expect(host.calls.filter(({ method }) => method === "POST")).toMatchObject([{ path: "/send/text", body }])
  // Whoever has a key chooses the path of a call. What unlinks is done on its own page alone.
  const logout = { method: "DELETE", path: "/api/instances/shop/proxy/logout", keyId: "key", ms: 5 }
  const injected = { ...call, path: "/api/instances/$(id)';id/proxy/send/text" }
  for (const one of [logout, injected])
    await RequestLog.add(person.accountId, { ...one, requestId: one.path, status: 404, refusal })
  await until(async () => (await listed()).length === 5)
  const pageOf = async (wanted: string) =>
    `/requests/${(await listed()).find(({ path }) => path === wanted)!.place}`
  const code = await (await person.get(await pageOf(injected.path))).text()
  expect(code.replaceAll("&#x2F;", "/")).toContain("/$(id)&#39;\\&#39;&#39;;id/proxy/send/text&#39; \\\n")
  expect((await person.post(await pageOf(logout.path), { key })).status).toBe(404)
  expect((await person.get("/requests/1234567890123.00000000")).status).toBe(404)
})

const sendPath = (ref: string) => `/api/instances/${ref}/proxy/send/text`

test("requests are filtered by number, key, code and time, and equal ones hide no other", async () => {
  const person = await aPerson()
  const call = { method: "POST", keyId: "abc", ms: 5 }
  const refused = { code: "network_rejected", sentence: "no new chats", networkCode: 463 }
  const limit = { code: "rate_limited", sentence: "rate limit exceeded" }
  for (let i = 0; i < 29; i++) {
    const loop = { ...call, path: sendPath("shop"), status: 429, refusal: limit, requestId: `loop-${i}` }
    await RequestLog.add(person.accountId, loop)
    if (i !== 14) continue
    const hidden = { path: sendPath("till"), status: 502, refusal: refused, requestId: "hidden" }
    await RequestLog.add(person.accountId, { ...call, ...hidden, keyId: "def" })
  }
  await until(async () => (await RequestLog.page(person.accountId, { limit: 99 })).calls.length === 30)
  const shown = async (query = "") => {
    const page = await (await person.get(`/requests${query}`)).text()
    return { page, statuses: [...page.matchAll(/<span class="state bad">(\d+)</g)].map(([, one]) => one) }
  }
  const all = await shown()
  expect(all.statuses).toEqual(["429", "502"])
  expect(all.page).toContain("29 times since")
  for (const one of ["number=till", "key=def", "code=463", "code=network_rejected", "code=502"])
    expect((await shown(`?${one}`)).statuses).toEqual(["502"])
  expect((await shown("?until=2020-01-01T10:00")).statuses).toEqual([])
  expect((await shown("?since=2020-01-01T10:00&code=429")).statuses).toEqual(["429"])
  expect((await shown("?since=2999-01-01T10:00")).page).toContain("No request matches")
})

test("while its session is silent, a number's known chats are there within a second, for viewers too", async () => {
  const viewer = await aPerson("viewer")
  const name = `<b>\u202e${"\u{1f600}".repeat(62)}`
  await (await anOutbox(viewer.bridge)).write({ ...anEvent("is it open?"), name } as Event)
  const shown = async () => await (await viewer.get("/numbers/shop/chats")).text()
  expect(await shown()).toContain("What was sent is not shown: this number does not run at this moment.")
  const host = await aScriptedHost(() => {})
  await host.take(viewer.bridge.id)
  const start = performance.now()
  const page = await shown()
  expect(performance.now() - start).toBeLessThan(1500)
  expect(page).toContain("is it open?")
  expect(page).toContain("What was sent is not shown:")
  expect(page).not.toContain("<b>\u202e")
  await Lease.stop(viewer.bridge.id, "customer")
  expect(await shown()).toContain("this number was paused in the dashboard")
  const odd = await viewer.get("/numbers/shop/chats/491711234567?before=%00~x&until=x&quote=%27")
  expect(odd.status).toBe(200)
})
