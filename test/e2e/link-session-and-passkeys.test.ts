import { setTimeout as sleep } from "node:timers/promises"
import type { Page } from "puppeteer-core"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import { startChromium } from "#one-machine/browser/chromium.ts"
import { type Customer, type Service, startService } from "#test/support/service/service.ts"
import { press, sees } from "#test/support/service/walk.ts"
import { until } from "#test/support/until.ts"

let service: Service
let browser: Awaited<ReturnType<typeof startChromium>>
let shop: Customer
/** Where people open the service: passkeys do not work at an address. */
let base = ""

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), startChromium()])
  base = service.baseUrl.replace("127.0.0.1", "localhost")
  shop = await service.customer("The shop")
})
afterAll(async () => {
  await browser.close()
  await service.stop()
  service.remove()
})

/** A page in a browser without a sign-in. */
async function aStranger(): Promise<Page> {
  const page = await browser.newPage()
  // As in dashboard.test.ts.
  onTestFinished(() => Promise.race([page.close(), sleep(5000, undefined, { ref: false })]))
  await page.setViewport({ width: 1280, height: 900 })
  const client = await page.createCDPSession()
  await client.send("Network.clearBrowserCookies")
  return page
}

const Made = z.object({ url: z.string() })

/** A bridge without a phone, and a page that links one. */
async function aLinkPage(ref: string, wishes: { expected_phone?: string; return_url?: string } = {}) {
  await shop.bridge(ref)
  const made = await shop.call("POST", `/instances/${ref}/link-sessions`, wishes)
  return Made.parse(await made.json()).url
}

/** Scans what the page shows, as soon as that is a code. */
async function scan(page: Page, number: string): Promise<void> {
  const picture = await page.waitForSelector("#qr img")
  const source = await picture!.evaluate((image) => image.getAttribute("src") ?? "")
  await service.network.scan(number, Buffer.from(source.split(",")[1] ?? "", "base64"))
}

test("a visitor without an account links the expected phone; another is unlinked, and the page works once", async () => {
  const [grace, mallory] = [await service.network.create("Grace"), await service.network.create("Mallory")]
  const return_url = "https://shop.example/settings"
  const url = await aLinkPage("expected", { expected_phone: `+${grace.number}`, return_url })
  const page = await aStranger()
  await page.goto(url)
  await sees(page, "Link your phone for The shop")
  await sees(page, `the number ending in ${grace.number.slice(-4)}`)
  expect(await page.content()).not.toContain(grace.number)

  await page.locator("#phone").fill(mallory.number)
  await press(page, "Get a code to type")
  await sees(page, "That is another number")
  await page.goto(url)
  await scan(page, mallory.number)
  await sees(page, "That was another phone.")
  await scan(page, grace.number)
  await sees(page, "Your phone is linked")
  const back = await page.$eval("main a", (link) => [link.textContent.trim(), link.href])
  expect(back).toEqual(["Go on to shop.example", return_url])

  // The page shows no further code to any visitor.
  const other = await aStranger()
  await other.goto(url)
  await sees(other, "Your phone is linked")
  expect(await other.$("#qr, form")).toBeNull()
  const status = await (await shop.call("GET", "/instances/expected/proxy/status")).json()
  expect(status).toMatchObject({ phone: grace.number })
})

/** Sends a form as a page of ours does in a browser that runs no script. */
async function send(url: string, fields: Record<string, string>): Promise<Response> {
  const headers = { "sec-fetch-site": "same-origin" }
  return await fetch(url, { method: "POST", headers, body: new URLSearchParams(fields) })
}

test("without script the page says what to do, and the code that it gives to type links the phone", async () => {
  const url = await aLinkPage("typed")
  const joan = await service.network.create("Joan")
  expect(await (await fetch(url)).text()).toContain("Without script the code cannot follow the network")
  const answer = await (
    await send(url, { phone: `+${joan.number.slice(0, 3)} ${joan.number.slice(3)}` })
  ).text()
  const code = />([0-9A-Z]{4}-[0-9A-Z]{4})</.exec(answer)?.[1]
  expect(answer).toContain("Without script this page does not see when it is done")
  await service.network.typeCode(joan.number, code!)
  await until(async () => (await (await fetch(url)).text()).includes("Your phone is linked"))
})

test("a phone that was linked before is left as it is, and its number is not told", async () => {
  const ada = await service.network.create("Ada")
  await shop.linked("before", ada.number)
  const url = await aLinkPage("before", { expected_phone: "491711234567" })
  const page = await aStranger()
  await page.goto(url)
  await sees(page, "A phone is linked already")
  expect(await page.content()).not.toContain(ada.number)
  const status = await (await shop.call("GET", "/instances/before/proxy/status")).json()
  expect(status).toMatchObject({ status: "connected", phone: ada.number })
})

test("a made-up, mangled or deleted page is over, for its stream and its form as well", async () => {
  const url = await aLinkPage("deleted")
  await shop.call("DELETE", "/instances/deleted")
  for (const wrong of [
    url,
    `${url}x`,
    url.slice(0, -1),
    `${url.slice(0, -43)}${"a".repeat(43)}`,
    `${url}%00`,
  ]) {
    expect((await fetch(wrong)).status).toBe(404)
    expect((await fetch(`${wrong}/stream`)).status).toBe(404)
    expect((await send(wrong, { phone: "1" })).status).toBe(404)
  }
  expect(await (await fetch(url)).text()).toContain("Ask the person who sent it for a new one")
})

/** A browser with a device that holds passkeys, signed in as this address. */
async function signedIn(email: string) {
  const page = await aStranger()
  const client = await page.createCDPSession()
  await client.send("WebAuthn.enable")
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  // This device answers at once, where a person is asked in the list of addresses: then there is no button to
  // press.
  await page.evaluateOnNewDocument("PublicKeyCredential.isConditionalMediationAvailable = async () => false")
  const { authenticatorId } = await client.send("WebAuthn.addVirtualAuthenticator", { options })
  const credentials = async () =>
    (await client.send("WebAuthn.getCredentials", { authenticatorId })).credentials
  const signIn = async () => {
    const { link } = await service.admin(z.object({ link: z.string() }), "login-link", email)
    await page.goto(link)
    await until(() => page.url() === `${base}/`)
  }
  const signOut = async () => {
    await page.goto(`${base}/account`)
    await press(page, "Sign out")
    await until(() => page.url() === `${base}/sign-in`)
  }
  const makePasskey = async (name: string) => {
    await page.goto(`${base}/account`)
    await page.locator("#passkey-name").fill(name)
    await press(page, "Make a passkey")
    await sees(page, `${name} · not used yet`)
  }
  await signIn()
  return { page, client, authenticatorId, credentials, signIn, signOut, makePasskey }
}

const json = `{ method: "POST", headers: { "content-type": "application/json" }`
/** For pages: asks for a challenge. */
const challenge = `fetch("/sign-in/passkey/options", ${json}, body: "{}" }).then((answer) => answer.json())`
/** For pages: has the device answer what is asked, without our script. */
const answering = (asked: string) =>
  `(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${asked})
    return JSON.stringify({ response: (await navigator.credentials.get({ publicKey })).toJSON() })
  })()`
/** For pages: sends an answer. @returns the status */
const sending = (body: string) =>
  `fetch("/sign-in/passkey", ${json}, body: ${JSON.stringify(body)} }).then((answer) => answer.status)`

const post = async (path: string, body: string, cookie = "") =>
  await fetch(base + path, { method: "POST", headers: { "content-type": "application/json", cookie }, body })

const usePasskey = (page: Page) => press(page, "Sign in with a passkey")

test("a passkey signs its person in, a second one as well, and a removed one no more", async () => {
  const laptop = await signedIn("grace@example.com")
  await laptop.makePasskey("Laptop")
  const phone = await signedIn("grace@example.com")
  await phone.makePasskey("Phone")
  for (const { page, signOut } of [phone, laptop]) {
    await signOut()
    await usePasskey(page)
    await until(() => page.url() === `${base}/`)
  }
  await laptop.page.goto(`${base}/account`)
  await sees(laptop.page, "grace@example.com (you)")
  await sees(laptop.page, "Phone · used")
  await laptop.page.locator("::-p-xpath(//summary[contains(., 'Laptop')])").click()
  await press(laptop.page, "Remove it now : Laptop")
  const shown = () => laptop.page.content().catch(() => "Laptop")
  await until(async () => !(await shown()).includes("Laptop"))
  await laptop.signOut()
  await usePasskey(laptop.page)
  await sees(laptop.page, "This passkey does not sign in here")
  expect(laptop.page.url()).toBe(`${base}/sign-in`)
})

test("a passkey that is offered with the address is still taken when its first challenge has long ended", async () => {
  const { page, makePasskey, signOut } = await signedIn("joan@example.com")
  await makePasskey("Laptop")
  await signOut()
  // The user chooses no passkey at first. Then four minutes have passed.
  await page.evaluateOnNewDocument(`
    PublicKeyCredential.isConditionalMediationAvailable = async () => true
    const { credentials } = navigator
    const [get, now, every] = [credentials.get.bind(credentials), Date.now, setInterval]
    window.asked = 0
    credentials.get = ({ publicKey, signal }) =>
      window.asked++ === 0
        ? new Promise((_, refuse) => signal.addEventListener("abort", () => refuse(signal.reason)))
        : get({ publicKey })
    Date.now = () => now() + window.asked * 241_000
    window.setInterval = (act, ms) => every(act, Math.min(ms, 100))
  `)
  await page.goto(`${base}/sign-in`)
  await until(() => page.url() === `${base}/`)
  await page.goto(`${base}/account`)
  await sees(page, "Laptop · used")
  expect(page.url()).toBe(`${base}/account`)
})

test("a passkey's answer is worth nothing twice, in another browser, from elsewhere or with a copied key", async () => {
  const device = await signedIn("ada@example.com")
  const { page, client, authenticatorId } = device
  await device.makePasskey("Key")
  const [copied] = await device.credentials()
  // A page of the same place that asks for no passkey by itself.
  const quiet = `${base}/link/none`
  await page.goto(quiet)

  const first = String(await page.evaluate(answering(`await ${challenge}`)))
  // A browser that was asked something else, or nothing.
  const asked = await post("/sign-in/passkey/options", "{}")
  for (const cookie of ["", asked.headers.getSetCookie().join("").split(";")[0]!])
    expect((await post("/sign-in/passkey", first, cookie)).status).toBe(400)
  expect(await page.evaluate(sending(first))).toBe(200)
  expect(await page.evaluate(sending(first))).toBe(400)

  // The same device, and the name of the same host: only the port is another.
  const theirs = JSON.stringify(await page.evaluate(challenge))
  await page.goto(service.phonesUrl.replace("127.0.0.1", "localhost"))
  const phished = String(await page.evaluate(answering(theirs)))
  await page.goto(quiet)
  expect(await page.evaluate(sending(phished))).toBe(400)
  expect(await page.evaluate(sending(String(await page.evaluate(answering(`await ${challenge}`)))))).toBe(200)

  const { credentialId } = copied!
  await client.send("WebAuthn.removeCredential", { authenticatorId, credentialId })
  await client.send("WebAuthn.addCredential", { authenticatorId, credential: copied! })
  expect(await page.evaluate(sending(String(await page.evaluate(answering(`await ${challenge}`)))))).toBe(400)
})

test("a passkey is made by its own person alone, and not with a challenge of a sign-in", async () => {
  expect((await post("/account/passkeys/options", "{}")).redirected).toBe(true)
  const { page } = await signedIn("lise@example.com")
  await page.goto(`${base}/account`)
  const made = `(async () => {
    const asked = await fetch("/account/passkeys/options", ${json}, body: "{}" }).then((answer) => answer.json())
    const { challenge } = await ${challenge}
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({ ...asked, challenge })
    const response = (await navigator.credentials.create({ publicKey })).toJSON()
    const body = JSON.stringify({ name: "x", response })
    return (await fetch("/account/passkeys", ${json}, body })).status
  })()`
  expect(await page.evaluate(made)).toBe(400)
  await page.reload()
  expect(await page.content()).not.toContain("not used yet")
})
