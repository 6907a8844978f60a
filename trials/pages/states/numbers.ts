import { z } from "zod"
import { until } from "#test/support/until.ts"
import type { State } from "./state.ts"
import { people, type World } from "./world.ts"

const { baker: as } = people
const at = (ref: string) => `/numbers/${ref}`

/** A number of the bakery in a state of its own, named like it: linked, then brought into it. */
function linked(
  ref: string,
  reads: string,
  bring: (world: World, device: string) => Promise<unknown>,
): State {
  return {
    name: `number-${ref}`,
    as,
    reach: async (world) => {
      const { device } = await world.linked(ref)
      await bring(world, device)
      return at(ref)
    },
    reads,
  }
}

/** The network refuses the next logins of a device like this, and cuts its connection. */
async function refuse({ network }: World, device: string, how: { code: number; expire?: number }) {
  await network.fault({ kind: "refuse_login", device, ...how })
  await network.cut(device)
}

/** The pages of a number, in each of its states. */
export const numbers: State[] = [
  linked("connected", "Connected", async ({ bakery, receiver }) => {
    await bakery.call("PATCH", "/instances/connected", { webhook_url: receiver.urlOf("connected"), keep: 30 })
  }),
  linked("unlinked", "Its phone was unlinked on the phone", async ({ network, says }, device) => {
    const [number, id] = device.split(":")
    await network.call("DELETE", `/phones/${number}/devices/${id}`)
    await says("unlinked", '"unpaired"')
  }),
  {
    name: "connect-unlinked",
    as,
    reach: () => `${at("unlinked")}/connect`,
    reads: "The last phone was unlinked",
  },
  linked("banned", "The network has banned this number", async (world, device) => {
    await refuse(world, device, { code: 406 })
    await world.says("banned", '"banned"')
  }),
  linked("locked", "The network has locked the account", async (world, device) => {
    await refuse(world, device, { code: 403 })
    await world.says("locked", '"locked"')
  }),
  linked("banned-for-some-time", "this number for some time", async (world, device) => {
    await refuse(world, device, { code: 402, expire: 3600 })
    await world.says("banned-for-some-time", '"temporarily_banned"')
  }),
  linked("outdated", "no longer takes this version", async (world, device) => {
    await refuse(world, device, { code: 405 })
    await world.says("outdated", '"outdated"')
  }),
  linked("replaced", "Another program signed in as this device", async ({ network, says }, device) => {
    await network.end(device, "replaced")
    await says("replaced", '"replaced"')
  }),
  linked("restricted", "lets this number start no new chats", async ({ network, says }, device) => {
    const number = device.split(":")[0]!
    await network.change(number, { restricted: true })
    await network.notice(device, { kind: "restricted", about: number })
    await says("restricted", '"restriction"')
  }),
  linked("reconnecting", "The connection to the network is lost", async ({ network, says }, device) => {
    await network.fault({ kind: "refuse_login", device, code: 503 })
    await network.cut(device)
    await says("reconnecting", '"disconnected"')
  }),
  linked("paused", "Somebody of this account has paused it", async ({ send }) => {
    await send(as, `${at("paused")}/settings/pause`)
  }),
  {
    name: "connect-paused",
    as,
    reach: () => `${at("paused")}/connect`,
    reads: "No phone can be linked meanwhile",
  },
  linked("paused-by-the-operator", "ask them to wake it", async ({ service }) => {
    await service.admin(z.unknown(), "bridge", "pause", "paused-by-the-operator")
  }),
  linked("suspended", "has suspended it", async ({ service }) => {
    await service.admin(z.unknown(), "bridge", "suspend", "suspended")
  }),
  linked("webhook-failing", "failing", async ({ bakery, network }, device) => {
    await bakery.call("PATCH", "/instances/webhook-failing", { webhook_url: "http://127.0.0.1:9/hook" })
    const { number } = await network.create("Somebody who orders")
    await network.send(number, device.split(":")[0]!, "Two loaves, please")
    await until(async () =>
      (await (await bakery.call("GET", "/instances/webhook-failing/deliveries")).text()).includes(
        "failing_since",
      ),
    )
  }),
  {
    name: "deliveries-failing",
    as,
    reach: () => `${at("webhook-failing")}/deliveries`,
    reads: "Nothing listens",
  },
  {
    name: "number-uncertain",
    as,
    reach: async ({ silent, bakery }) => {
      await silent.hold(bakery.id, "silent")
      return at("silent")
    },
    reads: "It is slow to answer",
  },
  {
    name: "number-not-linked-yet",
    as,
    reach: async ({ bakery }) => {
      await bakery.bridge("new")
      return at("new")
    },
    reads: "Not linked",
  },
  { name: "home-troubles", as, reach: () => "/", reads: "numbers need attention" },
  { name: "numbers-troubles", as, reach: () => "/numbers", reads: "Suspended" },
  {
    name: "home-all-is-well",
    as: people.florist,
    reach: async ({ florist, network, receiver }) => {
      const [owner, customer] = [
        await network.create("Flora"),
        await network.create("Somebody with a garden"),
      ]
      await florist.linked("flowers", owner.number, { webhook_url: receiver.urlOf("flowers") })
      await network.send(customer.number, owner.number, "Are the tulips there?")
      await until(() => receiver.arrivals.some(({ text }) => text === "Are the tulips there?"))
      return "/"
    },
    reads: "All is well",
  },
]

/** The number whose host never answers, once it was silent for long enough. */
export const lost: State = {
  name: "number-lost",
  as,
  reach: async ({ base }, page) => {
    await page.goto(base + at("silent"))
    await until(
      async () =>
        (await page.evaluate("document.querySelector('#state-card .state')?.textContent")) === "Lost",
      { withinMs: 60_000 },
    )
  },
  reads: "Lost",
}
