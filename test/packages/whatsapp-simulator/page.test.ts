import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "puppeteer-core"
import QRCode from "qrcode"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startChromium } from "#one-machine/browser/chromium.ts"
import type { Client } from "../../support/network/baileys-client.ts"
import { aNetwork } from "../../support/network/network.ts"

const network = await aNetwork()
const files = mkdtempSync(join(tmpdir(), "page-"))
let browser: Awaited<ReturnType<typeof startChromium>>

beforeAll(async () => {
  browser = await startChromium()
})
afterAll(async () => {
  await browser.close()
  await network.close()
  rmSync(files, { recursive: true })
})

/** The page in a tab of its own; what goes wrong in it, and what it asks of other hosts, fails the test. */
async function aPage(size: { width: number; height: number } = { width: 1200, height: 800 }) {
  const page = await browser.newPage()
  await page.setViewport(size)
  const wrong: string[] = []
  page.on("console", (said) => {
    // A refused request is one, too; the page says what came of it.
    if (said.type() === "error" && !said.text().includes("the server responded with a status of 4"))
      wrong.push(said.text())
  })
  page.on("pageerror", (error) => wrong.push(String(error)))
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol !== "data:" && origin !== network.controlUrl) wrong.push(request.url())
  })
  onTestFinished(async () => {
    await page.close()
    expect(wrong).toEqual([])
  })
  await page.goto(network.controlUrl)
  return page
}

/** The actions of a person. */
const by = (page: Page) => ({
  async type(label: string, text: string) {
    const field = page.locator(`::-p-aria([name="${label}"])`)
    await field.fill(text)
  },
  press: (name: string) => page.locator(`::-p-aria([name="${name}"][role="button"])`).click(),
  /** Waits until this is to be read somewhere. */
  sees: (text: string) => page.locator(`::-p-text(${text})`).wait(),
  async makesPhone(name: string) {
    await this.type("Name of a new phone", name)
    await this.press("Make")
    await this.sees(`${name} has the number`)
    const number = await page.$eval("#number", (found) => found.textContent)
    return { number: number ?? "", jid: `${number}@s.whatsapp.net` }
  },
})

/** The client that showed the code, back as the device it was linked as. */
async function comesBack(unlinked: Client) {
  expect(await unlinked.closed()).toBe(515)
  const client = network.client(unlinked.device)
  await client.online()
  return client
}

test("a person makes a phone, links a client by the text of its code, and chats with it", async () => {
  const page = await aPage()
  const person = by(page)
  await person.sees("Nobody is here yet")
  const ada = await person.makesPhone("Ada")

  const unlinked = network.client()
  await page.click("#qr")
  // As a paste does: all at once, without keys.
  await page.keyboard.sendCharacter(await unlinked.qr())
  await page.click("#scan button")
  await person.sees(`Linked as ${ada.number}:1.`)
  const client = await comesBack(unlinked)
  await person.sees("online")

  const bob = await person.makesPhone("Bob")
  await person.type("Number or group", ada.number)
  await person.press("Open")
  await page.keyboard.type("Is this a bridge?")
  await page.keyboard.press("Enter")
  const { message } = await client.message("Is this a bridge?")
  expect(message.pushName).toBe("Bob")

  // It shows as it comes, without a key being pressed, and as text.
  await client.sock.sendMessage(bob.jid, { text: "<b id='evil'>It</b> is & <script>alert(1)</script>" })
  await person.sees("<b id='evil'>It</b> is & <script>")
  expect(await page.$("#evil")).toBeNull()
  await client.sock.sendMessage(bob.jid, { react: { text: "👍", key: message.key } })
  await person.sees("reacted 👍")
  const shown = await page.$$eval(".message", (all) => all.map(({ className }) => className))
  expect(shown).toEqual(["message own", "message", "message"])
})

test("a picture of the code links as well: chosen, or dropped", async () => {
  const page = await aPage()
  const person = by(page)
  const picture = join(files, "code.png")

  const chosen = network.client()
  const ada = await person.makesPhone("Ada Two")
  await QRCode.toFile(picture, await chosen.qr())
  const input = await page.waitForSelector("input#file")
  await input?.uploadFile(picture)
  await person.sees(`Linked as ${ada.number}:1.`)
  await comesBack(chosen)

  const dropped = network.client()
  const code = await QRCode.toBuffer(await dropped.qr())
  await page.click("#link summary")
  await page.evaluate(`{
    const bytes = Uint8Array.from(atob("${code.toString("base64")}"), (character) => character.charCodeAt(0))
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([bytes], "code.png", { type: "image/png" }))
    const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true })
    document.querySelector("#link").dispatchEvent(drop)
  }`)
  await person.sees(`Linked as ${ada.number}:2.`)
  await comesBack(dropped)
  await page.locator("#devices li:nth-child(2)").wait()
  expect(await network.call("GET", `/phones/${ada.number}`)).toMatchObject({
    devices: [{ id: 0 }, { connected: true }, { connected: true }],
  })
})

test("a chat takes files, sound as a voice note, and votes on a poll", async () => {
  const page = await aPage()
  const person = by(page)
  const ada = await network.phone("Ada Three")
  const bob = await person.makesPhone("Bob Three")
  await person.type("Number or group", ada.number)
  await person.press("Open")

  const voice = join(files, "voice.ogg")
  writeFileSync(voice, "OggS and so on")
  const input = await page.waitForSelector("input#attach")
  await input?.uploadFile(voice)
  const [heard] = await ada.read({ from: bob.number, kind: "audioMessage" })
  expect(heard!.content).toMatchObject({ audioMessage: { ptt: true, mimetype: "audio/ogg" } })
  expect(String(await ada.file(heard!.id))).toBe("OggS and so on")

  await ada.post(bob.number, { poll: { question: "Lunch?", options: ["Soup", "Salad"] } })
  await person.sees("[poll] Lunch?")
  await person.press("Salad")
  await person.sees("voted")
  const [vote] = await ada.read({ from: bob.number, kind: "pollUpdateMessage" })
  expect(vote!.opened).toMatchObject({ options: ["Salad"] })
})

test("a link that fails says why, and may be tried again", async () => {
  const page = await aPage()
  const person = by(page)
  const { number } = await person.makesPhone("Eve")
  const tries = async (text: string, what = "") => {
    await page.select("#obstacle", what)
    await person.type("The QR code a client shows: its text, or drop or paste its picture here", text)
    await page.click("#scan button")
  }
  await tries("hello")
  await person.sees("Not linked: this is not a code for linking a device.")
  const unlinked = network.client()
  const qr = await unlinked.qr()
  await tries(qr, "decline")
  await person.sees("Not linked: the phone's owner declined.")
  await tries(qr, "passkey")
  await person.sees("Not linked: the account wants a passkey first.")
  await tries(qr)
  await person.sees(`Linked as ${number}:1.`)
  await comesBack(unlinked)

  await person.press("Log out")
  await person.sees("Device 1 is logged out.")
  expect(await network.call("GET", `/phones/${number}`)).toMatchObject({ devices: [{ id: 0 }] })
})

test("on a small screen one pane is shown at a time, and all can be reached by the keyboard", async () => {
  const page = await aPage({ width: 390, height: 800 })
  const person = by(page)
  await person.makesPhone("Small")
  const visible = () =>
    page.$$eval("#phones-pane, #phone-pane, #chat-pane", (panes) =>
      panes.filter((pane) => pane.checkVisibility({ visibilityProperty: true })).map(({ id }) => id),
    )
  expect(await visible()).toEqual(["phone-pane"])
  expect(await page.$eval("html", (html) => html.scrollWidth)).toBe(390)
  await page.focus("#back")
  await page.keyboard.press("Enter")
  expect(await visible()).toEqual(["phones-pane"])

  const other = await network.phone("Big")
  await person.sees("Big")
  await page.focus("#phones button:last-child")
  await page.keyboard.press("Enter")
  expect(await page.$eval("#number", (found) => found.textContent)).toBe(other.number)
})
