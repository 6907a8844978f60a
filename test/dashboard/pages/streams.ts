import "#test/support/store.ts"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join as joined } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { Member } from "#core/account/member.ts"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { Receiver } from "#core/event/receiver.ts"
import { Place } from "#core/limits/place.ts"
import { RateLimit } from "#core/limits/rate-limit.ts"
import { config } from "#core/platform/config.ts"
import { transact } from "#core/store/store.ts"
import { streamsOfAccount } from "#dashboard/live.ts"
import { anAddress } from "#test/support/service/customer.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { aVisitor } from "#test/support/service/visitor.ts"
import { anEvent, anOutbox, answerAll } from "#test/support/session/events-and-doorbells.ts"
import { aPerson, shownBy } from "./person.ts"

test("a page's stream that is cut goes on behind the event that was shown last, and shows none twice", async () => {
  const person = await aPerson()
  const outbox = await anOutbox(person.bridge)
  const ids = await outbox.write(...["a", "b", "c"].map(anEvent))
  const stream = "/numbers/shop/events/stream"
  const first = await shownBy(await person.get(`${stream}?from=0`), 2)
  expect(first.ids.slice(0, 2)).toEqual(ids.slice(0, 2))
  const again = await shownBy(await person.get(`${stream}?from=0`, { "last-event-id": ids[1]! }), 1)
  expect(again.ids).toEqual([ids[2]])
  // So far the page had looked, and nothing was to be shown.
  const looked = await shownBy(await person.get(`${stream}?from=0`, { "last-event-id": "after_2" }), 1)
  expect(looked.ids).toEqual([ids[2]])
  const later = person.get(`${stream}?from=3&search=LATE`)
  await outbox.write(anEvent("other"), anEvent("late"))
  expect((await shownBy(await later, 1)).said).toContain("late")
})

test("a row of an event that waits, and the event's page, say by themselves when it is delivered", async () => {
  const person = await aPerson()
  const receiver = await aReceiver([500])
  const bridge = await Bridge.setWebhookUrl(person.bridge, receiver.url)
  const outbox = await anOutbox(bridge)
  const [id] = await outbox.append(anEvent("first"))
  await answerAll()
  const page = await (await person.get("/numbers/shop/events")).text()
  expect(page).toContain(`id="outcome-${id}" class="state warn">waiting</span>`)
  const [, stream = ""] = /data-stream="([^"]+)"/.exec(page) ?? []
  const event = await (await person.get(`/numbers/shop/events/${id}`)).text()
  expect(event).toMatch(
    /<h2>A message came, or was written on the phone<\/h2>\s+<a class="tag"[^>]+>message</,
  )
  expect(event).toMatch(/href="\/numbers\/shop\/deliveries">All deliveries</)
  expect(event).toMatch(/<\/b>\s+first<\/p>[^]+href="\/numbers\/shop\/chats\/[^"]+">Open the chat</)
  expect(event).toMatch(
    /Time<\/dt>\s+<dd>\s*<time [^>]+data-at="second">\d{4}-\d\d-\d\d \d\d:\d\d:\d\d<\/time>\s+<span class="age" data-ago="\d+">/,
  )
  expect(event).toMatch(
    /The next attempt is in\s+<time datetime="[^"]+" data-until="\d+" title="[^"]+ UTC" data-at="title">/,
  )
  const rows = await person.get(stream.replaceAll("&amp;", "&"))
  const own = await person.get(`/numbers/shop/events/${id}/stream`)
  await person.post(`/numbers/shop/events/${id}/retry`)
  await answerAll()
  await readUntil(rows, `id="outcome-${id}" class="state good">delivered</span>`)
  await readUntil(own, "The webhook took it.")
})

test("a given-up event leaves the page of deliveries once sent again and taken; its receiver fails no more", async () => {
  const person = await aPerson()
  const receiver = await aReceiver([410, 200])
  const bridge = await Bridge.setWebhookUrl(person.bridge, receiver.url)
  const outbox = await anOutbox(bridge)
  await outbox.append(anEvent("refused at first"))
  await answerAll()
  const deliveries = "/numbers/shop/deliveries"
  const before = await (await person.get(deliveries)).text()
  expect(before).toContain("Undelivered: 1")
  expect(before).toContain(">Webhook failing<")
  expect(before).toContain('href="/numbers/shop/webhooks#first">Change the webhook')
  expect(await (await person.get("/numbers/shop")).text()).toMatch(/button main"\s*href="[^"]*#first"/)
  const stream = await person.get(`${deliveries}/stream`)
  await person.post(`${deliveries}/resend`, { within: "3600" })
  await answerAll()
  expect(await outbox.states()).toEqual(["delivered"])
  await readUntil(stream, '<section id="given-up" hidden>')
  expect(await (await person.get(deliveries)).text()).not.toContain(">Webhook failing<")
})

test("while a long list of given-up events is tidied up, the stream of deliveries goes on undisturbed", async () => {
  const person = await aPerson()
  const bridge = await Bridge.setWebhookUrl(person.bridge, "https://shop.example/hook")
  const leadNowhere = Array.from({ length: 2000 }, (_, i) => ({ bridgeId: bridge.id, n: i + 1 }))
  for (let i = 0; i < leadNowhere.length; i += 100)
    await transact(
      leadNowhere
        .slice(i, i + 100)
        .map((event) => EventLists.listing(Receiver.first(bridge.id), event, "undelivered")),
    )
  const stream = await person.get("/numbers/shop/deliveries/stream")
  const said = await readUntil(stream, '<section id="given-up" hidden>')
  expect(said).toContain('id="attempts"')
})

/** Reads a stream until this was sent. @returns all that it sent */
async function readUntil(answer: Response, text: string): Promise<string> {
  const reader = answer.body!.getReader()
  let said = ""
  while (!said.includes(text)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the stream ended before ${text}`)
    said += Buffer.from(value).toString()
  }
  await reader.cancel()
  return said
}

test("the open streams of a member who is removed end within seconds", async () => {
  const person = await aPerson("member")
  const reader = (await person.get("/numbers/shop/events/stream?from=0")).body!.getReader()
  await reader.read()
  await Member.remove(person.accountId, person.person.id)
  // A stream lives for a minute, longer than this test.
  let isOver = false
  while (!isOver) isOver = (await reader.read()).done
  expect(isOver).toBe(true)
})

test("twelve of a hundred tabs are live, two of a link page; others come back, and a closed one makes room", async () => {
  const person = await aPerson()
  const stream = "/numbers/shop/events/stream?from=0"
  /** Where the disk is slow, pages are told that the service cannot answer now. A tab asks again. */
  const openTab = async () => {
    for (;;) {
      const tab = await person.get(stream)
      if (tab.status !== 503) return tab
    }
  }
  const tabs = await Promise.all(Array.from({ length: 100 }, openTab))
  const open = tabs.filter(({ status }) => status === 200)
  const refused = tabs.filter(({ status }) => status === 429)
  expect([open.length, refused.length]).toEqual([12, 88])
  expect(refused[0]!.headers.get("retry-after")).toBe("3")
  expect((await (await aPerson()).get(stream)).status).toBe(200)
  expect((await person.get("/numbers/shop/events")).status).toBe(200)
  const { token } = await LinkSession.create(person.bridge, {})
  const linking = await Promise.all([1, 2, 3].map(() => aVisitor().get(`/link/${token}/stream`)))
  expect(linking.filter(({ status }) => status === 429)).toHaveLength(1)
  await Promise.all(linking.map((tab) => tab.body!.cancel()))
  await Promise.all(open.map((tab) => tab.body!.cancel()))
  await vi.waitFor(async () => expect((await person.get(stream)).status).toBe(200), 5000)
})

test("on Lambda thirty tabs of an address are live, whoever has them, and other addresses are as before", async () => {
  config.AWS_LAMBDA_FUNCTION_NAME = "DashboardStream"
  onTestFinished(() => void (config.AWS_LAMBDA_FUNCTION_NAME = undefined))
  const address = anAddress()
  const office = await Promise.all(Array.from({ length: 4 }, () => aPerson(undefined, address)))
  const stream = "/numbers/shop/events/stream?from=0"
  const tabs = await Promise.all(
    office.flatMap((person) => Array.from({ length: 10 }, () => person.get(stream))),
  )
  const open = tabs.filter(({ status }) => status === 200)
  expect([open.length, tabs.filter(({ status }) => status === 429).length]).toEqual([30, 10])
  expect((await (await aPerson()).get(stream)).status).toBe(200)
  await Promise.all(open.map((tab) => tab.body!.cancel()))
  await vi.waitFor(async () => expect((await office[0]!.get(stream)).status).toBe(200), 5000)
})

test("a tab that goes from page to page takes its own place over, though the stream's end was not noticed", async () => {
  const person = await aPerson()
  const open = async (part: string) => (await person.get(`/numbers/shop/events/stream?from=0${part}`)).status
  for (let i = 0; i < 15; i++) expect(await open("&part=1111-2222-0")).toBe(200)
  for (let i = 0; i < 11; i++) expect(await open("")).toBe(200)
  expect(await open("")).toBe(429)
  expect(await open("&part=1111-2222-0")).toBe(200)
  expect(await open("&part=1111-2222-1")).toBe(429)

  const of = randomBytes(6).toString("hex")
  const before = (await Place.take(of, 2, { opener: "mine" }))!
  const another = (await Place.take(of, 2, { opener: "another" }))!
  const after = (await Place.take(of, 2, { opener: "mine" }))!
  expect(await Promise.all([before, another, after].map(Place.renew))).toEqual([false, true, true])
  // The one before goes later, and takes nothing with it.
  await Place.leave(before)
  expect(await Place.renew(after)).toBe(true)
})

test("a part loaded over and over keeps one stream, and waits if it is a person's 300th in a minute", async () => {
  const person = await aPerson()
  const open = async () => await person.get("/numbers/shop/events/stream?from=0&part=1111-2222-0")
  const first = (await open()).body!.getReader()
  expect((await open()).status).toBe(200)
  // The first one ends by itself, long before its minute is over.
  while (!(await first.read()).done);
  await Promise.all(Array.from({ length: 300 }, () => RateLimit.count("pageStreams", person.person.id)))
  const refused = await open()
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3"])
  expect((await (await aPerson()).get("/numbers/shop/events/stream?from=0")).status).toBe(200)
})

test("the log is newest first, has links, finds a line behind many, and its stream goes on after a break", async () => {
  const folder = mkdtempSync(joined(tmpdir(), "bridge-logs-"))
  config.LOG_DIR = folder
  onTestFinished(() => {
    delete config.LOG_DIR
    rmSync(folder, { recursive: true })
  })
  const person = await aPerson()
  const log = (level: BridgeLog.Level, ...texts: string[]) => {
    for (const text of texts) BridgeLog.append(person.bridge.id, level, text)
  }
  const plain = Array.from({ length: 2000 }, (_, i) => `plain ${i} ${"ä".repeat(50)}`)
  log("error", "the cause <b>")
  log("info", ...plain)
  const page = await (await person.get("/numbers/shop/log?level=ERROR")).text()
  expect(page.match(/<li class="level-/g)).toHaveLength(1)
  expect(page).toMatch(
    /<time datetime="\S+Z" data-at="second">\d{4}-\d\d-\d\d \d\d:\d\d:\d\d<\/time> ERROR the cause &lt;b&gt;/,
  )
  const [event, message] = ["evt_aaaaaaabcvt3purb", "3EB09C0D157D6BE57CAD15"]
  log("warn", `event message ${event}, attempt 1: refused after 5 ms`, `message ${message} acknowledged`)
  const linked = (await (await person.get("/numbers/shop/log?level=WARN")).text()).replaceAll("&#x2F;", "/")
  expect(linked).toContain(`<a href="/numbers/shop/events/${event}">${event}</a>, attempt 1: no connection`)
  expect(linked).toContain(`message <a href="/numbers/shop/messages/${message}">${message}</a> acknowledged`)
  const whole = await (await person.get("/numbers/shop/log")).text()
  const shown = [
    ...whole.matchAll(
      /<li class="level-INFO" data-into="log">\s*<time[^>]*>[^<]*<\/time>\s+INFO (.*?)\s*<\/li>/g,
    ),
  ]
  expect(shown.map(([, text]) => text)).toEqual(plain.slice(-298).toReversed())

  const stream = /data-stream="([^"]+)"/.exec(whole)![1]!.replaceAll("&amp;", "&").replaceAll("&#x2F;", "/")
  log("info", "between")
  const first = await shownBy(await person.get(stream), 1)
  expect(first.said).toContain("INFO between")
  expect(first.said).not.toContain("plain")
  log("warn", "in the break")
  const again = await shownBy(await person.get(`${stream}&after=${first.ids[0]}`), 1)
  expect(again.said).toContain("WARN in the break")
  expect(again.said).not.toContain("between")
  // Without a place it begins now.
  const old = await person.get("/numbers/shop/log/stream")
  log("info", "later")
  expect((await shownBy(old, 1)).said).not.toContain("plain")
})

test("the people of an account have only so many streams together, and another account has its own", async () => {
  const { each } = streamsOfAccount
  onTestFinished(() => void (streamsOfAccount.each = each))
  streamsOfAccount.each = 1
  const [person, other] = [await aPerson(), await aPerson()]
  const [first, second] = [await person.get("/live/numbers"), await person.get("/live/numbers")]
  expect([first.status, second.status]).toEqual([200, 429])
  const theirs = await other.get("/live/numbers")
  expect(theirs.status).toBe(200)
  await first.body!.cancel()
  const again = await person.get("/live/numbers")
  expect(again.status).toBe(200)
  await Promise.all([theirs, again].map(({ body }) => body!.cancel()))
})
