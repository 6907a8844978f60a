import { press } from "#test/support/service/walk.ts"
import { post } from "./post-form.ts"
import type { State } from "./state.ts"
import { people } from "./world.ts"

const { baker, apprentice, guarded, late, invited } = people

/** What a viewer sees, who may change nothing. */
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

/** Signing in, and having to do so again. */
const signIns: State[] = [
  { name: "home-first-steps", as: people.friend, reach: () => "/", reads: "Sandbox and first steps" },
  {
    name: "sign-in-again",
    as: late,
    reach: async ({ store, open }) => {
      await open(late, "/")
      const { id } = await store.Person.findOrMake(late)
      const [browser] = await store.Browser.list(id)
      await store.updateRow({
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
      return `/sign-in/link/${await SignIn.newLinkToInvite(invited, bakery.id)}`
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
      await Account.setPasskeyOnly((await Person.findOrMake(guarded)).madeAccountId!, true)
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
    reads: "need attention",
  },
  { name: "numbers-very-many", as: people.operator, reach: () => "/numbers", reads: "All (100" },
]

/** The states of people: viewers, people who sign in, and people with very many numbers. */
export const visitors = [...viewers, ...signIns, ...many]
