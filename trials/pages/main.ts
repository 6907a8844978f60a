/**
 * `npm run pages -- [--into folder] [--quick]`: every page in Chromium, in pictures and figures. The pictures
 * go into the folder; the last line is JSON, with the goals that were missed, and fails the run if there is
 * one. `--quick` leaves out Lighthouse, the states that are not a page's usual one (`states/`), and what
 * takes minutes. `npm run pages -- --readme`: draws the pictures of the README anew, and nothing else.
 */
import { mkdirSync } from "node:fs"
import { parseArgs } from "node:util"
import { startChromium } from "#one-machine/browser/chromium.ts"
import { everyPath, type Look, weightOf } from "#test/support/service/page-faults.ts"
import { startService } from "#test/support/service/service.ts"
import { printedLink } from "#test/support/service/walk.ts"
import { firstAnswer, shownInChats } from "./chats.ts"
import { journeys } from "./clicks.ts"
import { draw } from "./draw.ts"
import { missedBy } from "./figure-goals.ts"
import { scoresOf } from "./lighthouse.ts"
import { manyNumbers } from "./many-numbers.ts"
import { readmePictures } from "./readme-pictures.ts"
import type { Stage } from "./scene.ts"
import { invite, populate, seeded } from "./scene.ts"
import { drawStates } from "./states/states.ts"
import { killed, qrFresh, shown, signUp } from "./timings.ts"
import { untruths } from "./untrue.ts"
import { whereIsIt } from "./where-is-it.ts"

const { values } = parseArgs({
  options: {
    into: { type: "string", default: "pages" },
    quick: { type: "boolean", default: false },
    readme: { type: "boolean", default: false },
  },
})
const looks: Look[] = [1280, 390].flatMap((width) => [
  { width, scheme: "light" as const },
  { width, scheme: "dark" as const },
])

const browser = await startChromium()
const began = performance.now()
// No money moves. The states' browsers are at another address than the others.
const service = await startService({ BILLING: "pretend", TRUST_PROXY: "127.0.0.0/8,::1/128" })
try {
  const stage = await signedIn()
  if (values.readme) await readmePictures(stage, seeded(service), "docs/pictures")
  else await judge(stage)
} finally {
  await browser.close()
  await service.stop()
  service.remove()
}

async function signedIn(): Promise<Stage> {
  const page = await browser.newPage()
  await page.setViewport({ width: 1280, height: 900 })
  await page.goto(printedLink(service.said()))
  const base = service.baseUrl.replace("127.0.0.1", "localhost")
  await page.goto(`${base}/start`)
  await page.waitForSelector("#start-events li", { timeout: 60_000 })
  return { service, browser, base, page }
}

async function judge(stage: Stage): Promise<void> {
  mkdirSync(values.into, { recursive: true })
  const { lighthouse_min, journeys: clicks, faults, untrue, ...measured } = await measure(stage)
  for (const fault of [...faults, ...untrue]) console.log(fault)
  const figures = { axe: faults.length, untrue: untrue.length, ...measured }
  const missed = missedBy({ ...figures, ...lighthouse_min, ...clicks })
  const more = { journeys: clicks, ...(lighthouse_min && { lighthouse_min }) }
  console.log(JSON.stringify({ ...figures, ...more, missed }))
  process.exitCode = missed.length === 0 ? 0 : 1
}

async function measure(stage: Stage) {
  const { page, base } = stage
  const first_event_s = Math.round((performance.now() - began) / 100) / 10
  const customer = seeded(service)
  await populate(stage, customer)
  const cookie = (await browser.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ")
  const colleague = await invite(base, cookie)

  const untrue = await untruths(stage, customer, cookie)
  // Some of their steps want a sign-in of the last ten minutes, and the pictures take longer.
  const walked = await journeys(stage, customer)
  const paths = [...(await everyPath(page, base, customer)), "/subscription"]
  const faults = await pictures(stage, paths)
  const weights = await Promise.all(paths.map((path) => weightOf(base + path, cookie)))
  const figures = {
    kb_js_css: kb(Math.max(...weights.map(({ assets }) => assets))),
    kb_page: kb(Math.max(...weights.map(({ whole }) => whole))),
    first_event_s,
    ...(await signUp(stage)),
    ...(await shown(stage, customer, 150)),
    ...(await firstAnswer(stage, customer)),
    ...(await shownInChats(stage, customer, { colleague, count: 150 })),
    journeys: walked,
  }
  const slow = values.quick
    ? { lighthouse_min: undefined }
    : {
        lighthouse_min: await worstScores(stage),
        ...(await qrFresh(stage, customer, 100_000)),
        ...(await killed(stage)),
      }
  // As the contract says.
  const { id } = (await (await customer.call("GET", "/instances/plain")).json()) as { id: string }
  const where = values.quick ? {} : await whereIsIt(stage, id)
  const many = await manyNumbers(stage, id)
  if (!values.quick) faults.push(...(await drawStates(stage, { looks, into: values.into })))
  return { ...figures, ...slow, ...where, ...many, faults, untrue }
}

function kb(bytes: number): number {
  return Math.round(bytes / 102.4) / 10
}

/** A picture of every page in every look. @returns the faults that were found on the way */
async function pictures({ base, browser: shownIn }: Stage, paths: string[]): Promise<string[]> {
  const page = await shownIn.newPage()
  // Axe is injected; the CSP is tested elsewhere.
  await page.setBypassCSP(true)
  const faults: string[] = []
  for (const path of paths) {
    await page.setViewport({ width: 1280, height: 800 })
    await page.goto(base + path)
    if (path.endsWith("/connect") || path.startsWith("/link/"))
      await page.waitForSelector("#qr img, #linking .button", { timeout: 30_000 })
    const name =
      path
        .replace(/evt_.*/, "event")
        .replace(/3EB0.*/, "message")
        .replace(/^\/link\/.*/, "link")
        .replace(/\?id=.*/, "")
        .replaceAll(/[^a-z]+/g, "-")
        .replaceAll(/^-|-$/g, "") || "home"
    faults.push(...(await draw(page, { name, looks, into: values.into })))
  }
  await page.close()
  return faults
}

/** The lowest score of any page, by category. */
async function worstScores({ base }: Stage): Promise<Record<string, number>> {
  const worst: Record<string, number> = {}
  for (const path of [
    "/sign-in",
    "/",
    "/numbers",
    "/numbers/shop/events",
    "/numbers/shop/deliveries",
    "/keys",
    "/usage",
    "/docs/concepts",
  ]) {
    const page = await browser.newPage()
    const { scores, tries } = await scoresOf(page, base + path)
    console.log(JSON.stringify({ lighthouse: path, ...scores, tries }))
    for (const [name, score] of Object.entries(scores)) worst[name] = Math.min(worst[name] ?? 100, score)
    await page.close()
  }
  return worst
}
