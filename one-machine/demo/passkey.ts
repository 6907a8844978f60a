import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { unzipSync } from "fflate"
import type { Page } from "puppeteer-core"
import { z } from "zod"
import type * as Schema from "#simulator/control/schemas.ts"
import { apiClient, Unexpected } from "../api-client.ts"
import { startChromium, startWholeChromium } from "../browser/chromium.ts"
import { passkeyPage } from "../browser/passkey-page.ts"
import { networkClient } from "../network/client.ts"
import { untilConnected } from "../network/link.ts"
import type { SpawnedService } from "../service/spawn-service.ts"

interface Told {
  apiKey: string
  /** A Chromium of this machine that takes extensions; without one, npm's own runs the extension's script. */
  chromium: string | undefined
  step: (what: string) => void
  signal: AbortSignal
}

/** A person whose account is linked with a passkey only links their phone on a page that was sent to them. */
export async function passkeyStory(service: SpawnedService, told: Told): Promise<void> {
  const { step } = told
  const api = apiClient(service.baseUrl, told.apiKey)
  await api("POST", "/instances", { customer_ref: "demo" })
  const made = await api("POST", "/instances/demo/link-sessions", {})
  const { url } = z.object({ url: z.string() }).parse(await made.json())
  step("POST link-sessions made a page for somebody without an account")

  const network = networkClient({ controlUrl: service.phonesUrl })
  const { number } = await network.create("Olga")
  const at = `/phones/${number}/passkey`
  const passkey = (await network.call("POST", at)) as z.output<typeof Schema.Passkey>
  step("Olga's account is linked with a passkey only, and her computer has it")

  const { page, close } = await openBrowser(service, passkey, told.chromium)
  try {
    await page.goto(url)
    await scan(page, (png) => network.scan(number, png))
    await page.locator("::-p-text(WhatsApp asks for your passkey)").wait()
    step("her phone took the code, and the page asks for the passkey")

    const challenge = await page.$eval("#linking", (card) => card.dataset.keep)
    const elsewhere = await network.call("POST", `${at}/assertions`, { challenge, origin: service.baseUrl })
    await page.locator("summary ::-p-text(Without the extension)").click()
    await page.locator("#answer").fill(JSON.stringify(elsewhere))
    await page.locator(`::-p-aria([name="Send the answer"][role="button"])`).click()
    await page.locator("::-p-text(The passkey was used on another page.)").wait()
    step("an answer that was made on another page is refused in its own words")

    await page.locator(`::-p-aria([name="Use my passkey"][role="link"])`).click()
    await page.locator(`::-p-aria([name="Use my passkey"][role="button"])`).click()
    step("on web.whatsapp.com the extension asked her, and the browser used the passkey")
    await page.locator("::-p-text(Your phone is linked)").wait()
  } finally {
    await close()
  }
  await untilConnected("demo", { api, signal: told.signal })
  const status = await (await api("GET", "/instances/demo/proxy/status")).json()
  if ((status as { phone: unknown }).phone !== number) throw new Unexpected("another phone is linked")
  step("back on the page her phone is linked, and proxy/status is connected")
}

/** A browser with the extension that the service offers for download. */
async function openBrowser(
  { baseUrl, dataDir }: SpawnedService,
  passkey: z.output<typeof Schema.Passkey>,
  chromium: string | undefined,
) {
  // At the name by which people reach it: passkeys do not work at an IP address.
  const offered = await fetch(`${baseUrl.replace("127.0.0.1", "localhost")}/passkey-extension.zip`)
  const files = unzipSync(new Uint8Array(await offered.arrayBuffer()))
  if (chromium === undefined) {
    const browser = await startChromium()
    return { page: await passkeyPage(browser, [passkey], files), close: () => browser.close() }
  }
  const folder = join(dataDir, "extension")
  mkdirSync(folder)
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes)
  const browser = await startWholeChromium(chromium, folder)
  return { page: await passkeyPage(browser, [passkey]), close: () => browser.close() }
}

/** Has the phone scan what the page shows. The phone answers that it wants the passkey. */
async function scan(page: Page, read: (png: Uint8Array<ArrayBuffer>) => Promise<unknown>): Promise<void> {
  const picture = await page.waitForSelector("#qr img")
  const source = (await picture?.evaluate((image) => image.getAttribute("src"))) ?? ""
  const answer = await read(new Uint8Array(Buffer.from(source.split(",")[1] ?? "", "base64"))).catch(String)
  if (!String(answer).includes("passkey_required"))
    throw new Unexpected(`the phone answered ${String(answer)}`)
}
