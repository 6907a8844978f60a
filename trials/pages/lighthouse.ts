import lighthouse from "lighthouse"
import type { Page } from "puppeteer-core"

const categories = ["performance", "accessibility", "best-practices"]

/** Now and then Chromium draws a page only after Lighthouse has stopped looking, which is then no score but an error. */
const tries = 3

/**
 * Lighthouse's scores of a page as a phone would load it, of 100.
 * @throws Error when it could not measure one, with its own words
 */
export async function scoresOf(page: Page, url: string): Promise<Record<string, number>> {
  let faults: string[] = []
  for (let i = 0; i < tries; i++) {
    const flags = { onlyCategories: categories, disableStorageReset: true, logLevel: "error" } as const
    const result = await lighthouse(url, { ...flags, onlyCategories: categories }, undefined, page)
    const scores = Object.entries(result?.lhr.categories ?? {}).map(
      ([name, { score }]) => [name, score] as const,
    )
    if (scores.length > 0 && scores.every(([, score]) => score !== null))
      return Object.fromEntries(scores.map(([name, score]) => [name, Math.round(score! * 100)]))
    faults = Object.values(result?.lhr.audits ?? {}).flatMap(({ errorMessage }) => errorMessage ?? [])
    console.error(`lighthouse: ${url}: ${faults[0]}`)
  }
  throw new Error(`lighthouse could not measure ${url}: ${faults.join("; ")}`)
}
