import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "puppeteer-core"
import { type ScriptlessBrowser, scriptlessBrowser } from "#one-machine/demo/scriptless-browser.ts"
import { operatorEmail } from "#one-machine/service/seed.ts"
import type { Customer, Service } from "#test/support/service/service.ts"
import { startReceiver } from "#test/support/service/start-receiver.ts"
import { until } from "#test/support/until.ts"

/** A service with a browser in which its operator is signed in. */
export interface Stage {
  service: Service
  browser: Browser
  /** Where the pages are. */
  base: string
  /** The operator's page. */
  page: Page
}

/** An account as a program uses it. */
export type Seeded = Pick<Customer, "call">

/** The account that `npm start` made, as its programs use it. */
export function seeded({ baseUrl, dataDir }: Service): Seeded & { apiKey: string } {
  const { apiKey } = JSON.parse(readFileSync(join(dataDir, "account.json"), "utf8")) as { apiKey: string }
  const call: Seeded["call"] = async (method, path, body, headers) =>
    await fetch(`${baseUrl}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return { call, apiKey }
}

/**
 * A host with an account of their own invites the operator, who invites the host and a newcomer; and they
 * join.
 * @returns the host's browser, in the operator's account
 */
export async function invite(base: string, operators: string): Promise<ScriptlessBrowser> {
  const host = scriptlessBrowser(base)
  await host.send("/sign-in", { email: "host@example.com" })
  const mails = await (await fetch(`${base}/dev/mail`, { headers: { cookie: operators } })).text()
  await host.send(/\/sign-in\/link\/[\w-]+/.exec(mails)?.[0] ?? "")
  await host.send("/account/rename", { name: "The corner shop" })
  await host.send("/account/invite", { email: operatorEmail, role: "member" })
  for (const [email, role] of [
    ["new@example.com", "viewer"],
    ["host@example.com", "member"],
  ] as const) {
    const body = new URLSearchParams({ email, role })
    const headers = { cookie: operators, origin: base }
    await fetch(`${base}/account/invite`, { method: "POST", headers, body })
  }
  const { text } = await host.open("/accounts")
  const account = /\/accounts\/join[^]*?name="account" value="([^"]+)"/.exec(text)?.[1] ?? ""
  await host.send("/accounts/join", { account })
  return host
}

/**
 * Links `shop` to Grace's phone. Ada writes to it three times, and its receiver, which the caller stops,
 * takes the events. `plain` has no phone.
 */
export async function openShop({ service }: Stage, { call }: Seeded) {
  const { network } = service
  await call("POST", "/instances", { customer_ref: "shop" })
  await call("POST", "/instances", { customer_ref: "plain" })
  const grace = await network.create("Grace Hopper")
  const ada = await network.create("Ada Lovelace")
  const qr = await until(async () => {
    const answer = await call("GET", "/instances/shop/proxy/qr")
    return answer.status === 200 && new Uint8Array(await answer.arrayBuffer())
  })
  await network.scan(grace.number, qr)
  const isConnected = async () =>
    (await (await call("GET", "/instances/shop/proxy/status")).text()).includes('"connected"')
  await until(isConnected)

  const receiver = await startReceiver()
  try {
    await call("PATCH", "/instances/shop", { webhook_url: receiver.urlOf("shop") })
    await until(isConnected)
    for (const text of ["Good morning", "Is the shop open today?", "I would like two of the blue ones"])
      await network.send(ada.number, grace.number, text)
    await until(() => receiver.arrivals.filter(({ type }) => type === "message").length >= 3)
    return { receiver, grace, ada }
  } catch (error) {
    await receiver.stop()
    throw error
  }
}

/** Gives the account a life to look at: a number whose receiver took some events and refuses the others. */
export async function populate(stage: Stage, customer: Seeded): Promise<void> {
  const { network } = stage.service
  const { receiver, grace, ada } = await openShop(stage, customer)
  try {
    receiver.say(410, 404)
    await network.send(ada.number, grace.number, "And a red one")
    await network.send(ada.number, grace.number, "Are you there?")
    await until(() => receiver.arrivals.filter(({ type }) => type === "message").length >= 5)
  } finally {
    await receiver.stop()
  }
  await network.send(ada.number, grace.number, "Hello?")
  await until(async () =>
    (await (await customer.call("GET", "/instances/shop/deliveries")).text()).includes("failing_since"),
  )
  await converse(stage.service, customer.call, { owner: grace.number, contact: ada.number })
}

/**
 * Messages in each state, and calls that are refused, one of them by a program whose name is long, bold and
 * from right to left.
 */
async function converse(
  { network }: Service,
  call: Seeded["call"],
  { owner, contact }: { owner: string; contact: string },
): Promise<void> {
  await call("PATCH", "/instances/shop", {
    events: ["message", "connected", "disconnected", "message_status"],
  })
  const text = async (body: string | undefined, chat = contact) => {
    const answer = await call("POST", "/instances/shop/proxy/send/text", { chat, body })
    return ((await answer.json()) as { message_id: string }).message_id // as the contract says
  }
  await text("Yes, until six.")
  const id = await text(`\u05e9\u05dc\u05d5\u05dd <b>\u202eHello</b> ${"wonderful ".repeat(60)}`)
  await network.call("POST", `/phones/${contact}/read`, { chat: owner, message_ids: [id] })
  await network.fault({ kind: "nack", code: 463, times: 1 })
  await text("Are you new here?")
  await text(undefined)
  await text("Hello?", "4999000111222")
  const made = await call("POST", "/keys", {
    name: `<b>\u202e\u05e7\u05d5\u05e4\u05d4${"\u{1f600}".repeat(20)}`,
    scope: "read",
  })
  const { key } = (await made.json()) as { key: string } // likewise
  await call("DELETE", `/instances/${"nobody-".repeat(9)}`, undefined, { authorization: `Bearer ${key}` })
}
