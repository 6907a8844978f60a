import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { boolean, ChannelId, inQuery, integer, string, text, Timestamp } from "./field-types.ts"
import { codesOfSend, idempotencyHeaders } from "./idempotency-key.ts"
import { ChannelPost } from "./message-events.ts"
import { SendResult } from "./message.ts"
import { body, codesOfNetwork, Ok, proxy, refusals, reply } from "./route-parts.ts"

/** Contract, "Channels" */
export const Channel = z
  .object({
    jid: z.string(),
    name: z.string(),
    description: z.string(),
    link: string("Whoever has it may follow the channel."),
    role: z.enum(["owner", "admin", "follower", "none"]).openapi({
      description: "Of the session's account. `owner` and `admin` may post.",
    }),
    followers: integer("How many, as far as the network says; else 0."),
    verified: z.boolean(),
    muted: boolean("Whether the account is told of no new posts."),
    created: Timestamp,
  })
  .openapi("Channel")

const ChannelLink = z
  .string()
  .regex(
    /^(?:https?:\/\/(?:www\.)?whatsapp\.com\/channel\/)?[0-9A-Za-z_-]{6,64}\/?$/,
    "not the link of a channel",
  )
  .openapi({
    description: "`https://whatsapp.com/channel/…`, or what stands behind the last `/`.",
    example: "https://whatsapp.com/channel/0029Va4K0PZ5a245NkngBA2M",
  })

const channel = path.extend({ jid: ChannelId })
const all = `${proxy}/channels` as const
const one = `${all}/{jid}` as const

export const listChannels = createRoute({
  method: "get",
  path: all,
  summary: "The channels that the account follows or has",
  request: { params: path },
  responses: { 200: reply("All of them, by name.", z.array(Channel)), ...refusals(...codesOfNetwork) },
})

export const findChannel = createRoute({
  method: "get",
  path: `${all}/invite` as const,
  summary: "The channel that a link leads to, without following it",
  request: { params: path, query: z.object({ link: ChannelLink }) },
  responses: { 200: reply("The channel.", Channel), ...refusals(...codesOfNetwork) },
})

export const getChannel = createRoute({
  method: "get",
  path: one,
  summary: "One channel",
  request: { params: channel },
  responses: { 200: reply("The channel.", Channel), ...refusals(...codesOfNetwork) },
})

export const followChannel = createRoute({
  method: "post",
  path: `${one}/follow` as const,
  summary: "Follow a channel",
  description:
    "One that is followed already stays so. Its posts are events if `events` of the bridge names `channel_post`.",
  request: { params: channel },
  responses: { 200: reply("Followed.", Ok), ...refusals(...codesOfNetwork) },
})

export const unfollowChannel = createRoute({
  method: "delete",
  path: `${one}/follow` as const,
  summary: "Follow a channel no more",
  request: { params: channel },
  responses: { 200: reply("No longer followed.", Ok), ...refusals(...codesOfNetwork) },
})

export const listPosts = createRoute({
  method: "get",
  path: `${one}/posts` as const,
  summary: "The posts of a channel, newest first, whether or not it is followed",
  request: {
    params: channel,
    query: z.object({
      limit: inQuery(1, 100).default(50),
      before: inQuery(1, 2_147_483_647)
        .optional()
        .openapi({ description: "Only posts before this one, by its `number`." }),
    }),
  },
  responses: {
    200: reply(
      "A page. The last has fewer than `limit`.",
      z.array(ChannelPost.extend({ views: integer("How often it was seen, as the network counts.") })),
    ),
    ...refusals(...codesOfNetwork),
  },
})

export const createPost = createRoute({
  method: "post",
  path: `${one}/posts` as const,
  summary: "Post a text in a channel that the account has or administers",
  request: { params: channel, headers: idempotencyHeaders, body: body(z.object({ body: text(1, 65_536) })) },
  responses: {
    200: reply("The network has acknowledged the post.", SendResult),
    ...refusals(...codesOfNetwork, "not_admin", ...codesOfSend),
  },
})

export const reactToPost = createRoute({
  method: "post",
  path: `${one}/posts/{number}/reaction` as const,
  summary: "React to a post of a channel",
  request: {
    params: channel.extend({ number: z.string().regex(/^[0-9]{1,10}$/, "the `number` of a post") }),
    body: body(z.object({ emoji: text(0, 32).openapi({ description: '`""` removes the reaction.' }) })),
  },
  responses: { 200: reply("Done.", Ok), ...refusals(...codesOfNetwork) },
})
