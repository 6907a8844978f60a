import "#test/support/store.ts"
import { expect, test } from "vitest"
import { findOrOpenAccount } from "#core/account/account-at-sign-in.ts"
import { Member } from "#core/account/member.ts"
import { SignIn } from "#core/account/sign-in.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { trustMediaOf } from "#test/support/file-server.ts"
import { liftLimits } from "#test/support/service/customer.ts"
import { aVisitor } from "#test/support/service/visitor.ts"
import { aChat, aSharedChat } from "#test/support/session/chat.ts"
import { aHost, call, held, sendText } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"
import { anEmail } from "./pages/person.ts"

// A number that is linked on the simulated network, and people of its account who look at its chats.

liftLimits()
const shared = await aSharedChat()
const { network, phone, bridge } = shared
trustMediaOf(network)

/** Somebody of the bridge's account, and what they read of one of its pages. */
async function aMember({ id, accountId, customerRef }: Bridge.Info, role: Member.Role = "member") {
  const email = anEmail()
  const { person } = await findOrOpenAccount(email)
  await Member.add(accountId, person, role)
  const visitor = aVisitor()
  await visitor.post(`/sign-in/link/${await SignIn.newLinkToPrint(email)}`)
  await visitor.post("/accounts/turn", { account: accountId })
  const at = (jid: string) => `/numbers/${customerRef}/chats/${encodeURIComponent(jid)}`
  return {
    ...visitor,
    at,
    list: `/numbers/${customerRef}/chats`,
    /** A page without what repeats. */
    page: async (path: string) => (await (await visitor.get(path)).text()).replaceAll(/\s+/g, " "),
    /** What the chat's page shows of messages, oldest first. */
    lines: async (path: string) => linesOf(await (await visitor.get(path)).text()),
    /** Sends the page's form, as the script does. */
    answer: async (jid: string, form: Record<string, string>) => {
      const answer = await visitor.post(
        `${at(jid)}/answer`,
        { number: id, ...form },
        { accept: "application/json" },
      )
      const said = (await answer.json()) as { message_id?: string; error?: string; again?: boolean }
      return { status: answer.status, ...said }
    },
  }
}

function linesOf(page: string): string[] {
  const [, list = ""] = /<ol[^>]* id="messages">([^]*?)<\/ol>/.exec(page) ?? []
  return [...list.matchAll(/<p class="words"[^>]*>([^]*?)<\/p>/g)].map(([, words]) => words!.trim())
}

/** What a page's stream sends, until it has all of these. */
async function streamed(answer: Response, ...wanted: string[]): Promise<string> {
  const reader = answer.body!.getReader()
  let said = ""
  while (!wanted.every((one) => said.includes(one))) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the stream ended after: ${said}`)
    said += Buffer.from(value).toString()
  }
  await reader.cancel()
  return said
}

test("an answer goes once however often it is sent, marks its question as read, hands the chat over", async () => {
  const eve = await network.phone("Eve")
  const asked = await eve.send(phone.number, "Is it open?")
  await shared.message(asked.id)
  const [one, other] = [await aMember(bridge), await aMember(bridge)]
  const form = { key: "a-key-of-the-page", text: "Until six", read: asked.id, quote: asked.id }
  const sent = await Promise.all([one.answer(eve.jid, form), one.answer(eve.jid, form)])
  const ids = new Set(sent.flatMap(({ message_id }) => message_id ?? []))
  expect(ids.size).toBe(1)
  // Of two at once, one may be told that the first is still being sent.
  for (const { message_id, again } of sent) expect(message_id !== undefined || again).toBe(true)
  expect((await one.answer(eve.jid, form)).message_id).toBe([...ids][0])
  // Another text under the key of a page that a browser went back to is not called sent.
  expect(await one.answer(eve.jid, { ...form, text: "Until seven" })).toMatchObject({
    status: 400,
    again: false,
  })
  // Without script the form leads back to the chat.
  const plain = await other.post(`${other.at(eve.jid)}/answer`, {
    ...form,
    number: bridge.id,
    key: "another-key",
    text: "And on Sunday?",
  })
  expect([plain.status, plain.headers.get("location")]).toEqual([303, other.at(eve.jid)])
  const all = ["Is it open?", "Until six", "And on Sunday?"]
  expect((await eve.read({ count: 3 })).map(({ text }) => text)).toEqual(all)
  expect(await one.lines(one.at(eve.jid))).toEqual(all)
  expect(await other.page(other.at(eve.jid))).toMatch(/You answer, for <time[^>]*>4 h<\/time> more/)
  const { handover } = await shared.message((await eve.send(phone.number, "Thanks")).id)
  expect(handover).toBe(true)
  await one.post(`${one.at(eve.jid)}/handover`, { seconds: "0" })
  expect((await shared.message((await eve.send(phone.number, "Bye")).id)).handover).toBeUndefined()
})

test("an answer that was typed at a number of another account is not sent from one of the same name", async () => {
  const [eve, member] = [await network.phone("Eve"), await aMember(bridge)]
  const { bridge: elsewhere } = await aChat()
  const form = { key: "of-another-tab", text: "For your eyes only", number: elsewhere.id }
  expect(await member.answer(eve.jid, form)).toMatchObject({ status: 400, again: false })
  expect(await member.page(member.at(eve.jid))).toContain(`name="number" value="${bridge.id}"`)
})

test("an answer that cannot be sent now says so, and is sent once when it is tried again", async () => {
  const chat = await aChat()
  const member = await aMember(chat.bridge)
  await chat.message((await chat.bob.send(chat.phone.number, "Hello?")).id)
  await chat.host.stop()
  const form = { key: "key-of-an-answer", text: "Here I am" }
  const refused = await member.answer(chat.bob.jid, form)
  expect(refused).toMatchObject({ status: 503, again: true })
  const typed = { number: chat.bridge.id, ...form }
  // What was answered is not known meanwhile, so no chat is said to wait for it.
  const listed = await member.page(member.list)
  expect(listed).toContain("What was sent is not shown: this number does not run")
  expect(listed).not.toContain('class="badge"')
  const page = await (await member.post(`${member.at(chat.bob.jid)}/answer`, typed)).text()
  expect(page).toMatch(/Not sent: [^]*it is sent once[^]*value="key-of-an-answer"[^]*Here I am<\/textarea>/)
  await held(chat.bridge.id, await aHost(chat.network))
  const sent = await until(async () => (await member.answer(chat.bob.jid, form)).message_id)
  expect((await member.answer(chat.bob.jid, form)).message_id).toBe(sent)
  const got = await chat.bob.read({ count: 2 })
  expect(got.map(({ text }) => text)).toEqual(["Hello?", "Here I am"])
  // What can never be sent is not tried again.
  expect(
    await member.answer("4999000111222@s.whatsapp.net", { ...form, key: "key-to-nobody" }),
  ).toMatchObject({
    again: false,
  })
})

test("a chat shows what came, what was sent and what became of it, whether or not messages are kept", async () => {
  const chat = await aChat()
  const { bob, bridge: own } = chat
  const member = await aMember(own)
  const send = async (method: string, path: string, body: object) =>
    (await (await call(own.id, method, path, { body })).json()) as { message_id: string }
  const came = await bob.send(chat.phone.number, "\u05e9\u05dc\u05d5\u05dd <b>\u202ebold")
  await chat.message(came.id)
  const first = await send("POST", "/send/text", { chat: bob.number, body: "frist" })
  const second = await send("POST", "/send/text", { chat: bob.number, body: "second" })
  await send("PATCH", `/messages/${first.message_id}/edit`, { body: "first" })
  await send("DELETE", `/messages/${second.message_id}`, {})
  await send("POST", "/send/reaction", { message_id: came.id, emoji: "🎉" })
  const poll = await send("POST", "/send/poll", {
    chat: bob.number,
    question: "When?",
    options: ["Now", "Never"],
  })
  await bob.read({ count: 3 })
  await bob.post(chat.phone.number, { vote: { message_id: poll.message_id, options: ["Never"] } })
  await bob.post(chat.phone.number, { reaction: { emoji: "👍", message_id: first.message_id } })
  const isWhole = async () => {
    const page = await member.page(member.at(bob.jid))
    return page.includes("👍") && page.includes("</bdi>: <bdi>Never") && page
  }
  for (const keep of [undefined, 7 as const]) {
    await Lease.choose(own.id, { keep })
    await call(own.id, "POST", "/look-at-lease")
    const page = await until(isWhole)
    expect(linesOf(page)).toEqual(["\u05e9\u05dc\u05d5\u05dd &lt;b&gt;bold", "first", "<b>When?</b>"])
    expect(page).toContain("You took this message back")
    expect(page).toContain("Edited")
    expect(page).toContain(`where?q=${came.id}&`)
    expect(page).toContain("🎉")
    expect(page).not.toContain("frist")
    const listed = await member.page(member.list)
    expect(listed).toMatch(/<bdi class="strong">Bob<\/bdi> <small class="muted">\+\d+<\/small>/)
  }
  // The reaction of this number is the reader's, too: it is taken back with the same press.
  await member.post(`${member.at(bob.jid)}/react`, { react: `${came.id} ` })
  await until(async () => !(await member.page(member.at(bob.jid))).includes("🎉"))
})

test("what comes and what is sent, and how far it comes, is in the stream of each chat and of the list", async () => {
  const cy = await network.phone("Cy")
  await shared.message((await cy.send(phone.number, "before")).id)
  const member = await aMember(bridge)
  const page = await (await member.get(member.at(cy.jid))).text()
  const path = /data-stream="([^"]+)"/.exec(page)![1]!.replaceAll("&amp;", "&").replaceAll("&#x2F;", "/")
  const [thread, list] = [await member.get(path), await member.get(`${member.list}/stream`)]
  const inThread = streamed(thread, "it comes", ">it goes</p>", "Sent")
  // It shows a chat's last words, and may pass over earlier ones.
  const inList = streamed(list, "it goes")
  await cy.send(phone.number, "it comes")
  // A stream has begun when it shows what came after it.
  await until(async () => (await member.lines(member.at(cy.jid))).includes("it comes"))
  const { message_id } = (await sendText(bridge.id, cy.number, "it goes")) as unknown as {
    message_id: string
  }
  expect(await inThread).toContain(`id="m-${message_id}"`)
  expect(await inList).toMatch(/data-into="chats" data-place="top"/)
})

test("a chat whose address spells its number otherwise shows what comes as well", async () => {
  const ana = await network.phone("Ana", "551187654321")
  const member = await aMember(bridge)
  await shared.message((await ana.send(phone.number, "before")).id)
  const chat = "5511987654321@s.whatsapp.net"
  expect(await member.lines(member.at(chat))).toEqual(["before"])
  const stream = await member.get(`${member.list}/stream?chat=${chat}`)
  const shown = streamed(stream, 'data-into="messages"')
  const { id } = await ana.send(phone.number, "it comes")
  await shared.message(id)
  // A stream has begun when it shows what came after it.
  await ana.send(phone.number, "and comes")
  expect(await shown).toContain("comes")
})

test("earlier messages come page by page, none twice and none left out, and a chat's words are found", async () => {
  const dee = await network.phone("Dee")
  const member = await aMember(bridge)
  const texts = Array.from({ length: 130 }, (_, at) => `number ${at}.`)
  for (const [at, text] of texts.entries())
    if (at % 5 === 4) await sendText(bridge.id, dee.number, text)
    else await shared.message((await dee.send(phone.number, text)).id)
  const read: string[] = []
  const times: string[] = []
  for (let path: string | undefined = member.at(dee.jid); path !== undefined;) {
    const page = await (await member.get(path)).text()
    read.unshift(...linesOf(page))
    const [, list = ""] = page.split('id="messages"')
    times.unshift(...[...list.matchAll(/datetime="([^"]+)" data-at="moment"/g)].map(([, time]) => time!))
    path = /href="([^"]+before=[^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&").replaceAll("&#x2F;", "/")
  }
  expect(read.toSorted()).toEqual(texts.toSorted())
  expect(times.length).toBeGreaterThanOrEqual(texts.length)
  expect(times).toEqual(times.toSorted())
  const found = async (q: string, more = {}) =>
    await member.page(`/where?${new URLSearchParams({ q, number: bridge.customerRef, ...more }).toString()}`)
  const inChat = { chat: dee.jid }
  expect(await found("dee")).toContain(`/chats/${encodeURIComponent(dee.jid)}"><b><bdi>Dee</bdi></b>`)
  for (const q of ["NUMBER 7.", "number 129."]) {
    expect(await found(q, inChat)).toContain(q.toLowerCase())
    expect(await found(q, { chat: "15550000@s.whatsapp.net" })).toContain("Nothing was found")
  }
})

test("a file is shown for what it is, by its bytes, and nothing in it runs", async () => {
  const fay = await network.phone("Fay")
  const member = await aMember(bridge)
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")
  const sent = async (data: Buffer, mimetype: string) => {
    const media = { kind: "image", data: data.toString("base64"), mimetype }
    const [{ id }] = [await fay.post(phone.number, { media })] as unknown as [{ id: string }]
    await shared.message(id)
    return id
  }
  const path = async (data: Buffer, mimetype: string) =>
    `${member.at(fay.jid)}/files/${await sent(data, mimetype)}`
  const picture = await path(png, "text/html")
  const shown = await member.get(picture)
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    "content-type": "image/png",
    "content-disposition": "inline",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
  })
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(png)
  const part = await member.get(picture, { range: "bytes=1-3" })
  expect([part.status, await part.text()]).toEqual([206, "PNG"])
  const ranges = ["bytes=8-", "bytes=15-99", "bytes=16-", "bytes=5-2", "bytes=0-0,2-3"]
  const parts = ranges.map(async (range) => {
    const answer = await member.get(picture, { range })
    const { byteLength } = await answer.arrayBuffer()
    return [answer.status, answer.headers.get("content-range"), byteLength]
  })
  expect(await Promise.all(parts)).toEqual([
    [206, "bytes 8-15/16", 8],
    [206, "bytes 15-15/16", 1],
    [200, null, 16],
    [200, null, 16],
    [200, null, 16],
  ])
  expect((await member.get(`${picture}?save`)).headers.get("content-disposition")).toMatch(/^attachment/)
  const script = await member.get(await path(Buffer.from("<svg onload=alert(1)>"), "image/svg+xml"))
  expect(script.headers.get("content-type")).toBe("application/octet-stream")
  expect(script.headers.get("content-disposition")).toMatch(/^attachment/)
  expect((await member.get(`${member.at(fay.jid)}/files/unknown`)).status).toBe(404)
  const stranger = await aMember((await aChat()).bridge)
  expect((await stranger.get(picture)).status).toBe(404)
})

test("a file and a quote go with an answer, and a viewer only reads", async () => {
  const gil = await network.phone("Gil")
  await shared.message((await gil.send(phone.number, "Show me")).id)
  const member = await aMember(bridge)
  const form = new FormData()
  for (const [name, value] of Object.entries({
    key: "with-a-file",
    number: bridge.id,
    text: "",
    read: "",
    quote: "",
    voice: "",
  }))
    form.append(name, value)
  form.append("file", new File(["hello"], "\u202eoffer.txt", { type: "text/plain" }))
  const sent = async (by: Pick<typeof member, "ask">) => {
    const body = new Response(form)
    const headers = { "content-type": body.headers.get("content-type")!, origin: "http://localhost" }
    const init = { method: "POST", headers, body: await body.arrayBuffer() }
    return (await by.ask(`${member.at(gil.jid)}/answer`, init)).status
  }
  expect(await sent(member)).toBe(303)
  await gil.read({ count: 1 })
  expect(await member.page(member.at(gil.jid))).toContain("offer.txt")
  const { message_id: quoted } = (await sendText(bridge.id, gil.number, "Which one?")) as unknown as {
    message_id: string
  }
  await gil.read({ text: "Which one?" })
  await shared.message((await gil.post(phone.number, { text: "The red one", quoted })).id)
  expect(await member.page(member.at(gil.jid))).toContain(
    `<b><bdi>${phone.name}</bdi></b> <p dir="auto">Which one?`,
  )
  const viewer = await aMember(bridge, "viewer")
  // A long form is read into memory for those alone who may send it.
  form.set("file", new File([new Uint8Array(300_000)], "long"))
  for (const other of [viewer, aVisitor()]) expect(await sent(other)).toBe(413)
  const page = await viewer.page(viewer.at(gil.jid))
  expect(page).toContain("its members answer here")
  expect(page).not.toMatch(/<textarea|form="react"|name="seconds"/)
  for (const act of ["answer", "react", "read", "handover"])
    expect(
      (await viewer.post(`${viewer.at(gil.jid)}/${act}`, { key: "of-a-viewer", text: "x" })).status,
    ).toBe(403)
})
