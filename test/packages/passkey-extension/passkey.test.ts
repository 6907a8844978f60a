import { createServer, type IncomingMessage } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { unzipSync } from "fflate"
import type { Page, SerializedAXNode } from "puppeteer-core"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { PasskeyAssertion } from "#contract/passkey.ts"
import { passkeyExtensionFor } from "#dashboard/passkey-extension.ts"
import { startChromium } from "#one-machine/browser/chromium.ts"
import { passkeyPage } from "#one-machine/browser/passkey-page.ts"
import { listen } from "#one-machine/listen.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { press } from "#test/support/service/walk.ts"
import { until } from "#test/support/until.ts"

const network = await aNetwork()
let browser: Awaited<ReturnType<typeof startChromium>>
/** A service, and another site: the same server under another name. */
const [service, stranger] = ["http://localhost", "http://127.0.0.1"]
let port = 0

/** A page with a link to where its query says. */
const server = createServer((request, response) => {
  response.setHeader("content-type", "text/html; charset=utf-8")
  response.end(`<a referrerpolicy="origin" href="${goal(request).replaceAll('"', "&quot;")}">Go</a>`)
})
const goal = ({ url }: IncomingMessage) => new URL(url ?? "", "http://localhost").searchParams.get("to") ?? ""

beforeAll(async () => {
  ;[port, browser] = await Promise.all([listen(server), startChromium()])
})
afterAll(async () => {
  await browser.close()
  server.close()
  await network.close()
})

/** A page with the extension of our service, on a device with the passkey of an account. */
async function aPage(): Promise<Page> {
  const { number } = await network.phone()
  const passkey = await network.call("POST", `/phones/${number}/passkey`)
  const files = unzipSync(passkeyExtensionFor(`${service}:${port}`))
  const page = await passkeyPage(browser, [passkey as never], files)
  onTestFinished(() => Promise.race([page.close(), sleep(5000, undefined, { ref: false })]))
  return page
}

const options = { challenge: "dGhlIGNoYWxsZW5nZQ", rpId: "whatsapp.com", userVerification: "required" }

/** Follows a link of a page of this site that asks for a passkey. */
async function ask(page: Page, site: string, request: object): Promise<void> {
  const asked = { options, page: "/link/token", linksTo: "The shop", ...request }
  const to = `https://web.whatsapp.com/#bridge-passkey=${encodeURIComponent(JSON.stringify(asked))}`
  await page.goto(`${site}:${port}/?to=${encodeURIComponent(to)}`)
  await page.click("a")
  await page.waitForFunction("location.host === 'web.whatsapp.com' && document.readyState === 'complete'")
}

/** What the answer says that the browser has signed. */
function answerIn(url: string) {
  const { rawId, response } = PasskeyAssertion.strict().parse(
    JSON.parse(decodeURIComponent(url.split("#passkey=")[1] ?? "")),
  )
  const said = JSON.parse(Buffer.from(response.clientDataJSON, "base64url").toString()) as object
  return { ...said, rawId }
}

/**
 * What is read in the extension's dialog, which scripts of the page cannot look into; undefined if it shows
 * none.
 */
async function asked(page: Page): Promise<string | undefined> {
  const whole = await page.accessibility.snapshot({ interestingOnly: false })
  const dialog = whole && everyNode(whole).find(({ role }) => role === "dialog")
  if (!dialog) return undefined
  return everyNode(dialog)
    .flatMap(({ role, name }) => (role === "StaticText" ? [name ?? ""] : []))
    .join(" ")
}

const everyNode = (node: SerializedAXNode): SerializedAXNode[] => [
  node,
  ...(node.children ?? []).flatMap(everyNode),
]

const untilAt = (page: Page, start: string) =>
  page.waitForFunction(`location.href.startsWith(${JSON.stringify(start)})`)

test("a press uses the passkey on WhatsApp's page, and the answer is brought back to the page that asked", async () => {
  const page = await aPage()
  await ask(page, service, {})
  expect(await asked(page)).toContain("A phone is being linked there for: The shop")
  await press(page, "Use my passkey")
  await untilAt(page, `${service}:${port}/link/token#passkey=`)
  expect(answerIn(page.url())).toMatchObject({
    type: "webauthn.get",
    challenge: options.challenge,
    origin: "https://web.whatsapp.com",
    crossOrigin: false,
  })
})

test("the dialog names the service and what may be done with the account; going back brings nothing back", async () => {
  const page = await aPage()
  await ask(page, service, {})
  const read = await asked(page)
  expect(read).toContain(`Let localhost:${port} use your WhatsApp account?`)
  expect(read).toContain("it can read your messages and send messages as you")
  await press(page, "Go back")
  await untilAt(page, `${service}:${port}/link/token`)
  expect(page.url()).toBe(`${service}:${port}/link/token`)
})

test("no other site, whatever it names, can have the passkey used, nor can a person who types an address", async () => {
  const page = await aPage()
  await ask(page, stranger, {})
  expect(await asked(page)).toBeUndefined()
  await page.goto("about:blank")
  await page.goto(
    `https://web.whatsapp.com/#bridge-passkey=${encodeURIComponent(JSON.stringify({ options }))}`,
  )
  expect(await asked(page)).toBeUndefined()
  // Not even a page of the service has an answer sent elsewhere.
  for (const goal of [`${stranger}:${port}/`, "//example.com/", "javascript:0", "http://["]) {
    await ask(page, service, { page: goal })
    expect(await asked(page)).toBeUndefined()
  }
})

/** In the page: has a script press a button. @returns whether it took effect */
const pressedByScript = (one: object): boolean => {
  const button = one as { click(): void; disabled: boolean }
  button.click()
  return button.disabled
}

test("scripts of WhatsApp's page see no request, and their clicks use no passkey", async () => {
  const page = await aPage()
  await ask(page, service, {})
  const seen = await page.evaluate(
    "({ hash: location.hash, first: seen.hash, root: document.documentElement.lastChild.shadowRoot })",
  )
  expect(seen).toEqual({ hash: "", first: "", root: null })
  const button = await page.waitForSelector('::-p-aria([name="Use my passkey"][role="button"])')
  expect(await button!.evaluate(pressedByScript)).toBe(false)
})

test("only a signature is asked of the passkey: what else WebAuthn could have it say is left out", async () => {
  const page = await aPage()
  // A browser that were asked for this one would refuse.
  const prf = { evalByCredential: { b3RoZXI: { first: "c2FsdA" } } }
  await ask(page, service, {
    options: { ...options, extensions: { prf, largeBlob: { read: true } }, mediation: "silent" },
  })
  await press(page, "Use my passkey")
  await untilAt(page, `${service}:${port}/link/token#passkey=`)
  expect(answerIn(page.url())).toMatchObject({ challenge: options.challenge })
})

test("without a passkey of that account the dialog says so in plain words, and stays", async () => {
  const page = await aPage()
  await ask(page, service, {
    options: { ...options, allowCredentials: [{ type: "public-key", id: "b3RoZXI" }] },
  })
  await press(page, "Use my passkey")
  await until(async () => (await asked(page))?.includes("No passkey was used"))
  expect(await asked(page)).toContain("Use my passkey")
  await press(page, "Go back")
  await untilAt(page, `${service}:${port}/link/token`)
})
