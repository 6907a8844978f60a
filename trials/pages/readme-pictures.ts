import { execFile } from "node:child_process"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import type { Page } from "puppeteer-core"
import sharp from "sharp"
import { press } from "#test/support/service/walk.ts"
import { until } from "#test/support/until.ts"
import { openShop, type Seeded, type Stage } from "./scene.ts"

/** Draws what the README and the first hour show, as small files, into a folder. */
export async function readmePictures(stage: Stage, customer: Seeded, into: string): Promise<void> {
  const { page, base, browser } = stage
  const { receiver, chat } = await converse(stage, customer)
  try {
    await page.setViewport({ width: 1200, height: 760 })
    await until(async () => {
      await page.goto(`${base}/numbers/shop/chats/${chat}@s.whatsapp.net`)
      const shown = await page.$eval("main", (one) => one.textContent)
      return shown.includes("Read") && shown.includes("on my way")
    })
    await draw(page, join(into, "conversation.png"))
  } finally {
    await receiver.stop()
  }

  await page.goto(`${base}/account`)
  await page.locator("#account-name").fill("The corner shop")
  await press(page, "Save")
  const { url } = await posted(customer, "/instances/plain/link-sessions")
  await page.setViewport({ width: 800, height: 710 })
  await page.goto(base + new URL(url!).pathname)
  await page.waitForSelector("#qr img", { timeout: 30_000 })
  await draw(page, join(into, "link-page.png"))

  const { stdout } = await promisify(execFile)("npm", ["run", "--silent", "demo"])
  // A page of the service would forbid this style.
  const blank = await browser.newPage()
  await blank.setViewport({ width: 1000, height: 410 })
  await blank.setContent(terminal(`$ npm run --silent demo\n${stdout}`))
  await draw(blank, join(into, "demo.png"))
}

/**
 * Ada writes, gets an answer, reads it and thanks. @returns the receiver of the events, which the caller
 * stops, and her number
 */
async function converse(stage: Stage, customer: Seeded) {
  const { network } = stage.service
  const { receiver, grace, ada } = await openShop(stage, customer)
  await customer.call("PATCH", "/instances/shop", { events: ["message", "message_status"], keep: 30 })
  // The page orders by seconds.
  await sleep(1000)
  const body = "Yes, until six. Two of the blue ones are put aside for you."
  const { message_id: id } = await posted(customer, "/instances/shop/proxy/send/text", {
    chat: ada.number,
    body,
  })
  await network.read(ada.number, { id: id!, wait: 10_000 })
  await network.call("POST", `/phones/${ada.number}/read`, { chat: grace.number, message_ids: [id] })
  await network.send(ada.number, grace.number, "Thank you, I am on my way")
  return { receiver, chat: ada.number }
}

async function posted({ call }: Seeded, path: string, body?: object): Promise<Record<string, string>> {
  return (await (await call("POST", path, body)).json()) as Record<string, string> // as the contract says
}

/** A picture of few colours takes a third of the room. */
async function draw(page: Page, file: string): Promise<void> {
  await sharp(await page.screenshot())
    .png({ palette: true, colours: 64 })
    .toFile(file)
}

function terminal(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  return `<body style="margin: 0; background: #16181d; color: #e6e6e6">
    <pre style="margin: 24px; font: 15px/1.7 monospace; white-space: pre-wrap">${escaped}</pre>`
}
