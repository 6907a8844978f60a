import { until } from "#test/support/until.ts"
import type { State } from "./state.ts"
import { people, type World } from "./world.ts"

const { baker, apprentice } = people
const at = "/webhooks"

/** An address as long as some tools make theirs. */
const longUrl = `https://automation.bakery.example/webhook/${"0123456789abcdef".repeat(8)}/all-numbers?token=${"z".repeat(60)}`

async function add({ bakery }: World, body: object): Promise<void> {
  await bakery.call("POST", at, body)
}

async function all({ bakery }: World): Promise<{ id: string }[]> {
  return (await (await bakery.call("GET", at)).json()) as { id: string }[] // as the contract says
}

/** The webhooks that get the events of all numbers: none, one, two, and each in its troubles. */
export const accountWebhooks: State[] = [
  { name: "account-webhooks-none", as: baker, reach: () => at, reads: "An account has two at most." },
  {
    name: "account-webhooks-one",
    as: baker,
    reach: async (world) => {
      await add(world, { url: world.receiver.urlOf("connected-account") })
      return at
    },
    reads: "Events: all types",
  },
  {
    name: "account-webhooks-refused",
    as: baker,
    reach: async (world, page) => {
      await page.goto(`${world.base}${at}`)
      await page.locator(`form[action="${at}"] input[name="url"]`).fill("https://me:secret@example.com/hook")
      await page.locator(`form[action="${at}"] button`).click()
    },
    reads: "must have no user name or password",
  },
  {
    name: "account-webhooks-two",
    as: baker,
    reach: async (world) => {
      await add(world, { url: longUrl, format: "evolution", events: ["message", "connected"] })
      return at
    },
    reads: "as Evolution API posts",
  },
  {
    name: "account-webhooks-test-failed",
    as: baker,
    reach: async (world, page) => {
      await page.goto(`${world.base}${at}`)
      await page.locator(`section:nth-of-type(2) form[action$="/test"] button`).click()
    },
    reads: "It did not take a test event.",
  },
  { name: "account-webhooks-viewer", as: apprentice, reach: () => at, reads: "as Evolution API posts" },
  {
    name: "account-webhooks-paused",
    as: baker,
    reach: async (world) => {
      const [one] = await all(world)
      await world.bakery.call("PATCH", `${at}/${one!.id}`, { state: "paused" }) // one was added above
      return at
    },
    reads: "Let this webhook go on",
  },
  {
    name: "account-webhooks-secret",
    as: baker,
    reach: async (world) => {
      const [one] = await all(world)
      return `${at}/${one!.id}/secret`
    },
    reads: "whsec_",
  },
  {
    name: "account-webhooks-fail",
    as: baker,
    reach: async (world) => {
      const { bakery, network } = world
      const said = await bakery.call("GET", "/instances/connected/proxy/status")
      const { phone } = (await said.json()) as { phone: string } // it is connected
      const { number } = await network.create("Somebody who is early")
      await network.send(number, phone, "Is anybody there?")
      const [, two] = await all(world)
      const deliveries = `/instances/connected/deliveries?webhook=${two!.id}` // it was added above
      const fails = async () =>
        (await (await bakery.call("GET", deliveries)).text()).includes("failing_since")
      await until(fails, { what: "an address without a server to fail", withinMs: 30_000 })
      return "/numbers?show=failing"
    },
    reads: "Webhook failing",
  },
]
