import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import { afterAll, beforeAll, expect, test } from "vitest"
import { errorStatus } from "#core/contract/error.ts"
import { Event } from "#core/contract/event.ts"
import { routes } from "#core/contract/routes.ts"
import { reference } from "#functions/docs/routes.ts"
import { startChromium } from "#local/browser/chromium.ts"

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
  const url = `http://127.0.0.1:${port}/api/docs`
  const page = await browser.newPage()
  const asked: string[] = []
  const complaints: string[] = []
  page.on("request", (request) => asked.push(request.url()))
  page.on("console", (message) => complaints.push(message.text()))
  page.on("pageerror", (error) => complaints.push(String(error)))
  await page.setViewport({ width, height: 900 })
  await page.goto(url, { waitUntil: "networkidle0" })
  return { page, url, asked, complaints }
}

test.for([390, 768, 1280, 1920])(
  "at a width of %s pixels the reference is whole, and alone",
  async (width) => {
    const { page, url, asked, complaints } = await opened(width)
    expect(complaints).toEqual([])
    expect(asked.filter((one) => one !== url && !one.startsWith("data:"))).toEqual([])
    const [wanted, given] = (await page.evaluate(
      "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
    )) as [number, number]
    expect(wanted).toBeLessThanOrEqual(given)

    const seen = (await page.evaluate("document.querySelector('main').innerText")) as string
    for (const { method, path, summary } of Object.values(routes).flatMap((group) => Object.values(group))) {
      expect(seen).toContain(summary.replaceAll("`", ""))
      expect(seen).toMatch(new RegExp(`${method.toUpperCase()}\\s+${path.replaceAll(/[{}]/g, "\\$&")}`))
    }
    for (const option of Event.options) expect(seen).toContain(`"event": "${option.shape.event.value}"`)
    for (const code of Object.keys(errorStatus)) expect(seen).toContain(code)
    await page.close()
  },
)

test("each of its links leads somewhere in it, and there it is shown", async () => {
  const { page } = await opened(1280)
  const lost = await page.evaluate(
    "[...document.querySelectorAll('a[href^=\"#\"]')].map((a) => a.getAttribute('href').slice(1))" +
      ".filter((id) => !document.getElementById(id))",
  )
  expect(lost).toEqual([])
  await page.click('nav a[href="#sendPoll"]')
  const top = await page.evaluate("document.getElementById('sendPoll').getBoundingClientRect().top")
  expect(Math.abs(Number(top))).toBeLessThan(100)
  await page.close()
})
