import { setTimeout as sleep } from "node:timers/promises"
import { startChromium } from "#one-machine/browser/chromium.ts"
import { sessionHostPids } from "#one-machine/service/session-host-pids.ts"
import { quantile } from "#test/support/quantile.ts"
import { startReceiver } from "#test/support/service/start-receiver.ts"
import { follow, press, sees } from "#test/support/service/walk.ts"
import { until } from "#test/support/until.ts"
import type { Seeded, Stage } from "./scene.ts"

const secondsSince = (start: number) => Math.round((performance.now() - start) / 100) / 10

/**
 * A newcomer signs up by code, gives the sandbox a webhook and has a test event sent to it. @returns seconds,
 * and clicks, until it is there
 */
export async function signUp({ base, page: operators }: Stage) {
  const receiver = await startReceiver()
  // Another person has another browser.
  const browser = await startChromium()
  try {
    const page = await browser.newPage()
    const start = performance.now()
    let clicks = 0
    const click = async (what: Promise<void>) => {
      clicks++
      await what
    }
    const email = `newcomer-${Date.now()}@example.com`
    await page.goto(`${base}/sign-in`)
    await page.locator("#email").fill(email)
    await click(press(page, "Get a code"))
    await page.waitForSelector("#code")
    await operators.goto(`${base}/dev/mail`)
    const mails = String(await operators.evaluate("document.body.textContent"))
    const code = /([0-9A-Z]{4}-[0-9A-Z]{4}) is your code/.exec(mails)?.[1] ?? ""
    // It sends itself once it is whole.
    await page.locator("#code").fill(code)
    await page.waitForSelector("#start-events li", { timeout: 60_000 })
    await click(follow(page, "Give the sandbox a webhook"))
    await page.locator("#webhook_url").fill(receiver.urlOf("newcomer"))
    await click(press(page, "Save"))
    // The sandbox may have nothing to tell for a while.
    await click(press(page, "Send a test event"))
    await until(() => receiver.arrivals.some(({ headers }) => headers["x-webhook-signature"] !== undefined), {
      what: "a signed webhook",
      withinMs: 60_000,
    })
    return { signup_to_webhook_s: secondsSince(start), signup_clicks: clicks }
  } finally {
    await browser.close()
    await receiver.stop()
  }
}

/**
 * Opens Connect for a new number and compares the code on the screen with the network's, for some time.
 * @param forMs how long from the first code on; there is at least one sample
 * @returns seconds until there is one, and the share of samples in which it is the current one, or gone a
 * second later
 */
export async function qrFresh({ base, page }: Stage, customer: Seeded, forMs: number) {
  await customer.call("POST", "/instances", { customer_ref: "sampled" })
  await page.goto(`${base}/numbers`)
  const start = performance.now()
  await page.goto(`${base}/numbers/sampled/connect`)
  await page.waitForSelector("#qr img", { timeout: 30_000 })
  const qr_seen_s = secondsSince(start)
  const codes = async () => {
    const answer = await customer.call("GET", "/instances/sampled/proxy/qr")
    return Buffer.from(await answer.arrayBuffer()).toString("base64")
  }
  const onScreen = async () => String(await page.evaluate("document.querySelector('#qr img')?.src ?? ''"))
  const samples: boolean[] = []
  const turns = new Set<string>()
  const sampledFrom = performance.now()
  do {
    const before = await codes()
    const source = await onScreen()
    const after = await codes()
    turns.add(after)
    const isCurrent = [before, after].some((code) => source.endsWith(code))
    // A code that was replaced a moment ago is on its way to the page. A stale page still has the old one
    // later.
    await sleep(isCurrent ? 250 : 1000)
    samples.push(isCurrent || (await onScreen()) !== source)
  } while (performance.now() - sampledFrom < forMs)
  const fresh = samples.filter(Boolean).length / samples.length
  return {
    qr_seen_s,
    qr_fresh: Math.round(fresh * 10_000) / 10_000,
    qr_samples: samples.length,
    qr_turns: turns.size,
  }
}

/**
 * How much later an event is on the page than in the API's own stream of events. Both clocks are this
 * machine's.
 * @returns the 99th percentile, ms
 */
export async function shown({ service, base, page }: Stage, customer: Seeded, count: number) {
  const { phone } = (await (await customer.call("GET", "/instances/my-bridge/proxy/status")).json()) as {
    phone: string
  }
  const ada = (await service.network.phones()).find(({ name }) => name === "Ada")!
  await page.goto(`${base}/numbers/my-bridge/events`)
  await page.evaluate(`
    window.cameAt = {}
    new MutationObserver((all) => {
      for (const { addedNodes } of all) for (const one of addedNodes) if (one.id) window.cameAt[one.id] = Date.now()
    }).observe(document.querySelector("#events"), { childList: true })
  `)
  const told = new Map<string, number>()
  const stop = new AbortController()
  const stream = await customer.call("GET", "/instances/my-bridge/events", undefined, {
    accept: "text/event-stream",
  })
  const reading = (async () => {
    for await (const chunk of stream.body!) {
      for (const [, id] of Buffer.from(chunk)
        .toString()
        .matchAll(/^id: (.*)$/gm))
        told.set(id!, Date.now())
      if (stop.signal.aborted) return
    }
  })().catch(() => {})
  // The page's stream has begun when it shows something that came after it.
  await service.network.send(ada.number, phone, "first of all")
  await page.waitForSelector("#events ::-p-text(first of all)")
  told.clear()
  for (let i = 0; i < count; i++) {
    await service.network.send(ada.number, phone, `shown ${i}`)
    await sleep(100)
  }
  const cameAt = await until(
    async () => {
      const seen = (await page.evaluate("window.cameAt")) as Record<string, number>
      return told.size >= count && [...told.keys()].every((id) => id in seen) && seen
    },
    { what: "all events on the page" },
  )
  stop.abort()
  await stream.body?.cancel().catch(() => {})
  await reading
  const late = [...told].map(([id, at]) => Math.max(0, (cameAt[id] ?? Infinity) - at))
  return { shown_late_ms_p99: quantile(late, 0.99) }
}

/** A host may end between being listed and being killed. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/**
 * Kills every session host, and each that is started, until the page says that the number is lost.
 * @returns seconds until the page doubts the state, and calls it lost; and from the last kill until it is
 * connected again
 */
export async function killed({ service, base, page }: Stage) {
  await page.goto(`${base}/numbers/my-bridge`)
  await sees(page, "Connected")
  const start = performance.now()
  const state = async () =>
    String(
      await page
        .evaluate("document.querySelector('#state-card .state')?.textContent ?? ''")
        .catch(() => "Connected"),
    )
  let kill_seen_s = NaN
  await until(
    async () => {
      for (const pid of await sessionHostPids(service)) killIfThere(pid)
      const word = await state()
      if (word !== "Connected" && Number.isNaN(kill_seen_s)) kill_seen_s = secondsSince(start)
      return word === "Lost"
    },
    { what: "that it is lost", withinMs: 90_000 },
  )
  const lost = performance.now()
  await until(async () => (await state()) === "Connected", { what: "it back", withinMs: 180_000 })
  return {
    kill_seen_s,
    kill_lost_s: Math.round((lost - start) / 100) / 10,
    kill_back_s: secondsSince(lost),
  }
}
