import "#test/support/store.ts"
import { expect, onTestFinished, test } from "vitest"
import { type Event, EventType } from "#contract/event.ts"
import { examples } from "#contract/examples.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Brand } from "#core/account/brand.ts"
import { Troubles } from "#core/account/troubles.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import type { KnownState } from "#core/bridge/known-state.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { linkFailures } from "#dashboard/events/failure-words.ts"
import { dashboardWords, type LinkWords, linkWordsFor } from "#dashboard/linking/link-words.ts"
import { reason, stepList } from "#dashboard/linking/linking-cards.ts"
import { linkingCard } from "#dashboard/linking/passkey.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll } from "#test/support/session/events-and-doorbells.ts"
import { aPerson } from "./person.ts"
import { changeWebhook } from "./webhook-acts.ts"

const gaps = (text: unknown) =>
  JSON.stringify(text)
    .match(/\{\w+\}/g)
    ?.toSorted() ?? []
const plain = (page: string) => page.replaceAll(/\s+/g, " ")

test("one page adds a webhook, chooses its types, pauses, resumes, tests, gives a new secret and deletes", async () => {
  const person = await aPerson()
  const receiver = await aReceiver()
  await Bridge.setWebhookUrl(person.bridge, (await aReceiver()).url)
  const at = "/numbers/shop/webhooks"
  const did = async (act: string, form: Record<string, string> = {}) =>
    plain(await (await person.post(`${at}${act}`, form)).text())
  expect(await did("", { url: "ftp://example.com" })).toContain("must begin with http")
  const added = await did("", { url: receiver.url })
  expect(added).toContain("Added.")
  const id = /id="(wh_\w+)"/.exec(added)?.[1] ?? ""
  expect(await did("", { url: receiver.url })).toContain("There is a webhook with this address already.")
  expect(await did(`/${id}/test`)).toContain("It took a test event: status 200")
  const outbox = await anOutbox(person.bridge)
  const came = () => receiver.arrivals.filter(({ type }) => type === "message").length
  await outbox.append(anEvent("one"))
  await answerAll()
  expect(came()).toBe(1)
  await changeWebhook(
    (act, form) => did(`/${id}${act}`, form),
    async () => await (await person.get(`${at}/${id}/secret`)).text(),
  )
  await outbox.append(anEvent("two"))
  await answerAll()
  expect(came()).toBe(1)
  expect(await did(`/${id}/remove`)).toContain("It is deleted.")
  expect(plain(await (await person.get(at)).text())).not.toContain(id)
  for (const act of ["pause", "remove", "events"])
    expect((await person.post(`${at}/first/${act}`)).status).toBe(404)
})

test("a further webhook's address, chats, headers and batch are changed; it gets an example of each event", async () => {
  const person = await aPerson()
  const [before, after] = [await aReceiver(), await aReceiver()]
  await Bridge.setWebhookUrl(person.bridge, (await aReceiver()).url)
  const { webhook } = await Webhook.create(person.bridge, before.url, {})
  const at = `/numbers/shop/webhooks/${webhook.webhookId}`
  const did = async (act: string, form: Record<string, string>) =>
    plain(await (await person.post(`${at}${act}`, form)).text())
  const change = {
    url: after.url,
    chats: "491711234567, 15550007",
    headers: "X-Shop: Berlin\nX-Desk:2",
    batch: "5",
  }
  expect(await did("/change", change)).toContain("Saved. It holds from the next attempt on.")
  const outbox = await anOutbox(person.bridge)
  await outbox.append(anEvent("one"), {
    ...anEvent("of another"),
    chat_id: "15559999@s.whatsapp.net",
  } as Event)
  await answerAll()
  expect(before.arrivals).toEqual([])
  expect(after.arrivals).toMatchObject([
    { headers: { "x-shop": "Berlin", "x-desk": "2", "x-webhook-batch": "1" } },
  ])
  expect(String(after.arrivals[0]!.body)).not.toContain("of another")
  expect(await did("/change", { ...change, headers: "No colon", batch: "51" })).toContain('class="note bad"')
  expect(await did("/change", { ...change, url: "nowhere" })).toContain('class="note bad"')
  const plainAgain = { url: after.url, chats: "", headers: "", no_headers: "yes", batch: "" }
  expect(await did("/change", plainAgain)).toContain("Saved.")
  for (const type of EventType.options)
    expect(await did("/test", { event: type })).toContain("It took a test event")
  const examples = after.arrivals.slice(1)
  expect(examples.map(({ body }) => (JSON.parse(String(body)) as Event).event)).toEqual(EventType.options)
  for (const { headers } of examples) {
    expect(headers).toMatchObject({ "x-webhook-test": "true", "x-webhook-attempt": "1" })
    expect(headers["x-webhook-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
    expect(headers).not.toHaveProperty("x-shop")
  }
})

test("a failing webhook's pages say who is told, or that nobody is, and lead to where that is changed", async () => {
  Troubles.setReporting(true)
  onTestFinished(() => Troubles.setReporting(false))
  const person = await aPerson()
  const receiver = await aReceiver([500])
  const shown = async (path: string) => plain(await (await person.get(`/numbers/shop${path}`)).text())
  await person.post("/numbers/shop/webhooks/first/address", { webhook_url: receiver.url })
  expect(await shown("/webhooks")).not.toContain("told")
  await (await anOutbox(await Bridge.get(person.accountId, "shop"))).append(anEvent("one"))
  await answerAll()
  const told = async (sentence: string) => {
    for (const path of ["", "/webhooks", "/deliveries"]) {
      const page = (await shown(path)).replaceAll("&#x2F;", "/")
      expect([path, page.includes(sentence)]).toEqual([path, true])
      expect(page).toContain('href="/account#alerts">Change who is told</a>')
      expect(page).toContain("Each event is tried five times, within about five minutes,")
    }
  }
  await told(`an alert goes to ${person.email} by mail.`)
  await person.post("/account/troubles", { to: "owners", url: "https://shop.example/told" })
  await told(`an alert goes to ${person.email} by mail, and to https://shop.example/told.`)
  await person.post("/account/troubles", { to: "nobody", url: "" })
  await told("Nobody is told that it fails.")
  Troubles.setReporting(false)
  // What no owner can change is not said.
  expect(await shown("/webhooks")).not.toContain("told")
  const settings = await shown("/settings")
  expect(settings).toContain('href="/numbers/shop/webhooks">')
  expect(settings).not.toContain('name="webhook_url"')
})

test("groups and their members are as the session has them, whatever their names", async () => {
  const person = await aPerson()
  const name = `<b>\u202e\u05e7${"\u{1f600}".repeat(64)}`
  const group = {
    created: 1,
    jid: "120363000000000001@g.us",
    name,
    participants: 2,
    topic: "",
    owner: "",
    role: "admin",
    write: "all",
    edit: "all",
    add_members: "all",
    approval: false,
    disappearing: 0,
    is_community: false,
    community: "",
    is_announcements: false,
  }
  const member = { jid: "491711234567@s.whatsapp.net", phone: "491711234567", role: "owner" }
  const host = await aScriptedHost(({ method, path }, response) => {
    if (method === "POST") return sayJson(response, 200, { ok: true })
    if (path.startsWith("/groups?")) return sayJson(response, 200, [group])
    if (path.startsWith("/names?")) return sayJson(response, 200, { [member.jid]: "Eve" })
    return sayJson(response, 200, { ...group, members: [member] })
  })
  const shown = async (path: string) => plain(await (await person.get(`/numbers/shop${path}`)).text())
  await host.take(person.bridge.id)
  // What would turn the text beside it around is left out.
  const safe = `<bdi>&lt;b&gt;${name.slice(3).replace("\u202e", "")}</bdi>`
  const listed = await shown("/groups")
  expect(listed).toContain(safe)
  expect(listed).toContain("2 members; you: admin")
  const at = "/groups/120363000000000001%40g.us"
  expect(await shown(at)).toContain('<bdi>Eve</bdi> <span class="small muted">+491711234567</span>')
  expect((await person.post(`/numbers/shop${at}/leave`)).headers.get("location")).toBe("/numbers/shop/groups")
  expect((await person.get("/numbers/shop/groups/1%2F..%2F2")).status).toBe(404)
  expect(host.calls.at(-1)?.path).toBe("/groups/120363000000000001%40g.us/leave")
})

const answersOf = (answers: Record<string, unknown>) =>
  aScriptedHost(({ method, path }, response) => {
    const [found] = Object.entries(answers).filter(([call]) => `${method} ${path}`.startsWith(call))
    sayJson(response, 200, found ? found[1] : { ok: true })
  })

const answerOf = ({ answer }: { answer?: unknown }) =>
  answer as { id: string; name: string; link: string; jid: string }

test("a chat's person is named and labelled, its older messages asked for, and it is cleared or deleted", async () => {
  const person = await aPerson()
  const label = answerOf(examples.createLabel)
  const host = await answersOf({
    "GET /contacts/": answerOf(examples.getContact),
    "GET /labels?": [],
    "GET /labels": answerOf(examples.listLabels),
    "POST /labels": { ...label, id: "9" },
    "GET /names": {},
    "POST /chats/": { state: "asked", messages: [], is_end: false },
  })
  await host.take(person.bridge.id)
  const at = "/numbers/shop/chats/491711234567%40s.whatsapp.net"
  const shown = plain(await (await person.get(`${at}/about`)).text())
  expect(shown).toContain(`Put on <bdi>${label.name}</bdi>`)
  const said = async (act: string, form?: Record<string, string>) =>
    plain(await (await person.post(`${at}${act}`, form)).text())
  expect(await said("/name", { full_name: " Ada Lovelace " })).toContain("Saved, on the phone, too.")
  await said("/name/remove")
  await said("/labels", { put: "3" })
  await said("/labels", { take: "3" })
  await said("/labels", { name: "To be called" })
  expect(await said("/older")).toContain("They come once it is online.")
  await said("/clear")
  await said("/delete")
  const chat = "491711234567%40s.whatsapp.net"
  const changes = host.calls.filter(({ method }) => method !== "GET")
  expect(changes.map(({ method, path, body }) => [method, path, body])).toEqual([
    ["PUT", `/contacts/${chat}`, '{"full_name":"Ada Lovelace"}'],
    ["DELETE", `/contacts/${chat}`, ""],
    ["PUT", `/labels/3/chats/${chat}`, ""],
    ["DELETE", `/labels/3/chats/${chat}`, ""],
    ["POST", "/labels", '{"name":"To be called"}'],
    ["PUT", `/labels/9/chats/${chat}`, ""],
    ["POST", `/chats/${chat}/history`, "{}"],
    ["DELETE", `/chats/${chat}/messages`, ""],
    ["DELETE", `/chats/${chat}`, ""],
  ])
})

test("channels are found by their link and followed, and a post from the page goes once", async () => {
  const person = await aPerson()
  const channel = answerOf(examples.getChannel)
  const host = await answersOf({
    "GET /channels/invite": channel,
    [`GET /channels/${encodeURIComponent(channel.jid)}/posts`]: answerOf(examples.listPosts),
    "GET /channels/": { ...channel, role: "owner" },
    "GET /channels": [channel],
    "POST /channels/": answerOf(examples.createPost),
  })
  await host.take(person.bridge.id)
  const at = `/numbers/shop/channels`
  const one = `${at}/${encodeURIComponent(channel.jid)}`
  const shown = async (path: string) => plain(await (await person.get(path)).text())
  expect(await shown(at)).toContain(channel.name)
  expect(await shown(`${at}?link=${encodeURIComponent(channel.link)}`)).toContain(channel.name)
  const page = await shown(one)
  expect(page).toContain("seen 1204 times")
  const key = /name="key" value="([^"]+)"/.exec(page)?.[1] ?? ""
  const post = async () => await person.post(`${one}/posts`, { key, body: "We open at six." })
  expect(await (await post()).text()).toContain("It is posted.")
  // This host completes no record: the first post is as if under way.
  expect((await post()).status).toBe(409)
  expect(host.calls.filter(({ path, method }) => method === "POST" && path.endsWith("/posts"))).toHaveLength(
    1,
  )
  await person.post(`${one}/follow`)
  await person.post(`${one}/unfollow`)
  expect(host.calls.filter(({ path }) => path.endsWith("/follow")).map(({ method }) => method)).toEqual([
    "POST",
    "DELETE",
  ])
  expect((await person.get(`${at}/1%2F..%2F2`)).status).toBe(404)
})

test("what is planned is shown and cancelled, and a job with its progress is paused and stopped", async () => {
  const person = await aPerson()
  const { answer: jobs } = examples.listJobs as { answer: { id: string }[] }
  const { answer: list } = examples.listPlanned as { answer: { id: string }[] }
  const host = await aScriptedHost(({ method, path }, response) => {
    if (method !== "GET") return sayJson(response, 200, { ok: true })
    return sayJson(response, 200, path.startsWith("/jobs") ? jobs : list)
  })
  await host.take(person.bridge.id)
  const at = "/numbers/shop/planned"
  const shown = plain(await (await person.get(at)).text())
  expect(shown).toContain("0 of 2 sent, 0 failed, 2 left")
  expect(shown).toContain("Your appointment is tomorrow at ten.")
  const [job, one] = [jobs[0]!.id, list[0]!.id]
  await person.get(`${at}?job=${job}`)
  expect(host.calls.map(({ path }) => path)).toContain(`/planned?limit=100&job=${job}`)
  for (const path of [`/numbers/shop/jobs/${job}/stop`, `${at}/${one}/cancel`])
    expect((await person.post(path)).headers.get("location")).toBe(at)
  const changes = host.calls
    .filter(({ method }) => method !== "GET")
    .map(({ method, path }) => [method, path])
  expect(changes).toEqual([
    ["PATCH", `/jobs/${job}`],
    ["DELETE", `/planned/${one}`],
  ])
})

test("a link page, made in the dashboard, has the reader's language and the account's colour and logo", async () => {
  const person = await aPerson()
  const at = "/numbers/shop/link-page"
  const sent = async (path: string, form: Record<string, string>) =>
    await (await person.post(`${at}${path}`, form)).text()
  await person.post("/account/rename", { name: "The corner shop" })
  expect(await sent("", { phone: "12", return_url: "" })).toContain("7 to 15 digits")
  const made = await sent("", { phone: "+49 171 1234567", return_url: "https://example.com/linked" })
  const path = /\/link\/[\w-]+/.exec(made.replaceAll("&#x2F;", "/"))?.[0] ?? ""
  expect(await LinkSession.ofToken(path.slice("/link/".length))).toMatchObject({
    expectedPhone: "491711234567",
    returnUrl: "https://example.com/linked",
  })
  const shown = async (language: string) =>
    plain(await (await person.get(path, { "accept-language": language })).text())
  const german = await shown("gsw, de-CH;q=0.8, en;q=0.5")
  expect(german).toContain('<html lang="de"')
  expect(german).toContain("<h1>Verbinden Sie Ihr Telefon für <bdi>The corner shop</bdi></h1>")
  expect(german).toContain("die auf 4567 endet")
  expect(german).toContain("Kein echtes Telefon kann diesen Code scannen.")
  expect(german).toContain("Das Telefon lässt sich nicht verbinden?")
  expect(/Scan this|Progress|Get a code|unofficial/.exec(german)).toBeNull()
  expect(await shown("xx")).toContain("Link your phone for <bdi>The corner shop</bdi>")
  expect(await sent("/look", { own: "yes", colour: "#ffee00" })).toContain("white text must be readable")
  expect(await sent("/look", { own: "yes", colour: "#7a1f5c" })).toContain("Saved.")
  expect(await shown("en")).toContain(`href="${path}/style.css"`)
  for (const style of [`${path}/style.css`, `${at}/style.css`])
    expect(await (await person.get(style)).text()).toContain("--accent: #7a1f5c; --ink: #7a1f5c")
  const png = Buffer.from("89504e470d0a1a0a0000", "hex")
  await expect(Brand.choose(person.accountId, "", Buffer.from("<svg onload=x>"))).rejects.toThrow("PNG")
  await Brand.choose(person.accountId, "#7a1f5c", png)
  expect(await shown("en")).toContain(`<img class="logo" src="${path}/logo"`)
  const preview = plain(await (await person.get(at)).text())
  expect(preview).toMatch(
    /<figure class="preview"[^]+src="[^"]+link-page\/logo"[^]+Link your phone for <bdi>The corner shop/,
  )
  expect((await person.get(`${at}/logo`)).headers.get("content-type")).toBe("image/png")
  const logo = await person.get(`${path}/logo`)
  // A server of an earlier file may have put its own Response in place, which has no `bytes`.
  expect(logo.headers.get("content-type")).toBe("image/png")
  expect(Buffer.from(await logo.arrayBuffer())).toEqual(png)
})

test("a link page says who made its link, for whom and for how long, and ends it", async () => {
  const person = await aPerson()
  const at = "/numbers/shop/link-page"
  const shown = async () => plain(await (await person.get(at)).text())
  expect(await shown()).not.toContain("End this link page")
  const made = plain(await (await person.post(at, { phone: "+49 171 1234567", return_url: "" })).text())
  const path = /\/link\/[\w-]+/.exec(made)?.[0] ?? ""
  expect(await shown()).toMatch(
    new RegExp(`Made by</dt>\\s+<dd><bdi>${person.email}<[^]+ends in 4567[^]+Works for[^]+>1 h</time> more`),
  )
  const key = await ApiKey.create(person.accountId, "till")
  await LinkSession.create(person.bridge, { madeBy: ApiKey.idOf(key) })
  expect(await shown()).toMatch(/<bdi>the key till<[^]+>\s*any\s*</)
  expect((await person.get(path)).status).toBe(404)
  const { token } = await LinkSession.create(person.bridge, {})
  expect((await person.get(`/link/${token}`)).status).toBe(200)
  expect(await (await person.post(`${at}/end`)).text()).toContain("The link page has ended.")
  expect((await person.get(`/link/${token}`)).status).toBe(404)
  expect(await shown()).not.toContain("End this link page")
  const log = plain(await (await person.get("/account/audit-log")).text())
  expect(log).toMatch(/ended the link page of\s+<bdi>shop<[^]+made a link page for\s+<bdi>shop</)
})

async function refusedFor(code: string, words: LinkWords): Promise<string> {
  return (await reason({ code, sentence: "Wait 5 s" }, words)).toString()
}

test("a lasting link page says whether the phone is linked, links it again, and stands in its site's frame", async () => {
  const person = await aPerson()
  const asked = { phone: "+1 555 0001 000", return_url: "", lasting: "on", embed_at: "https://shop.example/" }
  const made = await (await person.post("/numbers/shop/link-page", asked)).text()
  const at = /\/link\/[\w-]+/.exec(made.replaceAll("&#x2F;", "/"))?.[0] ?? ""
  expect(made).toContain("&lt;iframe src=")
  let status = { status: "unpaired", jid: "", lid: "", name: "", phone: "" }
  const host = await aScriptedHost(({ path }, response) =>
    path.startsWith("/status")
      ? sayJson(response, 200, status)
      : sayJson(response, 503, { code: "session_unavailable", error: "x" }),
  )
  await host.take(person.bridge.id)
  const shown = async () => await person.get(at)
  const open = await shown()
  expect(open.headers.get("content-security-policy")).toContain("frame-ancestors https://shop.example")
  expect(await open.text()).toContain(
    "This page stays: it shows whether your phone is linked, and links it again.",
  )
  for (const round of ["first", "again"]) {
    status = { ...status, status: "connected", jid: "15550001000@s.whatsapp.net", phone: "15550001000" }
    const done = await (await shown()).text()
    expect([round, done.includes("Your phone is linked")]).toEqual([round, true])
    expect(done).toContain(`data-stream="${at}/stream?shown=done"`)
    status = { ...status, status: "unpaired", jid: "", phone: "" }
    expect([round, (await (await shown()).text()).includes("Your phone is linked")]).toEqual([round, false])
  }
  // Another phone than the expected one, linked elsewhere, is left alone, and not said to be the one.
  status = { ...status, status: "connected", jid: "15550002@s.whatsapp.net", phone: "15550002" }
  expect(await (await shown()).text()).not.toContain("Your phone is linked")
  expect(host.calls.some(({ path }) => path === "/logout")).toBe(false)
  expect((await person.get("/numbers/shop")).headers.get("content-security-policy")).toContain(
    "frame-ancestors 'none'",
  )
})

test("a link page says in its reader's language why no phone is linked, and how to use a passkey", async () => {
  const options = { challenge: "abc", rpId: "whatsapp.com", timeout: 1, allowCredentials: [] }
  const passkey = {
    options: { ...options, userVerification: "required" },
    expires_at: Date.now() / 1000 + 60,
  }
  const asked = { kind: "said", status: "passkey_required", passkey } as unknown as KnownState
  for (const lang of ["de", "es", "fr", "it", "pt"]) {
    const words = linkWordsFor(lang)
    const shown = { at: "/link/x", origin: "https://x.test", linksTo: "The shop", words }
    const refusals = Object.keys(linkFailures).map(async (code) =>
      (await refusedFor(code, words)).replace(`>${code}<`, ""),
    )
    const card = await linkingCard(asked, shown)
    const said = [
      ...(await Promise.all(refusals)),
      await stepList({ kind: "paused", why: "secret" }, [], words),
      card.replace(/<details class="plain" lang="en">[^]*<\/details>/, ""),
    ].join("\n")
    const inEnglish = /\b(the|this|Wait|Try|again|of|you|is)\b/.exec(said.replaceAll(/<[^>]*>/g, " "))
    expect([lang, inEnglish?.[0]]).toEqual([lang, undefined])
    expect(said.replaceAll("&#39;", "'")).toContain(words.passkey)
  }
  expect(await refusedFor("rate_limited", dashboardWords)).toContain("Too many codes were asked for")
})

test("the words of a link page are whole in six languages: no sentence is missing, and each has its gaps", () => {
  for (const lang of ["de", "es", "fr", "it", "pt"]) {
    const words = linkWordsFor(lang)
    expect(words.lang).toBe(lang)
    for (const [name, text] of Object.entries(dashboardWords)) {
      const other = words[name as keyof typeof words]
      expect([lang, name, gaps(other)]).toEqual([lang, name, gaps(text)])
      expect(other).not.toBe("")
    }
  }
})
