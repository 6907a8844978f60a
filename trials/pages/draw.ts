import { join } from "node:path"
import type { Page } from "puppeteer-core"
import { faultsOf, type Look } from "#test/support/service/page-faults.ts"

/** Draws an open page in each look, as `<name>-<width>-<scheme>.png`. @returns its faults, as `faultsOf` */
export async function draw(
  page: Page,
  { name, looks, into }: { name: string; looks: Look[]; into: string },
): Promise<string[]> {
  const faults = await faultsOf(page, looks, async ({ width, scheme }) => {
    const file = join(into, `${name}-${width}-${scheme}.png`) as `${string}.png`
    await page.screenshot({ path: file, fullPage: true })
  })
  return faults.map((fault) => `${name}: ${fault}`)
}
