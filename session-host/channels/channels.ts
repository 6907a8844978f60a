import { z } from "zod"
import type { Channel } from "#contract/channel.ts"
import type { ChannelPost } from "#contract/message-events.ts"
import { ApiError } from "#core/error.ts"
import { wholeNumber } from "../content/mapped.ts"
import { read } from "../content/reading.ts"
import { unknownIn } from "../content/unknown.ts"
import { unwrap } from "../content/unwrap.ts"
import type { Connection } from "../network/connection.ts"
import { decodeBare } from "../network/decode.ts"
import { NetworkRejected, NoAnswer } from "../network/errors.ts"
import { askMex } from "../network/mex.ts"
import { child, childrenOf, el, type Stanza } from "../network/stanza.ts"

type Asking = Pick<Connection, "ask">

/** Queries that the network has (Baileys, `QueryIds`; whatsmeow for the list). */
const queries = {
  one: "6563316087068696",
  list: "6388546374527196",
  follow: "24404358912487870",
  unfollow: "9767147403369991",
}

/** The public address of all links. */
const prefix = "https://whatsapp.com/channel/"

const Text = z.object({ text: z.string().nullish() }).nullish()
/** What is read of a channel in GraphQL. */
const Found = z.object({
  id: z.string(),
  thread_metadata: z.object({
    name: Text,
    description: Text,
    invite: z.string().nullish(),
    subscribers_count: z.unknown(),
    creation_time: z.unknown(),
    verification: z.string().nullish(),
  }),
  viewer_metadata: z.object({ role: z.string().nullish(), mute: z.string().nullish() }).nullish(),
})

const roles = new Map<string, z.infer<typeof Channel>["role"]>([
  ["OWNER", "owner"],
  ["ADMIN", "admin"],
  ["SUBSCRIBER", "follower"],
])

function toWire({ id, thread_metadata: about, viewer_metadata: viewer }: z.infer<typeof Found>) {
  return {
    jid: id,
    name: about.name?.text ?? "",
    description: about.description?.text ?? "",
    link: `${prefix}${about.invite ?? ""}`,
    role: roles.get(viewer?.role ?? "") ?? ("none" as const),
    followers: wholeNumber(about.subscribers_count),
    verified: about.verification === "VERIFIED",
    muted: viewer?.mute === "ON",
    created: wholeNumber(about.creation_time),
  }
}

/** The channels that the account follows or has. @throws NetworkRejected, NoAnswer */
export async function listChannels(connection: Asking): Promise<z.infer<typeof Channel>[]> {
  const answer = await askMex(connection, queries.list, {})
  const Answer = z.object({ data: z.object({ xwa2_newsletter_subscribed: z.array(z.unknown()) }) })
  const { data } = Answer.safeParse(answer).data ?? {}
  if (!data) throw new NoAnswer("the network's list of channels cannot be read")
  const found = data.xwa2_newsletter_subscribed.flatMap((each) => Found.safeParse(each).data ?? [])
  return found.map(toWire).toSorted((a, b) => a.name.localeCompare(b.name))
}

/** A channel, by its JID or its link. @throws ApiError `not_found`. NetworkRejected, NoAnswer */
export async function findChannel(connection: Asking, named: string): Promise<z.infer<typeof Channel>> {
  const isJid = named.endsWith("@newsletter")
  const key = isJid ? named : named.replace(/\/$/, "").replace(/^.*\//, "")
  const answer = await orNoChannel(
    askMex(connection, queries.one, {
      input: { key, type: isJid ? "JID" : "INVITE", view_role: "GUEST" },
      fetch_viewer_metadata: true,
      fetch_full_image: false,
      fetch_creation_time: true,
    }),
  )
  const Answer = z.object({ data: z.object({ xwa2_newsletter: Found.nullish() }) })
  const { data } = Answer.safeParse(answer).data ?? {}
  if (!data) throw new NoAnswer("the network's answer about a channel cannot be read")
  if (!data.xwa2_newsletter) throw noChannel()
  return toWire(data.xwa2_newsletter)
}

/** @throws ApiError `not_found`. NetworkRejected, NoAnswer */
export async function follow(connection: Asking, jid: string, isOn: boolean): Promise<void> {
  await orNoChannel(askMex(connection, isOn ? queries.follow : queries.unfollow, { newsletter_id: jid }))
}

type Post = z.infer<typeof ChannelPost> & { views: number }

/**
 * The posts of a channel, newest first.
 * @param page.before only those before this number
 * @throws ApiError `not_found`. NetworkRejected, NoAnswer
 */
export async function listPosts(
  connection: Asking,
  jid: string,
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<Post[]> {
  const about = { type: "jid", jid, count: String(limit), ...(before && { before: String(before) }) }
  const asked = connection.ask({ xmlns: "newsletter", type: "get", children: [el("messages", about)] })
  const posts = childrenOf(child(await orNoChannel(asked), "messages"), "message").flatMap((stanza) => {
    const post = postIn({ ...stanza, attrs: { ...stanza.attrs, from: jid } })
    return post ? [{ ...post, views: wholeNumber(child(stanza, "views_count")?.attrs.count) }] : []
  })
  return posts.toSorted((a, b) => b.number - a.number)
}

/** A post in a stanza; undefined for what people do not see, such as an edit that says nothing here. */
export function postIn({ attrs, children }: Stanza): z.infer<typeof ChannelPost> | undefined {
  const plaintext = children.find(({ tag }) => tag === "plaintext")?.bytes
  const number = wholeNumber(attrs.server_id)
  if (!plaintext || number === 0 || !attrs.from) return undefined
  const about = {
    channel_id: attrs.from,
    number,
    message_id: attrs.id ?? "",
    timestamp: wholeNumber(attrs.t),
  }
  try {
    const said = read(unwrap(decodeBare(plaintext)))?.said
    if (said && said.type !== "reaction")
      return {
        ...about,
        type: said.type,
        media_type: said.media_type,
        body: said.body,
        ...(said.file && { file: said.file }),
      }
    const unknown = unknownIn(plaintext)
    return unknown && { ...about, type: "unknown", media_type: "", body: unknown.body }
  } catch {
    // A stranger wrote these bytes.
    return { ...about, type: "unknown", media_type: "", body: "" }
  }
}

function noChannel(): ApiError {
  return new ApiError("not_found", "there is no such channel")
}

async function orNoChannel<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof NetworkRejected && error.networkCode === 404) throw noChannel()
    throw error
  }
}
