import "#test/support/store.ts"
import { expect, test } from "vitest"
import { AccountWebhook } from "#core/bridge/account-webhook.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll } from "#test/support/session/events-and-doorbells.ts"
import { aPerson } from "./person.ts"
import { changeWebhook } from "./webhook-acts.ts"

const at = "/webhooks"
const plain = (page: string) => page.replaceAll(/\s+/g, " ").replaceAll("&#x2F;", "/")

test("one page adds a webhook of all numbers, chooses its types, pauses it, shows its secret, deletes it", async () => {
  const person = await aPerson()
  const receiver = await aReceiver()
  const { bridge: later } = await Bridge.create({ accountId: person.accountId, customerRef: "later" })
  const did = async (act: string, form: Record<string, string> = {}) =>
    plain(await (await person.post(`${at}${act}`, form)).text())
  expect(plain(await (await person.get("/numbers")).text())).toContain(`href="${at}"`)
  const shownPage = async () => plain(await (await person.get(at)).text())
  expect(await shownPage()).not.toContain("Delete this webhook")
  const refused = await person.post(at, { url: "ftp://example.com" })
  expect([refused.status, plain(await refused.text())]).toEqual([
    400,
    expect.stringContaining("ftp://example"),
  ])

  const added = await did("", { url: receiver.url })
  expect(added).toContain("Added.")
  const id = /id="(wha_\w+)"/.exec(added)?.[1] ?? ""
  expect(await did("", { url: receiver.url })).toContain("There is a webhook with this address already.")
  expect(await did(`/${id}/test`)).toContain("It took a test event: status 200")
  const messages = () =>
    receiver.arrivals.filter(({ type }) => type === "message").map(({ text }) => String(text))
  await (await anOutbox(person.bridge)).append(anEvent("of the first"))
  await (await anOutbox(later)).append(anEvent("of the second"))
  await answerAll()
  expect(messages().toSorted()).toEqual(["of the first", "of the second"])

  await changeWebhook(
    (act, form) => did(`/${id}${act}`, form),
    async () => await (await person.get(`${at}/${id}/secret`)).text(),
  )

  expect(await did("", { url: `${receiver.url}/other` })).toContain("Added.")
  expect(await shownPage()).not.toContain("Add a webhook")
  const third = await person.post(at, { url: `${receiver.url}/third` })
  expect([third.status, plain(await third.text())]).toEqual([
    409,
    expect.stringContaining("two webhooks at most"),
  ])
  expect(await did(`/${id}/remove`)).toContain("It is deleted.")
  expect(await shownPage()).not.toContain(id)
  expect(await shownPage()).toContain("Add a webhook")
  expect((await person.post(`${at}/${id}/pause`)).status).toBe(404)
  const log = plain(await (await person.get("/account/audit-log")).text())
  expect(log).toContain(`all numbers: ${receiver.url}`)
})

test("one press sends again what is undelivered of all numbers, in a span of time that is typed", async () => {
  const person = await aPerson()
  const receiver = await aReceiver([410])
  const bridge = await Bridge.setWebhookUrl(person.bridge, receiver.url)
  const outbox = await anOutbox(bridge)
  await outbox.append(anEvent("refused at first"))
  await answerAll()
  const press = async (form: Record<string, string>) => {
    const answer = await person.post(`${at}/resend`, form)
    return [answer.status, plain(await answer.text())] as const
  }
  expect(await press({ since: "soon", until: "" })).toEqual([400, expect.stringContaining("not a time")])
  const [, none] = await press({ since: "2026-01-01T00:00", until: "2026-01-01T08:00" })
  expect(none).toContain("Nothing is undelivered from that time.")
  const [status, done] = await press({ since: "2026-01-01T00:00", until: "" })
  expect([status, done]).toEqual([200, expect.stringContaining("1 event of 1 number will be sent again.")])
  await answerAll()
  expect(await outbox.states()).toEqual(["delivered"])
})

test("a webhook's page says what it sent again by itself, and how each of the last hours was", async () => {
  const person = await aPerson()
  const receiver = await aReceiver([410, 410])
  const bridge = await Bridge.setWebhookUrl(person.bridge, receiver.url)
  await (await anOutbox(bridge)).append(...["a", "b", "c"].map(anEvent))
  await answerAll()
  const page = plain(await (await person.get("/numbers/shop/webhooks")).text())
  expect(page).toMatch(/Back at <time [^>]+>[^<]+<\/time>: 2 events sent again in 1 s\./)
  expect(page).toMatch(/Last 24 hours: 60 % of 5 attempts taken, \d+ ms each/)
  expect(plain(await (await person.get("/numbers/shop/deliveries")).text())).toContain("2 events sent again")
})

test("who may only look sees the webhooks of all numbers and in whose form they post, and changes none", async () => {
  const viewer = await aPerson("viewer")
  const url = "https://example.com/a/long/path"
  const { webhook } = await AccountWebhook.create(viewer.accountId, url, { format: "waha" })
  const page = plain(await (await viewer.get(at)).text())
  for (const shown of [url, "as WAHA posts", "?show=failing"]) expect(page).toContain(shown)
  expect(page).not.toMatch(/<form[^>]+action="\/webhooks/)
  const { webhookId: id } = webhook
  expect(await (await viewer.get(`${at}/${id}/secret`)).text()).not.toContain("whsec_")
  for (const act of ["", `/${id}/pause`, `/${id}/test`, `/${id}/remove`, `/${id}/secret/roll`])
    expect([act, (await viewer.post(`${at}${act}`, { url: "https://example.com/mine" })).status]).toEqual([
      act,
      403,
    ])
  expect(await AccountWebhook.list(viewer.accountId)).toHaveLength(1)
})
