import chromium from "@sparticuz/chromium"
import { launch, type Browser, type Page } from "puppeteer-core"
import { until } from "#test/support/until.ts"

/**
 * With these, pages are drawn by a graphics card made of software. A page that is left takes that card down, which held up
 * the next page for 1 to 24 s, on a machine with two busy cores.
 */
const drawing = /^--(?:use-gl|use-angle|enable-unsafe-swiftshader|ignore-gpu-blocklist|in-process-gpu)\b/

/**
 * Starts a headless Chromium that came with npm (nothing is downloaded from elsewhere; the first start of a machine
 * unpacks it, which takes some seconds). The caller closes it.
 */
export async function startChromium(): Promise<Browser> {
  const args = chromium.args.filter((one) => !drawing.test(one))
  return launch({
    args: [...args, "--disable-gpu", "--no-sandbox", "--disable-background-networking", "--no-first-run"],
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
    { what: text },
  )
}

export async function press(page: Page, name: string): Promise<void> {
  await page.locator(`::-p-aria([name="${name}"][role="button"])`).click()
}
