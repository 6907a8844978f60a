import chromium from "@sparticuz/chromium"
import { launch, type Browser, type Page } from "puppeteer-core"
import { until } from "#test/support/until.ts"

/**
 * Starts a headless Chromium that came with npm (nothing is downloaded from elsewhere; the first start of a machine
 * unpacks it, which takes some seconds). The caller closes it.
 */
export async function startBrowser(): Promise<Browser> {
  return launch({
    args: [...chromium.args, "--no-sandbox", "--disable-background-networking", "--no-first-run"],
    executablePath: await chromium.executablePath(),
    headless: "shell",
  })
}

/** Waits until this is to be read. The page may be exchanged for the next one meanwhile. */
export async function sees(page: Page, text: string): Promise<void> {
  await until(
    async () => {
      const read = await page.evaluate("document.body.textContent").catch(() => "")
      return String(read).replaceAll(/\s+/g, " ").includes(text)
    },
    { what: text, withinMs: 15_000 },
  )
}

export async function press(page: Page, name: string): Promise<void> {
  await page.locator(`::-p-aria([name="${name}"][role="button"])`).click()
}
