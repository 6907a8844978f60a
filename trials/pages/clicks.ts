import type { Page } from "puppeteer-core"
import { startChromium } from "#local/browser/chromium.ts"
import { follow, press, sees } from "#test/support/service/walk.ts"
import type { Seeded, Stage } from "./journeys.ts"

/**
 * How many clicks each journey takes in an account that is in use, by walking it: a step that is not there fails the run.
 * Typing is not counted.
 * @returns clicks, by the name of the journey
 */
export async function journeys({ base, page, service }: Stage, customer: Seeded) {
  const colleague = `colleague-${Date.now()}@example.com`
  const ada = (await service.network.phones()).find(({ name }) => name === "Ada Lovelace")!
  await customer.call("POST", "/instances/shop/proxy/send/text", {
    chat: ada.number,
    body: "Did this one arrive?",
  })
  return {
    link_phone: await walk(page, `${base}/`, async (click) => {
      await click(follow(page, "Add a number"))
      await page.locator("#ref").fill(`walked-${Date.now()}`)
      await click(press(page, "Add it and link a phone"))
      await page.waitForSelector("#qr img", { timeout: 30_000 })
    }),
    webhook_test: await walk(page, `${base}/numbers/plain`, async (click) => {
      await click(follow(page, "Webhooks"))
      await page.locator("#webhook_url").fill("http://127.0.0.1:9/")
      await click(press(page, "Save and send a test event"))
      await sees(page, "It did not take a test event.")
    }),
    see_failed: await walk(page, `${base}/`, async () => {
      await page.waitForSelector("#troubles ::-p-text(undelivered)")
    }),
    find_out_why: await walk(page, `${base}/`, async (click) => {
      await click(page.locator("#troubles a[href*='/deliveries']").click())
      await sees(page, "Latest attempts")
      await sees(page, "410")
    }),
    resend: await walk(page, `${base}/numbers/shop/deliveries`, async (click) => {
      await click(press(page, "Send them again"))
      await sees(page, "sent again.")
    }),
    did_it_arrive: await walk(page, `${base}/numbers/shop`, async (click) => {
      await click(follow(page, "Messages"))
      await sees(page, "Did this one arrive?")
    }),
    why_refused: await walk(page, `${base}/`, async (click) => {
      await click(follow(page, "Requests"))
      await sees(page, "invalid_request")
    }),
    invite: await walk(page, `${base}/`, async (click) => {
      await click(follow(page, "Account"))
      await page.locator("#email").fill(colleague)
      await click(press(page, "Invite"))
      await sees(page, "is invited")
    }),
    join: await join(await mailedLink(page, base), colleague),
  }
}

/** Somebody new opens the link of an invitation. @returns how many clicks it takes until they are in the account */
async function join(link: string, email: string): Promise<number> {
  // Another person has another browser.
  const browser = await startChromium()
  try {
    const page = await browser.newPage()
    return await walk(page, link, async (click) => {
      await click(press(page, "Join"))
      await sees(page, "Skip to the page")
      await sees(page, email)
    })
  } finally {
    await browser.close()
  }
}

/** The link in the latest mail. */
async function mailedLink(page: Page, base: string): Promise<string> {
  await page.goto(`${base}/dev/mail`)
  const mails = String(await page.evaluate("document.body.textContent"))
  return /http\S+\/sign-in\/link\/[\w-]+/.exec(mails)?.[0] ?? ""
}

/** @returns how many clicks were made from this page on */
async function walk(
  page: Page,
  from: string,
  steps: (click: (what: Promise<void>) => Promise<void>) => Promise<void>,
): Promise<number> {
  let clicks = 0
  await page.goto(from)
  await steps(async (what) => {
    clicks++
    await what
  })
  return clicks
}
