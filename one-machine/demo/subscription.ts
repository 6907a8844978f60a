import { Unexpected, apiClient, patiently } from "../api-client.ts"
import { networkClient } from "../network/client.ts"
import { link, untilConnected } from "../network/link.ts"
import type { SpawnedService } from "../service/spawn-service.ts"
import { scriptlessBrowser, type ScriptlessBrowser } from "./scriptless-browser.ts"

const ref = "shop"

/** Cards of the pretend Stripe. */
const card = { pays: "4242424242424242", fails: "4000000000000341" }

/**
 * An account's first month: free trial, a card that fails, numbers that are paused, a payment, and everything
 * runs again.
 */
export async function subscriptionStory(
  service: SpawnedService,
  { step, signal }: { step: (what: string) => void; signal: AbortSignal },
): Promise<void> {
  const stripeUrl = service.environment.STRIPE_API_BASE ?? ""
  step(`the service runs at ${service.baseUrl}, and a pretend Stripe at ${stripeUrl}`)
  const ada = await signedUp(service, "ada@example.com")
  step("ada@example.com signed up with the link of a mail")

  const asked = await ada.send("/new-number", { customer_ref: ref, webhook_url: "" })
  expect(asked.url.endsWith("/subscription"), `a first number led to ${asked.url}`)
  const checkout = await ada.send("/subscription/begin")
  expect(checkout.text.includes("7 days free"), "Checkout does not name the free trial")
  step("their first number led to Checkout: 7 days free, and a card")
  const back = await ada.send(checkout.url, { card: card.fails })
  expect(back.url.endsWith(`/numbers/${ref}/connect`), `the card led to ${back.url}`)
  step("the card is on file, and they are straight at the QR code")

  const made = await ada.send("/keys", { name: "demo", may: "all", numbers: "*" })
  const apiKey = /mbk_\w{12}_\w{38}/.exec(made.text)?.[0] ?? ""
  const api = apiClient(service.baseUrl, apiKey)
  const network = networkClient({ controlUrl: service.phonesUrl })
  const owner = await network.create("Ada")
  const contact = await network.create("Bob")
  await link(ref, { api, scan: (png) => network.scan(owner.number, png), signal })
  expect(
    (await ada.open("/subscription")).text.includes("First charge"),
    "the page does not say what will be charged",
  )
  step("the phone is linked; the page says when the first charge comes, and how much it is")

  await pass(stripeUrl, 8)
  await patiently(signal, async () => {
    const { text } = await ada.open("/numbers")
    expect(text.includes("A payment has failed"), "nobody told them")
  })
  await untilConnected(ref, { api, signal })
  expect(
    (await refusalOf(api("POST", "/instances", { customer_ref: "second" }))) === 402,
    "one more was allowed",
  )
  step("eight days passed, and the card failed: each page says so, the number runs, a second one is 402")

  await pass(stripeUrl, 16)
  await patiently(signal, async () => {
    const status = await refusalOf(api("GET", `/instances/${ref}/proxy/status`))
    expect(status === 409, `the number answers ${status}`)
  })
  expect((await ada.open("/")).text.includes("your numbers are paused"), "the page does not say why")
  step("Stripe gave up after two weeks: the number is paused, and calls are 409 with the reason")

  const invoice = await ada.send("/subscription/pay")
  await ada.send(invoice.url, { card: card.pays })
  await patiently(signal, () => untilConnected(ref, { api, signal }))
  const { text } = await ada.open("/numbers")
  expect(!text.includes("your numbers are paused"), "the red line is still there")
  await api("POST", `/instances/${ref}/proxy/send/text`, { chat: contact.number, body: "We are back" })
  const [read] = await network.read(contact.number, { text: "We are back", wait: 10_000 })
  expect(read?.from === owner.number, "the message did not arrive")
  step("they paid with another card: the number runs again by itself, and sends")
}

/**
 * A browser that is signed in to a new account. The mail is read where the operator of one machine reads it.
 */
async function signedUp(service: SpawnedService, email: string): Promise<ScriptlessBrowser> {
  const operator = scriptlessBrowser(service.baseUrl)
  await operator.send(linkIn(service.said()))
  const visitor = scriptlessBrowser(service.baseUrl)
  await visitor.send("/sign-in", { email })
  await visitor.send(linkIn((await operator.open("/dev/mail")).text))
  return visitor
}

function linkIn(text: string): string {
  const [link] = /\/sign-in\/link\/[\w-]+/.exec(text) ?? []
  if (link === undefined) throw new Unexpected("there is no link to sign in with")
  return link
}

/** Days pass at Stripe. */
async function pass(stripeUrl: string, days: number): Promise<void> {
  const answer = await fetch(`${stripeUrl}/advance`, {
    method: "POST",
    body: new URLSearchParams({ days: String(days) }),
  })
  expect(answer.ok, `the clock of the pretend Stripe answered ${answer.status}`)
}

/** The status of a call that is refused; 0 for one that is not. */
async function refusalOf(call: Promise<Response>): Promise<number> {
  try {
    await call
    return 0
  } catch (error) {
    if (!(error instanceof Unexpected) || error.status === undefined) throw error
    return error.status
  }
}

function expect(truth: boolean, otherwise: string): void {
  if (!truth) throw new Unexpected(otherwise)
}
