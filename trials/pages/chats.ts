import { setTimeout as sleep } from "node:timers/promises"
import type { ScriptlessBrowser } from "#one-machine/demo/scriptless-browser.ts"
import { readQr } from "#simulator/phone/qr-image.ts"
import { quantile } from "#test/support/quantile.ts"
import { press, sees } from "#test/support/service/walk.ts"
import { until } from "#test/support/until.ts"
import type { Seeded, Stage } from "./scene.ts"

/**
 * From the moment when a phone has scanned the code until what a person types in the browser is on the phone
 * of somebody who has written.
 * @returns seconds, and clicks
 */
export async function firstAnswer({ service, base, page }: Stage, { call }: Seeded) {
  const { network } = service
  await call("POST", "/instances", { customer_ref: "answers" })
  const [owner, contact] = [await network.create("Olive"), await network.create("Carl")]
  await page.goto(`${base}/numbers/answers/connect`)
  const picture = await page.waitForSelector("#qr img", { timeout: 30_000 })
  const source = (await picture!.evaluate((image) => image.getAttribute("src"))) ?? ""
  const png = new Uint8Array(Buffer.from(source.split(",")[1] ?? "", "base64"))
  if (readQr(Buffer.from(png)) === undefined) throw new Error("there is no code on the page")
  const start = performance.now()
  let clicks = 0
  const click = async (what: Promise<void>) => {
    clicks++
    await what
  }
  await network.scan(owner.number, png)
  await page.waitForSelector("#ask-to-keep")
  await network.send(contact.number, owner.number, "Is anybody there?")
  await click(press(page, "Keep 30 days and open the chats"))
  await click(page.locator("#chats a").click())
  await page.locator("#text").fill("Yes, it is me.")
  await click(press(page, "Send"))
  await network.read(contact.number, { wait: 20_000, text: "Yes, it is me." })
  const answer_s = Math.round((performance.now() - start) / 100) / 10
  await sees(page, "Sent")
  return { answer_s, answer_clicks: clicks }
}

/** How many pages show a chat at the same time; a person may have twelve. */
const open = 20

/**
 * How much later than its call is answered a message that the API sends is in its chat's page, and one that
 * comes later than in the API's stream, while twenty pages show chats.
 * @returns the 99th percentiles, ms
 */
export async function shownInChats(
  { service, base, page, browser }: Stage,
  { call }: Seeded,
  { colleague, count }: { colleague: ScriptlessBrowser; count: number },
) {
  const { network } = service
  const { phone } = (await (await call("GET", "/instances/answers/proxy/status")).json()) as { phone: string }
  const carl = (await network.phones()).find(({ name }) => name === "Carl")!
  const path = `/numbers/answers/chats/${carl.number}@s.whatsapp.net`
  const own = (await browser.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ")
  const over = new AbortController()
  const cookies = Array.from({ length: open - 1 }, (_, at) => (at < open / 2 ? own : colleague.cookie()))
  const stream = `${base}/numbers/answers/chats/stream?chat=${carl.number}`
  await Promise.all(cookies.map(async (cookie) => await keepOpen(stream, { cookie, signal: over.signal })))
  await page.goto(base + path)
  await page.evaluate(`
    window.cameAt = {}
    new MutationObserver((all) => {
      for (const { addedNodes } of all) for (const one of addedNodes) if (one.id) window.cameAt[one.id] ??= Date.now()
    }).observe(document.querySelector("#messages"), { childList: true })
  `)
  const told = new Map<string, { at: number; how: "sent" | "came" }>()
  const events = await call("GET", "/instances/answers/events?type=message", undefined, {
    accept: "text/event-stream",
  })
  const reader = events.body!.getReader()
  const reading = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read())
      for (const [, id] of Buffer.from(part.value)
        .toString()
        .matchAll(/"message_id":"([^"]+)"/g))
        if (!told.has(`m-${id}`)) told.set(`m-${id}`, { at: Date.now(), how: "came" })
  })()
  // The page's stream has begun when it shows something that came after it.
  await network.send(carl.number, phone, "first of all")
  await page.waitForSelector("#messages ::-p-text(first of all)")
  told.clear()
  for (let i = 0; i < count; i++) {
    const body = { chat: carl.number, body: `shown ${i}` }
    const answer = await call("POST", "/instances/answers/proxy/send/text", body)
    const { message_id } = (await answer.json()) as { message_id: string } // as the contract says
    told.set(`m-${message_id}`, { at: Date.now(), how: "sent" })
    await network.send(carl.number, phone, `came ${i}`)
    await sleep(50)
  }
  const cameAt = await until(
    async () => {
      const seen = (await page.evaluate("window.cameAt")) as Record<string, number>
      return told.size >= 2 * count && [...told.keys()].every((id) => id in seen) && seen
    },
    { what: "all messages on the page" },
  )
  over.abort()
  await reader.cancel()
  await reading
  const late = (which: "sent" | "came") =>
    [...told].flatMap(([id, { at, how }]) =>
      how === which ? Math.max(0, (cameAt[id] ?? Infinity) - at) : [],
    )
  return {
    shown_sent_ms_p99: quantile(late("sent"), 0.99),
    shown_came_ms_p99: quantile(late("came"), 0.99),
  }
}

/** Opens a page's stream, and reads it until the signal says so. */
async function keepOpen(stream: string, by: { cookie: string; signal: AbortSignal }): Promise<void> {
  const answer = await fetch(stream, { headers: { cookie: by.cookie }, signal: by.signal })
  if (!answer.ok) throw new Error(`a stream was refused: ${answer.status}`)
  void answer.body!.pipeTo(new WritableStream(), { signal: by.signal }).catch(() => {})
}
