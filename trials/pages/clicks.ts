import type { Page } from "puppeteer-core"
import { startChromium } from "#one-machine/browser/chromium.ts"
import { follow, press, sees } from "#test/support/service/walk.ts"
import type { Seeded, Stage } from "./scene.ts"

const question = "Did this one arrive?"

/**
 * How many clicks each journey takes, by walking it: a step that is not there fails the run. Typing is not
 * counted. Those that do not begin at Home or at the page of the sign-in begin at the page of what they are
 * about: a number, its deliveries, Billing.
 * @returns clicks, by the name of the journey
 */
export async function journeys({ base, page, service }: Stage, customer: Seeded) {
  const colleague = `colleague-${Date.now()}@example.com`
  const ada = (await service.network.phones()).find(({ name }) => name === "Ada Lovelace")!
  await customer.call("POST", "/instances/shop/proxy/send/text", {
    chat: ada.number,
    body: question,
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
      await page.locator("#where").fill(question)
      await click(page.keyboard.press("Enter"))
      await page.waitForSelector(`.found .line ::-p-text(${question})`)
      const state = await page.$$eval(
        ".found .line",
        (all, text) =>
          all
            .find((one) => one.textContent.includes(text))
            ?.querySelector(".state")
            ?.textContent.trim(),
        question,
      )
      if (!/^(?:Sent|Delivered|Read)$/.test(state ?? "")) throw new Error(`the message is ${state}`)
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
    join: await join(await mailed(page, base, link), colleague),
    ...(await newcomer({ base, page })),
  }
}

/** A newcomer signs up, pays for a number, and cancels. */
async function newcomer({ base, page: operators }: Pick<Stage, "base" | "page">) {
  const browser = await startChromium()
  try {
    const page = await browser.newPage()
    const sign_up = await walk(page, `${base}/sign-in`, async (click) => {
      await page.locator("#email").fill(`walker-${Date.now()}@example.com`)
      await click(press(page, "Get a code"))
      await page.waitForSelector("#code")
      // It sends itself once it is whole.
      await page.locator("#code").fill(await mailed(operators, base, code))
      await sees(page, "Skip to the page")
    })
    await page.goto(`${base}/new-number`)
    await page.locator("#ref").fill("paid")
    await press(page, "Add it and link a phone")
    await press(page, "Start 7 days free and link paid")
    await press(page, "Go on")
    await page.waitForSelector("#qr img", { timeout: 30_000 })
    const cancel = await walk(page, `${base}/subscription`, async (click) => {
      await sees(page, "everything runs, and nothing more is charged. Then your number stops")
      await click(press(page, "Go on to cancel"))
      await click(press(page, "Cancel it"))
      await sees(page, "You have canceled.")
    })
    return { sign_up, cancel }
  } finally {
    await browser.close()
  }
}

/**
 * A newcomer opens the link of an invitation. @returns how many clicks it takes until they are in the account
 */
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

/** What the latest mails have: a link, or the code of a sign-in. */
const link = /(http\S+\/sign-in\/link\/[\w-]+)/
const code = /([0-9A-Z]{4}-[0-9A-Z]{4}) is your code/

async function mailed(page: Page, base: string, what: RegExp): Promise<string> {
  await page.goto(`${base}/dev/mail`)
  const mails = String(await page.evaluate("document.body.textContent"))
  return what.exec(mails)?.[1] ?? ""
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
