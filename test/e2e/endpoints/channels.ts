import { expect } from "vitest"
import { z } from "zod"
import { until } from "#test/support/until.ts"
import type { CasesOf } from "./cases.ts"
import { ada, grace, network, seen, whole } from "./stage.ts"

const Made = z.object({ jid: z.string(), invite: z.string() })
const made = async (owner: { number: string }, name: string) =>
  Made.parse(
    await network.call("POST", "/newsletters", { owner: owner.number, name, description: "All that is new" }),
  )

/** Ada's channel with a post, and Grace's own. */
const daily = await made(ada, "Daily")
await network.call("POST", `/newsletters/${daily.jid}/posts`, { text: "the first" })
const ours = await made(grace, "Ours")
const shown = { jid: daily.jid, name: "Daily", description: "All that is new", role: "none", followers: 0 }

const call = (method: string, path: string, body?: object) =>
  whole.call(method, `/api/instances/shop/proxy/channels/${path}`, body)

export const channels: CasesOf<"Channels"> = {
  listChannels: async (ask) => {
    const { json } = await ask()
    expect(json).toMatchObject([{ jid: ours.jid, name: "Ours", role: "owner" }])
  },
  findChannel: async (ask) => {
    const link = `https://whatsapp.com/channel/${daily.invite}`
    expect((await ask({ with: { link } })).json).toMatchObject({ ...shown, link })
    expect((await call("GET", "invite?link=AAAAAAAAAAAAAAAA")).status).toBe(404)
  },
  getChannel: async (ask) => expect((await ask({ with: { jid: daily.jid } })).json).toMatchObject(shown),
  followChannel: async (ask) => {
    await ask({ with: { jid: daily.jid } })
    const { json } = { json: await (await call("GET", daily.jid)).json() }
    expect(json).toMatchObject({ role: "follower", followers: 1 })
  },
  unfollowChannel: async (ask) => {
    await call("POST", `${daily.jid}/follow`)
    await ask({ with: { jid: daily.jid } })
    expect(await (await call("GET", daily.jid)).json()).toMatchObject({ role: "none", followers: 0 })
  },
  listPosts: async (ask) => {
    const { json } = await ask({ with: { jid: daily.jid } })
    expect(json).toMatchObject([{ channel_id: daily.jid, number: 100, type: "text", body: "the first" }])
  },
  createPost: async (ask) => {
    const { json } = await ask({ with: { jid: ours.jid }, body: { body: "we are open" } })
    expect(json).toMatchObject({ chat_id: ours.jid })
    const posts = async () => (await (await call("GET", `${ours.jid}/posts`)).json()) as { body: string }[]
    await until(async () => (await posts()).some(({ body }) => body === "we are open"))
    expect((await call("POST", `${daily.jid}/posts`, { body: "ours now" })).status).toBe(403)
  },
  reactToPost: async (ask) => {
    await call("POST", `${daily.jid}/follow`)
    await ask({ with: { jid: daily.jid, number: "100" }, body: { emoji: "👍" } })
    expect(await seen("message", { type: "reaction", server_id: "100" })).toHaveLength(1)
  },
}
