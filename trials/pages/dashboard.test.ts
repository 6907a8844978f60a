import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { type AddressInfo, connect, createServer as createLine, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import type { Page } from "puppeteer-core"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startChromium } from "#one-machine/browser/chromium.ts"
import { listen } from "#one-machine/listen.ts"
import { readQr } from "#simulator/phone/qr-image.ts"
import { everyPath, faultsOf, twoLooks, weightOf } from "#test/support/service/page-faults.ts"
import { type Service, startService } from "#test/support/service/service.ts"
import { startReceiver } from "#test/support/service/start-receiver.ts"
import { follow, press, printedLink, sees } from "#test/support/service/walk.ts"
import { until } from "#test/support/until.ts"
import { invite, seeded } from "./scene.ts"
import { qrFresh } from "./timings.ts"

let service: Service
let browser: Awaited<ReturnType<typeof startChromium>>
let base = ""
/** The number that is linked as `shop`, and one that writes to it. */
const people = { grace: "", ada: "" }
/** Errors in any page, and its requests to other hosts. */
const wrong: string[] = []

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), startChromium()])
  base = service.baseUrl.replace("127.0.0.1", "localhost")
})
afterAll(async () => {
  await browser.close()
  await service.stop()
  service.remove()
})

async function aPage(): Promise<Page> {
  const page = await browser.newPage()
  await page.setViewport({ width: 1280, height: 900 })
  page.on("console", (said) => {
    if (said.type() === "error") wrong.push(said.text())
  })
  page.on("pageerror", (error) => wrong.push(String(error)))
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol !== "data:" && origin !== base) wrong.push(request.url())
  })
  // Now and then this Chromium, which is one process, does not answer. All pages end with the browser.
  onTestFinished(() => Promise.race([page.close(), sleep(5000, undefined, { ref: false })]))
  return page
}

/** A browser's cookies, for a request of our own. */
function header(cookies: { name: string; value: string }[]): string {
  return cookies.map(({ name, value }) => `${name}=${value}`).join("; ")
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  server.close()
  return port
}

test("the printed link signs in by itself, and the first event is there without a click", async () => {
  const page = await aPage()
  await page.goto(printedLink(service.said()))
  // A number of this account has its phone.
  await page.waitForSelector("#latest")
  expect(page.url()).toBe(`${base}/`)
  await page.goto(`${base}/start`)
  await page.waitForSelector("#start-events li")

  const markup = `<img src=x onerror="document.title='evil'"> \u202eHello`
  await page.locator("#say").fill(markup)
  await press(page, "Send")
  await page.locator("#chat ::-p-text(onerror)").wait()
  await page.locator("#start-events ::-p-text(onerror)").wait()
  expect(await page.$("#start-events img, #chat img")).toBeNull()
  expect(await page.$eval("#chat li", (one) => one.innerText)).toBe(markup)
  expect(await page.title()).toContain("first steps")
  expect(wrong).toEqual([])
})

test("a number is added and linked by the network's own code on the screen, and its messages appear", async () => {
  const page = await aPage()
  await page.goto(`${base}/numbers`)
  await follow(page, "Add a number")
  await page.locator("#ref").fill("shop")
  await press(page, "Add it and link a phone")

  const picture = await page.waitForSelector("#qr img")
  const source = (await picture!.evaluate((image) => image.getAttribute("src"))) ?? ""
  const png = Buffer.from(source.split(",")[1] ?? "", "base64")
  const phone = await service.network.create("Grace")
  expect(readQr(png)).toContain("#2@")
  await service.network.scan(phone.number, new Uint8Array(png))
  await sees(page, `Linked to +${phone.number}`)
  await sees(page, "Connected: done")

  await follow(page, "Events")
  await page.locator("#events ::-p-text(connected)").wait()
  const ada = await service.network.create("Ada")
  await service.network.send(ada.number, phone.number, "Is this a shop?")
  await page.locator("#events ::-p-text(Is this a shop?)").wait()
  Object.assign(people, { grace: phone.number, ada: ada.number })
  expect(wrong).toEqual([])
})

test("an answer that waits when its page is loaded again is sent once, and the chat shows what comes back", async () => {
  const page = await aPage()
  await page.goto(`${base}/numbers/shop/connect`)
  await sees(page, "Keep the messages of this number?")
  await follow(page, "Open the chats, keep nothing")
  await page.locator("#chats a").click()
  await sees(page, "Is this a shop?")
  await page.setRequestInterception(true)
  page.on("request", (one) => void (one.url().endsWith("/answer") ? one.abort() : one.continue()))
  await page.type("#text", "It is, until six.")
  await page.keyboard.press("Enter")
  await sees(page, "Waits, and is sent by itself while this page is open.")
  page.removeAllListeners("request")
  await page.setRequestInterception(false)
  // The browser asks whether the page may be left, since something waits there.
  const asked = new Promise<string>((resolve) =>
    page.once("dialog", (dialog) => void dialog.accept().then(() => resolve(dialog.type()))),
  )
  await page.reload()
  expect(await asked).toBe("beforeunload")
  const got = await service.network.read(people.ada, { text: "It is, until six.", wait: 20_000 })
  await page.waitForSelector(`#m-${got[0]!.id} .step`)
  // The stream may be there before the answer of the form, which takes the waiting line away.
  const lines = () => page.$$eval("#messages .own .words", (all) => all.map((one) => one.textContent))
  await until(async () => (await lines()).join() === "It is, until six.", { what: "one line" })
  await sees(page, "You answer, for")
  await service.network.send(people.ada, people.grace, "<b>Thank you</b>")
  await page.waitForSelector("#messages > .theirs:last-child ::-p-text(<b>Thank you</b>)")
  await page.click("#messages > .theirs:last-child .acts > summary")
  await page.click("#messages > .theirs:last-child [value$='🙏']")
  await page.waitForSelector("#messages > .theirs:last-child .reactions li")
  expect((await service.network.read(people.ada, { text: "It is, until six." })).length).toBe(1)
  // What was refused on purpose is in the console.
  wrong.length = 0
})

test("an answer that is typed when the sign-in has ended goes once the person has signed in again", async () => {
  const page = await aPage()
  page.on("dialog", (dialog) => void dialog.accept())
  const path = `${base}/numbers/shop/chats/${people.ada}@s.whatsapp.net`
  await page.goto(path)
  const cookies = await browser.cookies()
  await browser.deleteCookie(...cookies)
  const answered = page.waitForResponse((one) => one.url().endsWith("/answer"))
  const text = "Are you still there?"
  await page.type("#text", text)
  await press(page, "Send")
  await answered
  await browser.setCookie(...cookies)
  await page.goto(path)
  expect(await service.network.read(people.ada, { text, wait: 20_000 })).toHaveLength(1)
  wrong.length = 0
})

/** Goes to a page. @returns the name under which the tab opens its stream */
async function streamOf(tab: Page, path: string): Promise<string | null> {
  const stream = tab.waitForRequest((one) => one.url().includes("part="))
  await tab.goto(base + path)
  return new URL((await stream).url()).searchParams.get("part")
}

test("a copy of a tab has live pages of its own, and a tab's next page takes the place of the one before", async () => {
  const page = await aPage()
  const name = await streamOf(page, "/numbers")
  const opened = new Promise<Page | null>((resolve) => page.once("popup", resolve))
  // It gets a copy of the page's storage, and shows nothing yet: no request of it is missed.
  await page.evaluate("void window.open('about:blank')")
  const copy = (await opened)!
  onTestFinished(() => copy.close())
  const other = await streamOf(copy, "/numbers/sandbox")
  expect([name, other]).toEqual([expect.stringContaining("-"), expect.stringContaining("-")])
  expect(other).not.toBe(name)
  await page.bringToFront()
  expect(await streamOf(page, "/numbers/sandbox")).toBe(name)
  expect(wrong).toEqual([])
})

test("the code on the screen is the network's present one in every sample", async () => {
  const stage = { service, browser, base, page: await aPage() }
  expect(await qrFresh(stage, seeded(service), 2000)).toMatchObject({ qr_fresh: 1 })
  expect(wrong).toEqual([])
})

test("a phone without a camera is linked with a code that is typed", async () => {
  const page = await aPage()
  await page.goto(`${base}/new-number`)
  await page.locator("#ref").fill("typed")
  await press(page, "Add it and link a phone")
  const phone = await service.network.create("Joan")
  await page.locator("#phone").fill(`+${phone.number.slice(0, 3)} ${phone.number.slice(3)}`)
  await press(page, "Get a code to type")
  const shown = await page.waitForSelector(".big-code")
  const code = (await shown!.evaluate((one) => one.textContent))!.trim()
  expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
  await service.network.typeCode(phone.number, code)
  await sees(page, `Linked to +${phone.number}`)
})

const tryItNow = `::-p-aria([name="Try it now"][role="button"])`

test("a failing receiver is found on the page of deliveries, with its status, and a number can be deleted", async () => {
  const page = await aPage()
  await page.goto(`${base}/numbers/shop/webhooks`)
  await page.locator("#webhook_url").fill("http://127.0.0.1:9/hook")
  await press(page, "Save")
  await sees(page, "Events go there from now on")
  await service.network.send(people.ada, people.grace, "Does anybody listen?")
  await page.goto(`${base}/numbers/shop/deliveries`)
  // The first failure moves the buttons.
  await page.locator(tryItNow).wait()
  await press(page, "Send a test event")
  await sees(page, "did not take a test event. Nothing listens at this address")

  await page.goto(`${base}/numbers/typed/settings`)
  await page.locator("summary ::-p-text(Delete this number)").click()
  await page.locator("#confirm").fill("typed")
  await press(page, "Delete it for ever")
  await until(() => page.url() === `${base}/numbers`)
  expect(await page.$("#number-typed")).toBeNull()
})

/** How many events wait for the receiver, as the page of deliveries says. */
async function waitingOn(page: Page): Promise<number> {
  const text = await page.$eval("#delivery-head", (head) => head.textContent ?? "")
  return Number(/(\d+) waiting/.exec(text)?.[1] ?? 0)
}

test("Ctrl-K leads to the field, arrows through what was found, and Enter to where a message stands", async () => {
  const page = await aPage()
  await page.goto(`${base}/usage`)
  await page.keyboard.down("Control")
  await page.keyboard.press("k")
  await page.keyboard.up("Control")
  await page.keyboard.type("does ANYBODY/")
  await page.keyboard.press("Backspace")
  await page.keyboard.press("Enter")
  await sees(page, "Does anybody listen?")
  await page.keyboard.press("/")
  expect(await page.evaluate("document.activeElement.id")).toBe("where")
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("Enter")
  await sees(page, "From the network to your program")
  await sees(page, "Nothing listens at this address")
  expect(wrong).toEqual([])
})

test("times are the reader's on every page, and what they choose or type is meant in their zone", async () => {
  const page = await aPage()
  await page.emulateTimezone("Asia/Kolkata")
  const value = async (field: string) => await page.evaluate(`document.querySelector("${field}").value`)
  await page.goto(`${base}/account/audit-log?since=2026-01-01T00:00`)
  await page.waitForSelector("[data-zone]::-p-text(Times are yours: Asia/)")
  expect(await value("#since")).toBe("2026-01-01T05:30")
  const [at = "", text] = await page.$eval("time[data-at=second]", (one) => [one.dateTime, one.textContent])
  expect(text).toBe(new Date(Date.parse(at) + 330 * 60_000).toISOString().slice(0, 19).replace("T", " "))
  await Promise.all([page.waitForNavigation(), press(page, "Filter")])
  expect(new URL(page.url()).searchParams.get("since")).toBe("2026-01-01T00:00")
  await page.locator("#where").fill("2026-01-01 14:02")
  await page.keyboard.press("Enter")
  await follow(page, "shop")
  await page.waitForSelector("#from")
  expect(new URL(page.url()).searchParams.get("from")).toBe(String(Date.parse("2026-01-01T08:31Z") / 1000))
  expect(await value("#from")).toMatch(/^2026-01-01T14:01/)
  expect(wrong).toEqual([])
})

test("a part of a page that has the focus is renewed when it is left, with what has come meanwhile", async () => {
  // Runs when the page is closed. Its line has another address, and the console tells of its cut.
  onTestFinished(() => void wrong.splice(0))
  const line = await aLine(Number(new URL(base).port))
  const [page, other] = [await aPage(), await aPage()]
  await page.goto(`${line.url}/numbers/shop/deliveries`)
  const had = await waitingOn(page)
  await service.network.send(people.ada, people.grace, "Are you there?")
  await until(async () => (await waitingOn(page)) > had)
  await until(async () => {
    await page.focus(`::-p-aria([name="Send a test event"])`)
    // The part may just have been exchanged.
    return await page.evaluate("document.activeElement.closest('#delivery-head') !== null")
  })
  const before = await waitingOn(page)

  await service.network.send(people.ada, people.grace, "Hello?")
  await other.goto(`${base}/numbers/shop/deliveries`)
  await until(async () => (await waitingOn(other)) > before)
  const attempts = (await page.$$("#attempts tr")).length
  await press(other, "Try it now")
  await page.bringToFront()
  // The stream sends this part after the one that has the focus.
  await until(async () => (await page.$$("#attempts tr")).length > attempts)
  expect(await waitingOn(page)).toBe(before)
  line.cut()
  await page.mouse.click(5, 5)
  await until(async () => (await waitingOn(page)) > before)
})

test("a page that a form answered can be loaded again and come back to, and the form is not sent again", async () => {
  const page = await aPage()
  await page.goto(`${base}/keys`)
  await page.locator("#name").fill("once")
  await page.select("#may", "read")
  await page.select("#numbers", "*")
  await press(page, "Create a key")
  await sees(page, "This is your new key")
  await page.reload()
  await page.goto(`${base}/usage`)
  await page.goBack()
  expect(page.url()).toBe(`${base}/keys`)
  expect(
    await page.$$eval("td .strong", (all) => all.filter((one) => one.textContent === "once").length),
  ).toBe(1)
  await page.locator("summary ::-p-text(Revoke)").click()
  await page.locator("details[open] form .button.danger").click()
  await sees(page, "The key is revoked")
  await page.reload()
  expect(page.url()).toBe(`${base}/keys`)
  expect(wrong).toEqual([])
})

test("on a narrow screen a button names a number's page and lists the others, also without script", async () => {
  const page = await aPage()
  await page.setJavaScriptEnabled(false)
  await page.setViewport({ width: 320, height: 568 })
  await page.goto(`${base}/numbers/sandbox/settings`)
  const shown = async () => {
    const boxes = await Promise.all((await page.$$("#tabs a")).map(async (one) => await one.boundingBox()))
    return boxes.filter(
      (box) => box && box.x >= 0 && box.x + box.width <= 320 && box.y >= 0 && box.y + box.height <= 568,
    ).length
  }
  expect(await shown()).toBe(0)
  await page.click(".tabs-menu")
  expect(await shown()).toBe(11)
  await page.click(`#tabs a[href$="/log"]`)
  await page.waitForSelector("#log")
})

test("a browser that has no passkey to offer says nothing of it until it is asked", async () => {
  const page = await aPage()
  await page.evaluateOnNewDocument(`
    const get = navigator.credentials.get.bind(navigator.credentials)
    navigator.credentials.get = (asked) => {
      const answer = get(asked)
      answer.catch(() => (document.documentElement.dataset.refused = "1"))
      return answer
    }
  `)
  await page.goto(`${base}/sign-in`)
  await page.waitForSelector("html[data-refused]")
  const said = () => page.$eval("[data-passkey] [data-said]", (one) => one.textContent)
  expect(await said()).toBe("")
  await press(page, "Sign in with a passkey")
  await until(async () => (await said()) !== "", { what: "why not" })
  expect(await said()).toContain("A mailed code works as well")
})

test("a passkey that was chosen, and that the service does not know, is refused where it was chosen", async () => {
  const page = await aPage()
  const unknown = {
    id: "AAAA",
    rawId: "AAAA",
    type: "public-key",
    response: { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA" },
    clientExtensionResults: {},
  }
  await page.evaluateOnNewDocument(`
    navigator.credentials.get = async () => ({ toJSON: () => (${JSON.stringify(unknown)}) })
  `)
  await page.goto(`${base}/sign-in`)
  const said = () => page.$eval("[data-passkey] [data-said]", (one) => one.textContent)
  await press(page, "Sign in with a passkey")
  await until(async () => (await said()) !== "", { what: "why not" })
  expect(await said()).toContain("This passkey does not sign in here: try again, or have a code mailed.")
  expect(new URL(page.url()).pathname).toBe("/sign-in")
  wrong.length = 0
})

test("without script the phone writes, the events are there, and a code to type can be had", async () => {
  const page = await aPage()
  await page.setJavaScriptEnabled(false)
  await page.goto(`${base}/start`)
  await page.type("#say", "Sent by a form")
  await Promise.all([page.waitForNavigation(), page.click("#phone form.inline button")])
  expect(await page.$eval("#chat", (chat) => chat.textContent)).toContain("Sent by a form")
  const hasCome = async () => {
    await page.goto(`${base}/numbers/sandbox/events?search=sent+by`)
    return (await page.$$("#events > li")).length > 0
  }
  await until(hasCome, { what: "the event" })
  await page.goto(`${base}/new-number`)
  await page.type("#ref", "plain")
  await Promise.all([page.waitForNavigation(), page.click("main button.main")])
  expect(await page.$eval("main", (main) => main.textContent)).toContain("Get a code to type")
  expect(wrong).toEqual([])
})

test("a page whose sign-in has ended goes to the sign-in, which leads back to it", async () => {
  const line = await aLine(Number(new URL(base).port))
  const signedIn = await browser.cookies()
  onTestFinished(() => browser.setCookie(...signedIn))
  const page = await aPage()
  const live = page.waitForResponse((response) => response.ok() && response.url().includes("/live/"))
  await page.goto(`${line.url}/numbers?from=here`)
  await live
  await browser.deleteCookie(...signedIn)
  line.cut()
  await line.mend()
  const to = `${line.url}/sign-in?next=${encodeURIComponent("/numbers?from=here")}`
  await page.waitForSelector("#email")
  expect(page.url()).toBe(to)
  wrong.length = 0
})

test("a stream that is cut blurs the code and says so, and then goes on where it was", async () => {
  const line = await aLine(Number(new URL(base).port))
  const page = await aPage()
  await page.goto(`${line.url}/numbers/plain/connect`)
  await page.waitForSelector("#qr img")
  await sees(page, "of 6, changes in")
  line.cut()
  await page.waitForSelector(".down #qr .cut", { visible: true })
  await line.mend()
  await page.waitForSelector("[data-stream]:not(.down) #qr img")

  // The phone may be connected all the while, but the page cannot know.
  await page.goto(`${line.url}/numbers/sandbox`)
  await sees(page, "confirmed ")
  line.cut()
  await sees(page, "this page is not live: confirmed ")
  await line.mend()
  await page.waitForSelector("[data-stream]:not(.down) [data-said]")

  await page.goto(`${line.url}/numbers/sandbox/events`)
  await page.waitForSelector("#events > li")
  line.cut()
  const other = await aPage()
  await other.goto(`${base}/start`)
  await other.locator("#say").fill("While it was cut")
  await press(other, "Send")
  await other.locator("#start-events ::-p-text(While it was cut)").wait()
  await line.mend()
  await page.waitForSelector("#events ::-p-text(While it was cut)")
  const shown = await page.$$eval("#events > li", (all) => all.map((one) => String(one.id)))
  expect(shown).toEqual([...new Set(shown)])
  // The page's line has another address, and the console tells of its cuts.
  wrong.length = 0
})

test("ages stay right when the visitor's clock is set while the page is open", async () => {
  const page = await aPage()
  await page.goto(`${base}/numbers/sandbox`)
  await sees(page, "confirmed ")
  // Its stream, which says what time it is, may open only now.
  await until(async () => {
    await page.evaluate("{ const before = Date.now; Date.now = () => before() + 3_600_000 }")
    const isOld = "document.body.textContent.includes('uncertain: last confirmed')"
    return await page.waitForFunction(isOld, { timeout: 3000 }).then(
      () => true,
      () => false,
    )
  })
  // As where the page is left and come back to. Otherwise the stream says it within seconds.
  await page.evaluate("dispatchEvent(new Event('pagehide')); dispatchEvent(new Event('pageshow'))")
  await sees(page, "confirmed now")
  expect(await page.$$("[data-word].stale")).toEqual([])
})

test("where every stream is refused a phone is linked all the same, by the code that the page itself has", async () => {
  const page = await aPage()
  await page.setRequestInterception(true)
  page.on("request", (request) => {
    const isStream = request.resourceType() === "eventsource"
    void (isStream ? request.respond({ status: 429 }) : request.continue())
  })
  await page.goto(`${base}/new-number`)
  await page.locator("#ref").fill("busy")
  await press(page, "Add it and link a phone")
  const image = await page.waitForSelector("#qr img")
  const [, png] = (await image!.evaluate((one) => String(one.getAttribute("src")))).split(",")
  const phone = await service.network.create("Edsger")
  await service.network.scan(phone.number, Buffer.from(png!, "base64"))
  await sees(page, `Linked to +${phone.number}`)
  expect(await page.$(".down")).toBeNull()
  // The console tells of the refusals.
  wrong.length = 0
})

/** A line to the service that can be cut. */
async function aLine(to: number) {
  const sockets = new Set<Socket>()
  const server = createLine((near) => {
    const far = connect(to, "127.0.0.1")
    for (const one of [near, far]) {
      sockets.add(one)
      one.on("error", () => one.destroy())
      one.on("close", () => sockets.delete(one))
    }
    near.pipe(far).pipe(near)
    near.on("close", () => far.destroy())
    far.on("close", () => near.destroy())
  })
  const open = async (port: number) => {
    server.listen(port, "127.0.0.1")
    await once(server, "listening")
  }
  const cut = () => {
    server.close()
    for (const one of sockets) one.destroy()
  }
  onTestFinished(cut)
  await open(0)
  const { port } = server.address() as AddressInfo // it listens on TCP
  // The service's cookies are named by its port.
  const signedIn = (await browser.cookies()).filter(({ name }) => name.includes(`-${to}-`))
  await browser.setCookie(
    ...signedIn.map((one) => ({ ...one, name: one.name.replace(`-${to}-`, `-${port}-`) })),
  )
  return { url: `http://localhost:${port}`, cut, mend: async () => await open(port) }
}

test("the sandbox's phone sends a picture and a voice message, reacts, votes, calls and unlinks", async () => {
  const page = await aPage()
  await page.goto(`${base}/start`)
  const comes = (text: string) => page.locator(`#start-events ::-p-text(${text})`).wait()
  await press(page, "Picture")
  await comes("The view")
  await press(page, "Voice")
  await comes("Voice message")
  await press(page, "React")
  await comes("reacted")
  await press(page, "Vote")
  await sees(page, "Your sandbox has sent no poll")
  const { call } = seeded(service)
  const echo = await page.$eval("#phone header p", (one) => /\d{7,}/.exec(String(one.textContent))?.[0])
  const poll = { chat: echo, question: "Tea?", options: ["Yes", "No"] }
  await call("POST", "/instances/sandbox/proxy/send/poll", poll)
  await page.locator("#chat ::-p-text(Tea?)").wait()
  await press(page, "Vote")
  await comes("chose")
  await press(page, "Call")
  await comes("calls")
  await press(page, "Unlink the sandbox")
  await comes("logged_out")
  await until(async () => (await page.$$("#start-events ::-p-text(as +)")).length > 1, {
    what: "it links again",
  })
  expect(wrong).toEqual([])
})

test("the lines that the first page offers work when pasted: a send, a receiver, and events sent to it", async () => {
  const page = await aPage()
  await page.goto(`${base}/start`)
  const blocks = await page.$$eval(".snippets > div > .block pre", (all) =>
    all.map((one) => String(one.textContent)),
  )
  const [send = "", receiver = "", patch = ""] = blocks
  const { apiKey, call } = seeded(service)
  const { webhook_secret } = (await (await call("GET", "/instances/sandbox")).json()) as {
    webhook_secret: string
  }
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), "messaging-bridge-snippets-"))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, "receiver.mjs"), receiver.replace("9000", String(port)))

  const env = { ...process.env, KEY: apiKey }
  await promisify(execFile)("bash", ["-c", send], { env })
  await page.locator("#chat ::-p-text(Hello)").wait()
  await sees(page, "Send a message with the API: make a key, then paste: done")

  const listening = spawn(process.execPath, ["receiver.mjs"], {
    cwd: dir,
    env: { ...env, WEBHOOK_SECRET: webhook_secret },
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(() => void listening.kill())
  let printed = ""
  listening.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()))
  const [, curl = ""] = patch.split("\n\n")
  await promisify(execFile)("bash", ["-c", curl.replace("9000", String(port))], { env })
  await page.locator("#say").fill("For the receiver")
  await press(page, "Send")
  await expect.poll(() => printed).toContain("For the receiver")
  await call("PATCH", "/instances/sandbox", { webhook_url: "" })
})

test("the quick start of the reference works as it is pasted, and a call is tried on the sandbox", async () => {
  const page = await aPage()
  await page.goto(`${base}/api/docs`)
  const { apiKey } = seeded(service)
  const [grace, ada] = [await service.network.create("Grace"), await service.network.create("Ada")]
  const receiver = await startReceiver()
  onTestFinished(receiver.stop)
  // Only the placeholders are filled in, and the name, which another number has here.
  const pasted = (await page.$eval("#start pre", (one) => one.textContent))
    .replace("mbk_...", apiKey)
    .replaceAll("shop", "quick")
    .replace("https://example.com/hook", receiver.urlOf("quick"))
    .replace("491711234567", ada.number)
  const [settings = "", create = "", qr = "", status = "", send = "", ...more] = pasted.split("\n\n")
  expect([settings.includes(`URL=${base}\n`), more]).toEqual([true, []])
  const cwd = mkdtempSync(join(tmpdir(), "messaging-bridge-start-"))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  const run = async (part: string) =>
    (await promisify(execFile)("bash", ["-c", `${settings}\n${part}`], { cwd })).stdout
  expect(await run(create)).toContain(`"customer_ref":"quick"`)
  await run(qr)
  await service.network.scan(grace.number, readFileSync(join(cwd, "qr.png")))
  await until(async () => (await run(status)).includes(`"connected"`))
  expect(await run(send)).toContain("message_id")
  await receiver.until((all) => all.some(({ type }) => type === "connected"))

  await page.goto(`${base}/api/docs?q=sendText`)
  await page.locator(`main a[href$="#sendText"]`).click()
  await page.locator("#sendText .path a").click()
  await page.waitForSelector("#body")
  await press(page, "Send the request")
  await sees(page, "message_id")
  await page.locator("#body").fill('{"chat":"1"}')
  await press(page, "Send the request")
  await sees(page, "invalid_request")
  expect(wrong).toEqual([])
})

test("with the keyboard alone one signs in, adds and links a number, sends again, leaves, and sees where", async () => {
  // A newcomer comes. Their mail is for the operator to see.
  const operators = await browser.cookies()
  await browser.deleteCookie(...operators)
  onTestFinished(() => browser.setCookie(...operators))
  const page = await aPage()
  const receiver = await startReceiver()
  onTestFinished(receiver.stop)
  const typed = async (text: string) => await page.keyboard.type(text)
  /** Goes on with Tab until the control of this name has the focus, which must be visible at every step. */
  const tabTo = async (name: string) => {
    for (let i = 0; i < 80; i++) {
      await page.keyboard.press("Tab")
      const at = (await page.evaluate(focused)) as { name: string; isVisible: boolean }
      expect([at.name, at.isVisible]).toEqual([at.name, true])
      if (at.name.includes(name)) return
    }
    throw new Error(`no way to ${name}`)
  }
  /** Presses Enter, which leads to another page. */
  const enter = async () => {
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")])
  }
  const go = async (name: string) => {
    await tabTo(name)
    await enter()
  }

  await page.goto(`${base}/sign-in`)
  await page.waitForSelector("#email:focus")
  await typed("keys@example.com")
  await go("Get a code")
  const mails = await (await fetch(`${base}/dev/mail`, { headers: { cookie: header(operators) } })).text()
  await page.waitForSelector("#code:focus")
  // It sends itself once it is whole.
  await typed(/([0-9A-Z]{4}-[0-9A-Z]{4}) is your code/.exec(mails)![1]!)
  await until(() => page.url() === `${base}/`)

  await go("Numbers")
  await go("Add a number")
  await tabTo("Name")
  await typed("keyed")
  await tabTo("Webhook address")
  await typed(receiver.urlOf("keyed"))
  await go("Add it and link a phone")
  const phone = await service.network.create("Mary")
  const picture = await page.waitForSelector("#qr img")
  const source = await picture!.evaluate((image) => image.getAttribute("src") ?? "")
  await service.network.scan(phone.number, Buffer.from(source.split(",")[1] ?? "", "base64"))
  await sees(page, `Linked to +${phone.number}`)
  await sees(page, "Connected: done")

  await go("See its events")
  await page.waitForSelector("#events > li")
  const id = await page.$eval("#events > li:last-child", (one) => one.id)
  await until(async () => {
    await page.goto(`${base}/numbers/keyed/events/${id}`)
    return (await page.content()).includes("Send it again")
  })
  await go("Send it again")
  await sees(page, "Queued for resending")
  await receiver.until((all) => all.some(({ headers }) => headers["x-webhook-resend"] === "true"))
  await go("Account")
  await go("Sign out")
  expect(page.url()).toBe(`${base}/sign-in`)
})

const focused = `(() => {
  const one = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  const isVisible = one === document.body || (outlineStyle !== "none" && parseFloat(outlineWidth) > 0)
  return { name: (one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent ?? "").trim().slice(0, 80), isVisible }
})()`

test("no page has an accessibility fault, light or dark, wide or narrow, and none scrolls sideways", async () => {
  const page = await aPage()
  await page.setBypassCSP(true)
  await invite(base, header(await browser.cookies()))
  const faults: string[] = []
  for (const path of await everyPath(page, base, seeded(service))) {
    await page.goto(base + path)
    faults.push(...(await faultsOf(page, twoLooks)))
  }
  expect(faults).toEqual([])
}, 240_000)

test("a page is small, and its script and style are", async () => {
  const cookie = header(await browser.cookies())
  const all = await everyPath(await aPage(), base, seeded(service))
  for (const path of all) {
    const { assets, whole } = await weightOf(base + path, cookie)
    expect([path, assets < 25_000, whole < 40_000]).toEqual([path, true, true])
  }
})
