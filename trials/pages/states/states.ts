import type { Page } from "puppeteer-core"
import { startChromium } from "#one-machine/browser/chromium.ts"
import type { Look } from "#test/support/service/page-faults.ts"
import { until } from "#test/support/until.ts"
import { draw } from "../draw.ts"
import type { Stage } from "../scene.ts"
import { accountWebhooks } from "./account-webhooks.ts"
import { billing } from "./billing.ts"
import { conversations } from "./conversations.ts"
import { errors } from "./errors.ts"
import { linking } from "./linking.ts"
import { lost, numbers } from "./numbers.ts"
import { visitors } from "./people.ts"
import { programs } from "./programs.ts"
import type { State } from "./state.ts"
import { aWorld, from } from "./world.ts"

/** In this order: later ones need what earlier ones made. */
export const states: State[] = [
  ...numbers,
  ...linking,
  ...billing,
  ...visitors,
  ...programs,
  ...accountWebhooks,
  ...conversations,
  ...errors,
  lost,
]

/**
 * Brings pages into each of these states, and draws them there.
 * @returns the faults that were found, and states that were not reached
 */
export async function drawStates(
  { service, base }: Stage,
  how: { looks: Look[]; into: string },
): Promise<string[]> {
  // The person who is signed in changes from state to state.
  const browser = await startChromium()
  const world = await aWorld({ service, base, browser })
  const page = await browser.newPage()
  // Axe is injected; the CSP is tested elsewhere.
  await page.setBypassCSP(true)
  await page.setExtraHTTPHeaders(from)
  const faults: string[] = []
  try {
    for (const state of states) {
      try {
        await reach(state, page)
        faults.push(...(await draw(page, { name: state.name, ...how })))
      } catch (error) {
        faults.push(`${state.name} was not reached: ${String(error)}`)
      }
    }
  } finally {
    await browser.close()
    await world.close()
  }
  return faults

  async function reach(state: State, on: Page): Promise<void> {
    await on.setViewport({ width: 1280, height: 800 })
    await world.show(state.as)
    const path = await state.reach(world, on)
    if (typeof path === "string") await on.goto(new URL(path, base).href)
    await reads(on, state.reads)
  }
}

/** @throws when this is not to be read on the page within seconds, with what is */
async function reads(page: Page, words: string): Promise<void> {
  let read = ""
  const look = async () => {
    // The page may be exchanged for the next one meanwhile.
    const text = String(await page.evaluate("document.body.textContent").catch(() => ""))
    read = text.replaceAll(/\s+/g, " ")
    return read.includes(words)
  }
  await until(look, { what: words, withinMs: 8000 }).catch((cause: unknown) => {
    throw new Error(`${page.url()} reads ${read.slice(0, 1500)}`, { cause })
  })
}
