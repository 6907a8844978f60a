import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import { afterAll, beforeAll, expect, test } from "vitest"
import { errorStatus } from "#contract/error.ts"
import { Event } from "#contract/event.ts"
import { routes } from "#contract/routes.ts"
import { reference } from "#functions/api/reference.ts"
import { startChromium } from "#one-machine/browser/chromium.ts"
import { partsOfReference } from "#test/support/parts-of-reference.ts"
import { until } from "#test/support/until.ts"

const server = serve({ fetch: reference.fetch, port: 0, hostname: "127.0.0.1" })
let browser: Awaited<ReturnType<typeof startChromium>>

beforeAll(async () => {
  if (!server.listening) await once(server, "listening")
  browser = await startChromium()
})
afterAll(async () => {
  await browser.close()
  server.close()
})

/** The reference as a browser shows it, with everything that it requested and complained about. */
async function opened(width: number) {
  const { port } = server.address() as AddressInfo // listening on TCP
  const base = `http://127.0.0.1:${port}`
  const page = await browser.newPage()
  const asked: string[] = []
  const complaints: string[] = []
  page.on("request", (request) => asked.push(request.url()))
  page.on("console", (message) => complaints.push(message.text()))
  page.on("pageerror", (error) => complaints.push(String(error)))
  await page.setViewport({ width, height: 900 })
  const show = async (part: string) => {
    await page.goto(`${base}/api/docs?part=${part}`, { waitUntil: "networkidle0" })
    return (await page.evaluate("document.querySelector('main').innerText")) as string
  }
  return { page, show, asked, complaints }
}

test.for([390, 1280])("at a width of %s pixels the reference is whole, part by part", async (width) => {
  const { page, show, asked, complaints } = await opened(width)
  let seen = ""
  const parts = await partsOfReference()
  for (const part of parts) {
    seen += await show(part)
    const [wanted, given] = (await page.evaluate(
      "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
    )) as [number, number]
    expect([part, wanted <= given]).toEqual([part, true])
  }
  expect(complaints).toEqual([])
  expect(asked.filter((one) => !one.startsWith("data:"))).toHaveLength(parts.length)
  for (const { method, path, summary } of Object.values(routes).flatMap((group) => Object.values(group))) {
    expect(seen).toContain(summary.replaceAll("`", ""))
    expect(seen).toMatch(new RegExp(`${method.toUpperCase()}\\s+${path.replaceAll(/[{}]/g, "\\$&")}`))
  }
  for (const option of Event.options) expect(seen).toContain(`"event": "${option.shape.event.value}"`)
  for (const code of Object.keys(errorStatus)) expect(seen).toContain(code)
  await page.close()
})

test("the contents lead to a call, and each piece of code has a button that copies it", async () => {
  const { page, show } = await opened(1280)
  await show("messages")
  await page.click('nav a[href$="#sendPoll"]')
  const top = await page.evaluate("document.getElementById('sendPoll').getBoundingClientRect().top")
  expect(Math.abs(Number(top))).toBeLessThan(100)
  await page
    .browserContext()
    .overridePermissions(new URL(page.url()).origin, [
      "clipboard-read",
      "clipboard-write",
      "clipboard-sanitized-write",
    ])
  await page.bringToFront()
  await page.click("#sendPoll .code button")
  const label = () => page.$eval("#sendPoll .code button", (one) => one.textContent)
  await until(async () => (await label()) === "Copied")
  const copied = await page.evaluate("navigator.clipboard.readText()")
  expect(copied).toBe(await page.$eval("#sendPoll pre", (one) => one.textContent))
  await page.close()
})
