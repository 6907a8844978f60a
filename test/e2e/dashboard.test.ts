import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { AxeResults } from "axe-core"
import type { Page } from "puppeteer-core"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { readQr } from "#simulator/phone/qr-image.ts"
import { startBrowser } from "#test/support/service/browser.ts"
import { type Service, startService } from "#test/support/service/service.ts"
import { until } from "#test/support/until.ts"

let service: Service
let browser: Awaited<ReturnType<typeof startBrowser>>
let base = ""
/** What went wrong in any page, and what it asked of other hosts. */
const wrong: string[] = []

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  base = service.baseUrl.replace("127.0.0.1", "localhost")
}, 60_000)
afterAll(async () => {
  await browser.close()
  await service.stop()
  service.remove()
})

async function aPage(): Promise<Page> {
  const page = await browser.newPage()
  await page.setViewport({ width: 1280, height: 900 })
  page.on("console", (said) => {
    if (said.type() === "error") wrong.push(said.text())
  })
  page.on("pageerror", (error) => wrong.push(String(error)))
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol !== "data:" && origin !== base) wrong.push(request.url())
  })
  onTestFinished(() => page.close())
  return page
}

/** Waits until this is to be read. The page may be exchanged for the next one meanwhile. */
const sees = (page: Page, text: string) =>
  until(
    async () => {
      const read = await page.evaluate("document.body.textContent").catch(() => "")
      return String(read).includes(text)
    },
    { what: text, withinMs: 15_000 },
  )
const press = (page: Page, name: string) => page.locator(`::-p-aria([name="${name}"][role="button"])`).click()
const follow = (page: Page, name: string) => page.locator(`::-p-aria([name="${name}"][role="link"])`).click()

test("the printed link signs in by itself, and the first event is there without a click", async () => {
  const page = await aPage()
  const link = /http:\/\/localhost:\d+\/sign-in\/link\/\S+/.exec(service.said())?.[0]
  await page.goto(link!)
  await page.waitForSelector("#start-events li")
  expect(page.url()).toBe(`${base}/`)

  const markup = `<img src=x onerror="document.title='evil'"> \u202eHello`
  await page.locator("#say").fill(markup)
  await press(page, "Send")
  await page.locator("#chat ::-p-text(onerror)").wait()
  await page.locator("#start-events ::-p-text(onerror)").wait()
  expect(await page.$("#start-events img, #chat img")).toBeNull()
  expect(await page.title()).toContain("Start")
  expect(wrong).toEqual([])
})

test("a number is added and linked by the code on the screen, which is the network's own, and its messages appear", async () => {
  const page = await aPage()
  await page.goto(`${base}/numbers`)
  await follow(page, "Add a number")
  await page.locator("#ref").fill("shop")
  await press(page, "Add it and link a phone")

  const picture = await page.waitForSelector("#qr img")
  const source = (await picture!.evaluate((image) => image.getAttribute("src"))) ?? ""
  const png = Buffer.from(source.split(",")[1] ?? "", "base64")
  const phone = await service.network.create("Grace")
  expect(readQr(png)).toContain("#2@")
  await service.network.scan(phone.number, new Uint8Array(png))
  await sees(page, `Linked to +${phone.number}`)
  await sees(page, "Connected: done")

  await follow(page, "Events")
  await page.locator("#events ::-p-text(connected)").wait()
  const ada = await service.network.create("Ada")
  await service.network.send(ada.number, phone.number, "Is this a shop?")
  await page.locator("#events ::-p-text(Is this a shop?)").wait()
  expect(wrong).toEqual([])
})

test("a phone without a camera is linked with a code that is typed", async () => {
  const page = await aPage()
  await page.goto(`${base}/new-number`)
  await page.locator("#ref").fill("typed")
  await press(page, "Add it and link a phone")
  const phone = await service.network.create("Joan")
  await page.locator("#phone").fill(`+${phone.number.slice(0, 3)} ${phone.number.slice(3)}`)
  await press(page, "Get a code to type")
  const shown = await page.waitForSelector(".big-code")
  const code = (await shown!.evaluate((one) => one.textContent))!.trim()
  expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
  await service.network.typeCode(phone.number, code)
  await sees(page, `Linked to +${phone.number}`)
})

test("a receiver that fails is found on the page of deliveries, with its status, and a number can be deleted", async () => {
  const page = await aPage()
  await page.goto(`${base}/numbers/shop/settings`)
  await page.locator("#url").fill("http://127.0.0.1:9/hook")
  await press(page, "Save")
  await sees(page, "The next event goes there")
  await page.goto(`${base}/numbers/shop/deliveries`)
  await press(page, "Send a test event")
  await sees(page, "did not take a test event. Nothing listens at this address")

  await page.goto(`${base}/numbers/typed/settings`)
  await page.locator("summary ::-p-text(Delete this number)").click()
  await page.locator("#confirm").fill("typed")
  await press(page, "Delete it for ever")
  await until(() => page.url() === `${base}/numbers`)
  expect(await page.$("#number-typed")).toBeNull()
})

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const paths = [
  "/",
  "/numbers",
  "/new-number",
  "/numbers/shop",
  "/numbers/shop/connect",
  "/numbers/sandbox/events",
  "/numbers/shop/deliveries",
  "/numbers/shop/log",
  "/numbers/shop/settings",
  "/keys",
  "/account",
  "/operator",
  "/dev/mail",
  "/sign-in",
]

/** Colours depend on the scheme alone, the rest on the width: two of the four combinations show each. */
const looks = [
  [1280, "light"],
  [320, "dark"],
] as const
const run = "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })"

test("no page has an accessibility fault, light or dark, wide or narrow, and none scrolls sideways", async () => {
  const page = await aPage()
  await page.setBypassCSP(true)
  const faults: string[] = []
  for (const path of paths) {
    await page.goto(base + path)
    await page.evaluate(axe)
    for (const [width, scheme] of looks) {
      await page.setViewport({ width, height: 800 })
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }])
      const found = (await page.evaluate(run)) as AxeResults
      for (const { id, nodes } of found.violations)
        faults.push(
          `${path} ${width} ${scheme} ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" ")}`,
        )
      const wide = await page.evaluate("document.documentElement.scrollWidth")
      if (Number(wide) > width) faults.push(`${path} is ${String(wide)} wide at ${width}`)
    }
  }
  expect(faults).toEqual([])
}, 120_000)

test("script and style are small", async () => {
  const page = await (await fetch(`${base}/sign-in`)).text()
  let bytes = 0
  for (const [, path] of page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
    const text = await (await fetch(base + path!)).text()
    bytes += (
      await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).bytes()
    ).length
  }
  expect(bytes).toBeLessThan(25_000)
})
