import lighthouse from "lighthouse"
import type { Page } from "puppeteer-core"

const categories = ["performance", "accessibility", "best-practices"]

/** Lighthouse's scores of a page as a phone would load it, of 100. */
export async function scoresOf(page: Page, url: string): Promise<Record<string, number>> {
  const flags = { onlyCategories: categories, disableStorageReset: true, logLevel: "error" } as const
  const result = await lighthouse(url, { ...flags, onlyCategories: categories }, undefined, page)
  const scores = Object.entries(result?.lhr.categories ?? {})
  return Object.fromEntries(scores.map(([name, { score }]) => [name, Math.round((score ?? 0) * 100)]))
}
