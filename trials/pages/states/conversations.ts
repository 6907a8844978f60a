import { until } from "#test/support/until.ts"
import type { State } from "./state.ts"
import { people, type World } from "./world.ts"

const { baker } = people

/** Chats and groups of a number that keeps its messages. */
export const conversations: State[] = [
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
    reach: async (_, page) => await page.$eval("#chats a", (one) => one.getAttribute("href") ?? ""),
    reads: "Are you open on Sunday?",
  },
  {
    name: "about a chat",
    as: baker,
    reach: async (_, page) =>
      await page.$eval(".more a[href$='/about']", (one) => one.getAttribute("href") ?? ""),
    reads: "Name in the phone's address book",
  },
  { name: "channels", as: baker, reach: () => "/numbers/connected/channels", reads: "No channel yet" },
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
  {
    name: "planned",
    as: baker,
    reach: async (world) => {
      const { number } = await world.network.create("Somebody who waits")
      const proxy = "/instances/connected/proxy"
      const send_at = Math.floor(Date.now() / 1000) + 86_400
      const messages = [{ chat: number, fields: { name: "Ada" } }]
      await world.bakery.call("POST", `${proxy}/send/text`, {
        chat: number,
        body: "Your cake is ready at ten.",
        send_at,
      })
      await world.bakery.call("POST", `${proxy}/jobs`, {
        name: "Opening hours",
        template: "Hello {{name}}, from May on we open at six.",
        messages,
        send_at,
      })
      return "/numbers/connected/planned"
    },
    reads: "Your cake is ready at ten.",
  },
]

/** The phone of the bakery's number that is connected. */
async function phoneOf({ network }: World) {
  return (await network.phones()).find(({ name }) => name === "Phone of connected")!
}
