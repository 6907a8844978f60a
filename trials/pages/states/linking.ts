import { PNG } from "pngjs"
import type { Page } from "puppeteer-core"
import { z } from "zod"
import type { Customer } from "#test/support/service/service.ts"
import { press } from "#test/support/service/walk.ts"
import type { State } from "./state.ts"
import { from, people, type World } from "./world.ts"

const { baker: as } = people
const connect = "/numbers/new/connect"

/** Linking a phone on the page of a number. */
const connecting: State[] = [
  {
    name: "connect-code",
    as,
    reach: async ({ base }, page) => await withCode(page, base + connect),
    reads: "changes in",
  },
  { name: "connect-codes-over", as, reach: () => `${connect}?begun=1`, reads: "Nobody scanned the code" },
  {
    name: "connect-typed-code",
    as,
    reach: async ({ base, network }, page) => {
      const { number } = await network.create("Somebody who types")
      await askForCode(page, base + connect, `+${number}`)
    },
    reads: "Type this on the phone",
  },
  {
    name: "connect-no-phone-number",
    as,
    reach: async ({ base }, page) => await askForCode(page, base + connect, "12"),
    reads: "This is not a phone number",
  },
  {
    name: "connect-rejected-by-the-network",
    as,
    reach: async ({ base, network, bakery }, page) => {
      const { number } = await network.create("Somebody who is refused")
      await bakery.bridge("refused")
      const mend = await network.fault({ kind: "refuse_iq", xmlns: "md", code: 400 })
      await askForCode(page, `${base}/numbers/refused/connect`, `+${number}`)
      await mend()
    },
    reads: "The network rejected this",
  },
  {
    name: "connect-passkey-wanted",
    as,
    reach: async (world, page) => {
      await world.bakery.bridge("passkey")
      await withCode(page, `${world.base}/numbers/passkey/connect`)
      await scanWithPasskey(world, page)
    },
    reads: "WhatsApp asks for your passkey",
  },
  {
    name: "connect-linked",
    as,
    reach: () => "/numbers/connected/connect",
    reads: "To link another phone, unlink this one",
  },
]

/** The words of a link page in each language that it has, beside English. */
const inLanguages = {
  de: "Scannen Sie das mit dem Telefon",
  es: "Escanéalo con el teléfono",
  fr: "Scannez ceci avec le téléphone",
  it: "Scansionalo con il telefono",
  pt: "Escaneie com o telefone",
}

/** Linking a phone on the page that is sent to a person without an account. */
const linkPages: State[] = [
  {
    name: "link-page",
    reach: async (world, page) => await withCode(page, await linkPage(world.bakery, "sent")),
    reads: "Scan this with your phone",
  },
  ...Object.entries(inLanguages).map(([language, words]): State => ({
    name: `link-page-${language}`,
    reach: async (world, page) => {
      await page.setExtraHTTPHeaders({ ...from, "accept-language": language })
      try {
        await withCode(page, await linkPage(world.bakery, "sent"))
      } finally {
        await page.setExtraHTTPHeaders(from)
      }
    },
    reads: words,
  })),
  {
    name: "link-page-own-look",
    reach: async ({ florist, store }, page) => {
      await store.Brand.choose(florist.id, "#7a1f4b", logo())
      await withCode(page, await linkPage(florist, "roses"))
    },
    reads: "Link your phone for The florist",
  },
  {
    name: "link-page-typed-code",
    reach: async ({ bakery, network }, page) => {
      const { number } = await network.create("Somebody far away")
      await askForCode(page, await linkPage(bakery, "sent"), `+${number}`)
    },
    reads: "Type this on the phone",
  },
  {
    name: "link-page-other-number-typed",
    reach: async ({ bakery }, page) =>
      await askForCode(
        page,
        await linkPage(bakery, "sent", { expected_phone: "4915112345678" }),
        "+4999912345",
      ),
    reads: "That is another number",
  },
  {
    name: "link-page-wrong-phone",
    reach: async (world, page) => {
      await withCode(page, await linkPage(world.bakery, "wrong", { expected_phone: "4915112345678" }))
      await scan(world, page)
    },
    reads: "That was another phone.",
  },
  {
    name: "link-page-passkey-wanted",
    reach: async (world, page) => {
      await withCode(page, await linkPage(world.bakery, "guarded"))
      await scanWithPasskey(world, page)
    },
    reads: "WhatsApp asks for your passkey",
  },
  {
    name: "link-page-done",
    reach: async (world, page) => {
      await withCode(page, await linkPage(world.bakery, "done", { return_url: "https://example.com/linked" }))
      await scan(world, page)
    },
    reads: "Your phone is linked",
  },
  {
    name: "link-page-taken",
    reach: async ({ bakery }) => new URL(await linkPage(bakery, "connected")).pathname,
    reads: "A phone is linked already",
  },
  { name: "link-page-over", reach: () => `/link/${"A".repeat(43)}`, reads: "This page is over" },
  {
    name: "link-page-reported",
    reach: async ({ bakery }, page) => {
      await page.goto(await linkPage(bakery, "sent"))
      await press(page, "Report this page")
    },
    reads: "The people who run this service were told",
  },
]

export const linking = [...connecting, ...linkPages]

/** A link page for this number, which is made if it is not there. */
async function linkPage(of: Customer, ref: string, wishes: Record<string, string> = {}): Promise<string> {
  await of.bridge(ref)
  const made = await of.call("POST", `/instances/${ref}/link-sessions`, wishes)
  const { url } = z.object({ url: z.string() }).parse(await made.json())
  return url.replace("127.0.0.1", "localhost")
}

/** Opens a page, and waits for the code to scan. */
async function withCode(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.waitForSelector("#qr img", { timeout: 30_000 })
}

/** Asks on a page for a code to type on the phone with this number. */
async function askForCode(page: Page, url: string, number: string): Promise<void> {
  await withCode(page, url)
  await page.locator("#phone").fill(number)
  await page.locator("#linking form .button.main").click()
  await page.waitForFunction("document.querySelector('.big-code, main .note.bad')")
}

/** A new phone scans the code on the page. */
async function scan({ network }: World, page: Page): Promise<string> {
  const { number } = await network.create("Somebody with a phone")
  await network.scan(number, await codeOn(page))
  return number
}

/** So does one whose account wants a passkey. */
async function scanWithPasskey({ network }: World, page: Page): Promise<void> {
  const { number } = await network.create("Somebody with a passkey")
  await network.call("POST", `/phones/${number}/passkey`)
  await network.scan(number, await codeOn(page)).catch((error: unknown) => {
    if (!String(error).includes("passkey_required")) throw error
  })
}

async function codeOn(page: Page): Promise<Uint8Array<ArrayBuffer>> {
  const source = await page.$eval("#qr img", (image) => image.getAttribute("src") ?? "")
  return new Uint8Array(Buffer.from(source.split(",")[1] ?? "", "base64"))
}

/** A picture of one colour. */
function logo(): Uint8Array {
  const picture = new PNG({ width: 160, height: 48 })
  for (let i = 0; i < picture.data.length; i += 4) picture.data.set([122, 31, 75, 255], i)
  return new Uint8Array(PNG.sync.write(picture))
}
