import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { AxeResults } from "axe-core"
import type { Page } from "puppeteer-core"
import type { Customer } from "#test/support/service/service.ts"

/**
 * Every page of an account with a sandbox, a linked number `shop` and a number `plain` that is not linked;
 * and the public pages.
 */
const paths = [
  "/",
  "/start",
  "/chats",
  "/numbers",
  "/new-number",
  "/numbers/shop",
  "/numbers/shop/connect",
  "/numbers/plain/connect",
  "/numbers/plain/link-page",
  "/numbers/none",
  "/numbers/sandbox/events",
  "/numbers/shop/events?direction=out&search=nothing",
  "/numbers/shop/deliveries",
  "/numbers/shop/chats",
  "/numbers/shop/groups",
  "/numbers/shop/webhooks",
  "/webhooks",
  "/numbers/shop/log",
  "/numbers/shop/what-happened",
  "/numbers/shop/settings",
  "/requests",
  "/requests?refused=true",
  "/keys",
  "/usage",
  "/where",
  "/where?q=a",
  "/where?q=14:02",
  "/account",
  "/account/audit-log",
  "/account/delete",
  "/accounts",
  "/operator",
  "/dev/mail",
  "/sign-in",
  "/sign-in/code",
  "/api/docs",
  "/api/docs?q=pacing",
  "/docs/overview",
  "/docs?q=webhook",
  "/try/sendText",
  "/nothing-here",
]

/** All of them, with the newest event of `shop` and its chat, and a link page for `plain`. */
export async function everyPath(
  page: Page,
  base: string,
  { call }: Pick<Customer, "call">,
): Promise<string[]> {
  await page.goto(`${base}/numbers/shop/events`)
  const id = await page.$eval("#events > li", (one) => one.id)
  await page.goto(`${base}/numbers/shop/chats`)
  const chat = (await page.$eval("#chats a", (one) => one.getAttribute("href"))) ?? ""
  // Another person begins to sign in: the page for their code is there from then on.
  await page.goto(`${base}/sign-in`)
  await page.locator("#email").fill("looker@example.com")
  await page.locator("::-p-aria([name='Get a code'][role='button'])").click()
  await page.waitForSelector("#code")
  const made = await call("POST", "/instances/plain/link-sessions")
  const { url } = (await made.json()) as { url: string } // as the contract says
  const shop = (await (await call("GET", "/instances/shop")).json()) as { id: string } // likewise
  const sent = (await (await call("GET", "/instances/shop/proxy/sent")).json()) as { message_id: string }[]
  return [
    ...paths,
    `/operator/find?id=${shop.id}`,
    `/numbers/shop/events/${id}`,
    ...sent.slice(0, 1).map(({ message_id: of }) => `/numbers/shop/messages/${of}`),
    chat,
    new URL(url).pathname,
  ]
}

/** How a page is looked at. Colours depend on the scheme alone, and the rest on the width. */
export interface Look {
  width: number
  scheme: "light" | "dark"
}

/** Two of the four combinations show each colour and each width. */
export const twoLooks: Look[] = [
  { width: 1280, scheme: "light" },
  { width: 320, scheme: "dark" },
]

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
/**
 * Without `resultTypes` it also describes each of the thousands of elements that passed, which takes most of
 * the time.
 */
const run =
  "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] })"

/** The narrowest screen, on which nothing may scroll sideways either. */
const narrowest = 320

/**
 * Looks at a page, which is open, in each way: accessibility faults (WCAG 2.2 A and AA) and sideways
 * scrolling, on the narrowest screen as well. `seen` is called after each look. The page's CSP must be off,
 * since axe is injected.
 */
export async function faultsOf(
  page: Page,
  looks: Look[],
  seen?: (look: Look) => Promise<void>,
): Promise<string[]> {
  const faults: string[] = []
  const { pathname } = new URL(page.url())
  await page.evaluate(axe)
  for (const look of looks) {
    const { width, scheme } = look
    await page.setViewport({ width, height: 800 })
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }])
    const found = (await page.evaluate(run)) as AxeResults
    for (const { id, nodes } of found.violations)
      faults.push(
        `${pathname} ${width} ${scheme} ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" ")}`,
      )
    faults.push(...(await tooWide(page, width)))
    await seen?.(look)
  }
  await page.setViewport({ width: narrowest, height: 800 })
  return [...faults, ...(await tooWide(page, narrowest))]
}

async function tooWide(page: Page, width: number): Promise<string[]> {
  const wide = Number(await page.evaluate("document.documentElement.scrollWidth"))
  return wide > width ? [`${new URL(page.url()).pathname} is ${wide} wide at ${width}`] : []
}

/** The size of a page's script and style as browsers get them, and of the page with them, in bytes. */
export async function weightOf(url: string, cookie: string): Promise<{ assets: number; whole: number }> {
  const text = await (await fetch(url, { headers: { cookie } })).text()
  let assets = 0
  for (const [, path] of text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g))
    assets += await compressed(await (await fetch(new URL(path!, url))).text())
  return { assets, whole: assets + (await compressed(text)) }
}

async function compressed(text: string): Promise<number> {
  return (await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).bytes())
    .length
}
