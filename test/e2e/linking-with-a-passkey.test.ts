import { setTimeout as sleep } from "node:timers/promises"
import { strFromU8, unzipSync } from "fflate"
import type { Page } from "puppeteer-core"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import { SessionStatus } from "#contract/session.ts"
import { startChromium } from "#one-machine/browser/chromium.ts"
import { passkeyPage } from "#one-machine/browser/passkey-page.ts"
import { faultsOf, twoLooks } from "#test/support/service/page-faults.ts"
import { type Customer, type Service, startService } from "#test/support/service/service.ts"
import { follow, press, printedLink, sees } from "#test/support/service/walk.ts"
import { until } from "#test/support/until.ts"

let service: Service
let browser: Awaited<ReturnType<typeof startChromium>>
let shop: Customer
/** Where people open the service: passkeys do not work at an address. */
let base = ""

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), startChromium()])
  base = service.baseUrl.replace("127.0.0.1", "localhost")
  shop = await service.customer("The shop")
})
afterAll(async () => {
  await browser.close()
  await service.stop()
  service.remove()
})

async function download() {
  const offered = await fetch(`${base}/passkey-extension.zip`)
  expect(offered.headers.get("content-type")).toBe("application/zip")
  return unzipSync(new Uint8Array(await offered.arrayBuffer()))
}

/** The phone of an account that is linked with a passkey only, and the browser of a computer that has it. */
async function aPerson(name: string, { hasExtension = true } = {}) {
  const { number } = await service.network.create(name)
  const at = `/phones/${number}/passkey`
  const passkey = await service.network.call("POST", at)
  const page = await passkeyPage(browser, [passkey as never], hasExtension ? await download() : undefined)
  await page.setViewport({ width: 1280, height: 900 })
  // As in dashboard.test.ts.
  onTestFinished(() => Promise.race([page.close(), sleep(5000, undefined, { ref: false })]))
  /** Scans what the page shows, as soon as that is a code. */
  const scan = async () => {
    const picture = await page.waitForSelector("#qr img")
    const source = await picture!.evaluate((image) => image.getAttribute("src") ?? "")
    const png = Buffer.from(source.split(",")[1] ?? "", "base64")
    await expect(service.network.scan(number, new Uint8Array(png))).rejects.toThrow("passkey_required")
  }
  const sign = (challenge: string, origin?: string) =>
    service.network.call("POST", `${at}/assertions`, { challenge, origin }) as Promise<{ response: object }>
  return { number, page, scan, sign }
}

const challengeOn = async (page: Page) =>
  (await page.$eval("#linking", (card) => card.getAttribute("data-keep"))) ?? ""

/** Brings an answer by hand, without the extension. */
async function bring(page: Page, answer: unknown): Promise<void> {
  await page.locator("summary ::-p-text(Without the extension)").click()
  await page.locator("#answer").fill(JSON.stringify(answer))
  await press(page, "Send the answer")
}

const sessionOf = async (ref: string) =>
  SessionStatus.parse(await (await shop.call("GET", `/instances/${ref}/proxy/status`)).json())

async function aLinkPage(ref: string, wishes: { expected_phone?: string } = {}) {
  await shop.bridge(ref)
  const made = await shop.call("POST", `/instances/${ref}/link-sessions`, wishes)
  return z.object({ url: z.string() }).parse(await made.json()).url
}

test("a person who has a passkey links their phone on the page that was sent to them, with the extension", async () => {
  const { page, scan, number } = await aPerson("Grace")
  await page.goto(await aLinkPage("extension", { expected_phone: number }))
  await scan()
  await sees(page, "WhatsApp asks for your passkey")
  await follow(page, "Use my passkey")
  await page.waitForFunction("location.host === 'web.whatsapp.com'")
  await press(page, "Use my passkey")
  await sees(page, "Your phone is linked")
  expect(page.url()).toContain(`${base}/link/`)
  expect(page.url()).not.toContain("#")
  await until(async () => (await sessionOf("extension")).status === "connected")
  expect((await sessionOf("extension")).phone).toBe(number)
})

test("each answer that is not right is refused in its own words, and the right one links afterwards", async () => {
  const { page, scan, sign } = await aPerson("Joan", { hasExtension: false })
  const stranger = await aPerson("Mallory", { hasExtension: false })
  await page.goto(await aLinkPage("refused"))
  await scan()
  await sees(page, "WhatsApp asks for your passkey")
  const challenge = await challengeOn(page)
  await bring(page, "{")
  await sees(page, "This is not what a browser makes with a passkey, or not the whole of it.")
  await bring(page, await sign(challenge, "https://example.com"))
  await sees(page, "The passkey was used on another page.")
  await bring(page, await sign("AAAA"))
  await sees(page, "This answers another request.")
  await bring(page, await stranger.sign(challenge))
  await sees(page, "This passkey is not the one of the account whose phone scanned the code.")
  const own = await sign(challenge)
  await bring(page, { ...own, response: { ...own.response, signature: "MEUCIQDx" } })
  await sees(page, "The network did not accept the passkey's signature.")
  await sees(page, "Use it again, for the request that is there now.")
  expect((await sessionOf("refused")).passkey?.options.challenge).toBe(await challengeOn(page))
  await bring(page, await sign(await challengeOn(page)))
  await sees(page, "Your phone is linked")
})

test("when the time is over the page says so, and a new code begins the ceremony again", async () => {
  const { page, scan, sign } = await aPerson("Lise", { hasExtension: false })
  const url = await aLinkPage("late")
  await page.goto(url)
  await service.network.call("PATCH", "/patience", { passkey_ms: 1 })
  await scan()
  await sees(page, "The time for the passkey is over")
  await service.network.call("PATCH", "/patience", { passkey_ms: 60_000 })
  await press(page, "Begin again with a new code")
  await scan()
  await sees(page, "WhatsApp asks for your passkey")
  const first = await challengeOn(page)
  await press(page, "Begin again with a new code")
  await scan()
  await sees(page, "WhatsApp asks for your passkey")
  expect(await challengeOn(page)).not.toBe(first)
  await bring(page, await sign(first))
  await sees(page, "This answers another request.")
  await bring(page, await sign(await challengeOn(page)))
  await sees(page, "Your phone is linked")
})

test("without the extension the lines for the console do the same, also for a code that was typed", async () => {
  const { page, number } = await aPerson("Ada", { hasExtension: false })
  await page.goto(printedLink(service.said()))
  await until(() => page.url() === `${base}/`)
  await page.goto(`${base}/new-number`)
  await page.locator("#ref").fill("console")
  await press(page, "Add it and link a phone")
  await page.locator("#phone").fill(number)
  await press(page, "Get a code to type")
  const shown = await page.waitForSelector(".big-code")
  const code = await shown!.evaluate((one) => one.textContent ?? "")
  await expect(service.network.typeCode(number, code)).rejects.toThrow("passkey_required")
  await sees(page, "WhatsApp asks for your passkey")
  // Axe is injected; the CSP is tested elsewhere.
  await page.setBypassCSP(true)
  await page.goto(`${base}/numbers/console/connect`)
  for (const closed of ["How to add it", "Without the extension"])
    await page.locator(`summary ::-p-text(${closed})`).click()
  expect(await faultsOf(page, twoLooks)).toEqual([])
  const lines = await page.$eval("#linking pre", (one) => one.textContent ?? "")
  await page.goto("https://web.whatsapp.com/")
  await page.evaluate(lines).catch(() => "the page is left meanwhile")
  await sees(page, `Linked to +${number}`)

  // A page from before does not unlink the phone.
  const cookie = (await browser.cookies()).map((one) => `${one.name}=${one.value}`).join("; ")
  const headers = { "sec-fetch-site": "same-origin", cookie }
  const again = await fetch(`${base}/numbers/console/connect/again`, { method: "POST", headers })
  expect(await again.text()).toContain(`Linked to +${number}`)
})

test("the extension that a service offers knows that service alone, and nothing but WhatsApp's page", async () => {
  const files = await download()
  expect(strFromU8(files["service.js"]!)).toBe(`const service = "${base}"\n`)
  const manifest = JSON.parse(strFromU8(files["manifest.json"]!)) as Record<string, unknown>
  expect(Object.keys(manifest).toSorted()).toEqual([
    "content_scripts",
    "description",
    "manifest_version",
    "name",
    "version",
  ])
  expect(manifest.content_scripts).toMatchObject([{ matches: ["https://web.whatsapp.com/*"] }])
})
