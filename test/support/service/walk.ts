import type { Page } from "puppeteer-core"
import { until } from "#test/support/until.ts"

// The steps of a person in a page, by the names that they read there.

/** Waits until this is to be read. The page may be exchanged for the next one meanwhile. */
export async function sees(page: Page, text: string): Promise<void> {
  let read = ""
  const look = async () => {
    const now = await page.evaluate("document.body.textContent").catch(() => "")
    read = String(now).replaceAll(/\s+/g, " ")
    return read.includes(text)
  }
  await until(look, { what: text }).catch((error: unknown) => {
    throw new Error(`${page.url()} reads: ${read.slice(0, 2000)}`, { cause: error })
  })
}

/** Presses the button of this name. */
export async function press(page: Page, name: string): Promise<void> {
  await page.locator(`::-p-aria([name="${name}"][role="button"])`).click()
}

/** Follows the link of this name. */
export async function follow(page: Page, name: string): Promise<void> {
  await page.locator(`::-p-aria([name="${name}"][role="link"])`).click()
}

/** The link that `npm start` printed: it signs in to the seeded account, once. */
export function printedLink(said: string): string {
  return /http:\/\/localhost:\d+\/sign-in\/link\/\S+/.exec(said)?.[0] ?? ""
}
