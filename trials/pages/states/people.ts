import { press } from "#test/support/service/walk.ts"
import { until } from "#test/support/until.ts"
import { post } from "./form.ts"
import type { State } from "./state.ts"
import { nowhere } from "./silent-host.ts"
import { from, people, type World } from "./world.ts"

const { baker, apprentice, guarded, late, invited } = people

/** What somebody sees who may only look. */
const viewers: State[] = [
  { name: "viewer-home", as: apprentice, reach: () => "/", reads: "need attention" },
  ...[
    ["number", "/numbers/connected", "Connected"],
    ["connect", "/numbers/new/connect", "but link no phone"],
    ["webhooks", "/numbers/connected/webhooks", "but change nothing"],
    ["settings", "/numbers/connected/settings", "but change nothing"],
    ["link-page", "/numbers/new/link-page", "but change nothing"],
    ["keys", "/keys", "but change nothing"],
    ["account", "/account", "viewer"],
  ].map(([page = "", path = "", reads = ""]): State => ({
    name: `viewer-${page}`,
    as: apprentice,
    reach: () => path,
    reads,
  })),
  {
    name: "viewer-refused",
    as: apprentice,
    reach: async ({ base }, page) => {
      await page.goto(`${base}/keys`)
      await post(page, "/account/invite", { email: "somebody@example.com", role: "owner" })
    },
    reads: "Not in your role",
  },
]

/** Signing in, and who has to do so again. */
const signIns: State[] = [
  { name: "home-first-steps", as: people.friend, reach: () => "/", reads: "Sandbox and first steps" },
  {
    name: "sign-in-again",
    as: late,
    reach: async ({ store, open }) => {
      await open(late, "/")
      const { id } = await store.Person.ofEmail(late)
      const [browser] = await store.Browser.list(id)
      await store.update({
        TableName: store.tables.accounts,
        Key: { pk: `BROWSER#${browser!.id}`, sk: "BROWSER" },
        UpdateExpression: "SET signed_in_at = signed_in_at - :hour",
        ExpressionAttributeValues: { ":hour": 3600 },
      })
      return await open(late, "/numbers/sandbox/webhooks/first/secret")
    },
    reads: "Confirm that it is you",
  },
  {
    name: "sign-in-mailed-link",
    reach: async ({ store }) => `/sign-in/link/${(await store.SignIn.begin("somebody@example.com")).link}`,
    reads: "This link signs in",
  },
  {
    name: "sign-in-dead-link",
    reach: () => `/sign-in/link/${"A".repeat(43)}`,
    reads: "has been used, or is too old",
  },
  {
    name: "sign-in-join",
    reach: async ({ store: { Member, SignIn }, bakery }) => {
      await Member.invite(bakery.id, invited, "member", baker)
      return `/sign-in/link/${await SignIn.invite(invited, bakery.id)}`
    },
    reads: "You are invited",
  },
  {
    name: "sign-in-wrong-code",
    reach: async ({ base }, page) => {
      await page.goto(`${base}/sign-in`)
      await page.locator("#email").fill("typist@example.com")
      await press(page, "Get a code")
      await page.locator("#code").fill("AAAA-AAAA")
    },
    reads: "This is not the code",
  },
  {
    name: "passkey-needed",
    as: guarded,
    reach: async ({ store: { Account, Person } }) => {
      await Account.setPasskeyOnly((await Person.ofEmail(guarded)).madeAccountId!, true)
      return "/"
    },
    reads: "A passkey is needed",
  },
  {
    name: "change-of-address",
    as: baker,
    reach: async ({ base }, page) => {
      await page.goto(`${base}/account`)
      await page.locator("#address").fill("new-baker@example.com")
      await press(page, "Change it")
    },
    reads: "Change my address",
  },
]

/** An account with very many numbers (`many-numbers.ts` has made them). */
const many: State[] = [
  {
    name: "home-very-many-numbers",
    as: people.operator,
    reach: () => "/",
    reads: "One number needs attention",
  },
  { name: "numbers-very-many", as: people.operator, reach: () => "/numbers", reads: "All (100" },
]

/** Programs and their keys. */
const programs: State[] = [
  {
    name: "key-created",
    as: baker,
    reach: async ({ base }, page) => {
      await page.goto(`${base}/keys`)
      await page.locator("#name").fill("The till")
      await page.select("#may", "bridge:connected")
      await press(page, "Create a key")
    },
    reads: "This is your new key",
  },
  {
    name: "webhook-secret-shown",
    as: baker,
    reach: () => "/numbers/connected/webhooks/first/secret",
    reads: "whsec_",
  },
  {
    name: "program-consent",
    as: baker,
    reach: async ({ base }) => {
      const redirect_uri = "http://127.0.0.1:33418/callback"
      const asked = { client_name: "An agent", redirect_uris: [redirect_uri] }
      const headers = { "content-type": "application/json" }
      const made = await fetch(`${base}/oauth/register`, {
        method: "POST",
        headers,
        body: JSON.stringify(asked),
      })
      const { client_id } = (await made.json()) as { client_id: string } // RFC 7591
      const question = { client_id, redirect_uri, response_type: "code", code_challenge: "A".repeat(43) }
      const query = new URLSearchParams({ ...question, code_challenge_method: "S256", scope: "read" })
      return `/oauth/authorize?${query.toString()}`
    },
    reads: "asks for a key",
  },
  { name: "program-asks-wrongly", as: baker, reach: () => "/oauth/authorize", reads: "is not understood" },
  { name: "device", as: baker, reach: () => "/device", reads: "Type the code that your program shows" },
  {
    name: "device-asks",
    as: baker,
    reach: async ({ base }, page) => {
      await page.goto(await device(base))
      await press(page, "Go on")
    },
    reads: "Go on only if it shows the code",
  },
  {
    name: "device-signed-in",
    as: baker,
    reach: async ({ base }, page) => {
      await page.goto(await device(base))
      await press(page, "Go on")
      await page.waitForSelector("#may")
      await page.select("#may", "read")
      await press(page, "Give it a key")
    },
    reads: "The command line is signed in",
  },
]

/** Chats and groups of a number that keeps its messages. */
const conversations: State[] = [
  {
    name: "chats",
    as: baker,
    reach: async (world) => {
      const { number } = await phoneOf(world)
      const guest = await world.network.create("Somebody who asks")
      for (const text of ["Are you open on Sunday?", "And is there rye bread?"])
        await world.network.send(guest.number, number, text)
      await until(() => world.receiver.arrivals.some(({ text }) => text === "And is there rye bread?"))
      await world.bakery.call("POST", "/instances/connected/proxy/send/text", {
        chat: guest.number,
        body: "From seven to noon, and there is.",
      })
      return "/numbers/connected/chats"
    },
    reads: "Somebody who asks",
  },
  {
    name: "chat",
    as: baker,
    reach: async (_, page) =>
      await page.$eval(".feed a[href*='/chats/']", (one) => one.getAttribute("href") ?? ""),
    reads: "Are you open on Sunday?",
  },
  {
    name: "groups",
    as: baker,
    reach: async (world) => {
      const { number } = await phoneOf(world)
      const { number: creator } = await world.network.create("Somebody who plans")
      await world.network.group({ creator, subject: "The village feast", members: [number] })
      return "/numbers/connected/groups"
    },
    reads: "The village feast",
  },
  {
    name: "group",
    as: baker,
    reach: async (_, page) =>
      await page.$eval(".feed a[href*='/groups/']", (one) => one.getAttribute("href") ?? ""),
    reads: "The village feast",
  },
]

/** In place of a page. */
const errors: State[] = [
  { name: "error-404", reach: () => "/nothing-here", reads: "There is nothing here" },
  { name: "error-404-number", as: baker, reach: () => "/numbers/none", reads: "This number does not exist" },
  {
    name: "error-503",
    as: baker,
    reach: async ({ base, silent, bakery }, page) => {
      await silent.hold(bakery.id, "unreachable", nowhere)
      await page.goto(`${base}/keys`)
      await post(page, "/numbers/unreachable/groups/120363000000000001@g.us/leave")
    },
    reads: "That did not work",
  },
  {
    name: "sign-in-too-many-mails",
    reach: async ({ base }, page) => {
      const headers = { ...from, origin: base }
      for (let i = 0; i < 10; i++) {
        const body = new URLSearchParams({ email: `asker-${i}@example.com` })
        await fetch(`${base}/sign-in`, { method: "POST", headers, body, redirect: "manual" })
      }
      await page.goto(`${base}/sign-in`)
      await page.locator("#email").fill("one-more@example.com")
      await press(page, "Get a code")
    },
    reads: "Too many codes were asked for",
  },
  {
    name: "error-429",
    reach: async ({ base, bakery }, page) => {
      await bakery.bridge("sent")
      const made = await bakery.call("POST", "/instances/sent/link-sessions", {})
      const { url } = (await made.json()) as { url: string } // as the contract says
      await page.goto(base + new URL(url).pathname)
      await press(page, "Report this page")
    },
    reads: "Too much at once",
  },
]

export const others = [...viewers, ...signIns, ...many, ...programs, ...conversations, ...errors]

/** The phone of the bakery's number that is connected. */
async function phoneOf({ network }: World) {
  return (await network.phones()).find(({ name }) => name === "Phone of connected")!
}

/** The page on which a device's code is typed, for a device that waits. */
async function device(base: string): Promise<string> {
  const body = new URLSearchParams({ client_id: "The command line" })
  const begun = await fetch(`${base}/oauth/device`, { method: "POST", body })
  const { verification_uri_complete } = (await begun.json()) as { verification_uri_complete: string } // RFC 8628
  return verification_uri_complete.replace("127.0.0.1", "localhost")
}
