import type { Browser } from "puppeteer-core"
import { operatorEmail } from "#one-machine/service/seed.ts"
import type { Service } from "#test/support/service/service.ts"
import { startReceiver } from "#test/support/service/start-receiver.ts"
import { until } from "#test/support/until.ts"
import { openStore, type Store } from "./open-core.ts"
import { silentHost } from "./silent-host.ts"

/** The people who are signed in while a page is drawn. */
export const people = {
  operator: operatorEmail,
  baker: "baker@example.com",
  apprentice: "apprentice@example.com",
  florist: "florist@example.com",
  /** Whose card fails, whose pays, and whose account the operator has set by hand. */
  broke: "broke@example.com",
  payer: "payer@example.com",
  friend: "friend@example.com",
  guarded: "guarded@example.com",
  late: "late@example.com",
  invited: "invited@example.com",
} as const

/**
 * Where their browsers are, as a proxy in front of the service says: an address may ask for few mails, and
 * others ask here.
 */
export const from = { "x-forwarded-for": "203.0.113.7" }

export type World = Awaited<ReturnType<typeof aWorld>>

/**
 * People and their accounts on a running service, who are looked at in their troubles: a bakery in which much
 * is broken, a florist with whom all is well, and others. The caller closes it.
 */
export async function aWorld({
  service,
  base,
  browser,
}: {
  service: Service
  base: string
  browser: Browser
}) {
  const { network } = service
  const store = await openStore(service)
  const [bakery, florist, receiver] = await Promise.all([
    service.customer("The bakery", { bridges: 60 }),
    service.customer("The florist"),
    startReceiver(),
  ])
  const silent = await silentHost(store)
  const { Member, Person } = store
  await Member.add(bakery.id, await Person.findOrMake(people.baker), "owner")
  await Member.add(bakery.id, await Person.findOrMake(people.apprentice), "viewer")
  await Member.add(florist.id, await Person.findOrMake(people.florist), "owner")

  return {
    service,
    base,
    network,
    store,
    bakery,
    florist,
    receiver,
    ...browsersOf(base, browser, store),
    /**
     * A number of the bakery that is linked to a phone. @returns the phone's number, and the name of the
     * linked device
     */
    linked: async (ref: string) => {
      const { number } = await network.create(`Phone of ${ref}`)
      await bakery.linked(ref, number)
      return { number, device: `${number}:1` }
    },
    /** Until the bakery's number says this of itself. */
    says: async (ref: string, what: string) =>
      await until(
        async () =>
          (await (await bakery.call("GET", `/instances/${ref}/proxy/status`)).text()).includes(what),
        { what: `${ref} to be ${what}`, withinMs: 60_000 },
      ),
    /** A session host that holds numbers and never answers. */
    silent,
    close: async () => {
      silent.close()
      await receiver.stop()
    },
  }
}

/** What people do in their browsers, each signed in as themselves. */
function browsersOf(base: string, browser: Browser, { SignIn }: Store) {
  const signedIn = new Map<string, string[]>()
  /** The person's cookies: they sign in by the mailed link, if they have not. */
  async function cookiesOf(email: string): Promise<string[]> {
    const known = signedIn.get(email)
    if (known) return known
    const { link } = await SignIn.begin(email)
    const headers = { origin: base }
    const answer = await fetch(`${base}/sign-in/link/${link}`, {
      method: "POST",
      headers,
      redirect: "manual",
    })
    const cookies = answer.headers.getSetCookie().map((line) => line.split(";")[0] ?? "")
    signedIn.set(email, cookies)
    return cookies
  }

  return {
    /** Signs the browser in as this person; out, without one. */
    show: async (email?: string) => {
      await browser.deleteCookie(...(await browser.cookies()))
      const cookies = email === undefined ? [] : await cookiesOf(email)
      const { hostname: domain } = new URL(base)
      for (const cookie of cookies) {
        const [name = "", value = ""] = cookie.split("=")
        await browser.setCookie({ name, value, domain })
      }
    },
    /** Sends a form as this person does. @returns where it leads */
    send: async (email: string, path: string, form: Record<string, string> = {}): Promise<string> => {
      const headers = { origin: base, cookie: (await cookiesOf(email)).join("; ") }
      const init = { method: "POST", headers, body: new URLSearchParams(form), redirect: "manual" } as const
      return (await fetch(base + path, init)).headers.get("location") ?? ""
    },
    /** Opens a page as this person does. @returns where it leads */
    open: async (email: string, path: string): Promise<string> => {
      const headers = { cookie: (await cookiesOf(email)).join("; ") }
      return (await fetch(base + path, { headers, redirect: "manual" })).headers.get("location") ?? ""
    },
  }
}
