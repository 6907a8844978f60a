import lighthouse from "lighthouse"
import type { Page } from "puppeteer-core"

const categories = ["performance", "accessibility", "best-practices"]

/**
 * Now and then Chromium draws a page only after Lighthouse has stopped looking, which is then no score but an
 * error.
 */
const mostTries = 6

/**
 * Lighthouse's scores of a page as a phone would load it, of 100; NaN for one that it could not measure.
 * `tries` says how often it was asked.
 */
export async function scoresOf(
  page: Page,
  url: string,
): Promise<{ scores: Record<string, number>; tries: number }> {
  for (let tries = 1; ; tries++) {
    const flags = { disableStorageReset: true, logLevel: "error" } as const
    const result = await lighthouse(url, { ...flags, onlyCategories: categories }, undefined, page)
    const found = categories.map((name) => [name, result?.lhr.categories[name]?.score ?? NaN] as const)
    const isWhole = found.every(([, score]) => !Number.isNaN(score))
    if (isWhole || tries === mostTries)
      return {
        scores: Object.fromEntries(found.map(([name, score]) => [name, Math.round(score * 100)])),
        tries,
      }
    const { runtimeError, audits = {} } = result?.lhr ?? {}
    const reasons = Object.values(audits).flatMap(({ errorMessage }) => errorMessage ?? [])
    console.error(`lighthouse: ${url}: ${runtimeError?.message ?? reasons[0] ?? "no reason given"}`)
  }
}
