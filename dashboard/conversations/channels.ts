import { randomUUID } from "node:crypto"
import { type Context, Hono } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { Channel, listPosts } from "#contract/channel.ts"
import { ChannelId } from "#contract/field-types.ts"
import { ApiError } from "#core/error.ts"
import { sendOnce } from "#functions/api/proxy-routes.ts"
import { numberPage, toQuery } from "../answer.ts"
import { sentenceForPeople } from "../api-words.ts"
import { buttonForm, confirming, empty, facts, field, type Html, nextPage, note } from "../elements.ts"
import { plainText, wordsOf } from "../events/message-words.ts"
import { noticeOf, typedIn } from "../form.ts"
import type { DashboardEnv } from "../guard.ts"
import {
  askSession,
  networkPatienceMs,
  notShown,
  type SessionAnswer,
  tellSession,
} from "../numbers/session-answer.ts"
import { time } from "../times.ts"
import { isKey } from "./answer.ts"

const perPage = 30

type Info = z.infer<typeof Channel>
const Posts = listPosts.responses[200].content["application/json"].schema
const Before = listPosts.request.query.shape.before.catch(undefined)

/** The channels that a number follows or has, and the posts of each. */
export const channels = new Hono<DashboardEnv>()
  .get("/numbers/:ref/channels", async (c) => {
    const { link } = c.req.query()
    return await list(c, link === undefined ? undefined : await found(c, link))
  })
  .get("/numbers/:ref/channels/:jid", async (c) => await show(c))
  .post("/numbers/:ref/channels/:jid/follow", async (c) => {
    return await done(c, "It is followed.", () => tellSession(c, "POST", `${pathOf(c)}/follow`))
  })
  .post("/numbers/:ref/channels/:jid/unfollow", async (c) => {
    return await done(c, "It is no longer followed.", () => tellSession(c, "DELETE", `${pathOf(c)}/follow`))
  })
  .post("/numbers/:ref/channels/:jid/posts", async (c) => {
    const { key, body } = await typedIn(c, "key", "body")
    return await done(c, "It is posted.", async () => {
      if (!isKey(key)) throw new ApiError("invalid_request", "open the channel again, and post from there")
      const { bridge, requestId } = c.var
      const post = { method: "POST", path: `${pathOf(c)}/posts`, bridgeId: bridge.id, requestId } as const
      await sendOnce(bridge, { ...post, body: JSON.stringify({ body: body.trim() }) }, `dashboard ${key}`)
    })
  })

/** The session's path for the channel. @throws ApiError `not_found`: no channel has such an id */
function pathOf(c: Context<DashboardEnv>): string {
  const jid = ChannelId.safeParse(c.req.param("jid"))
  if (!jid.success) throw new ApiError("not_found")
  return `/channels/${encodeURIComponent(jid.data)}`
}

function pageOf(ref: string, jid: string): string {
  return `/numbers/${ref}/channels/${encodeURIComponent(jid)}`
}

async function done(c: Context<DashboardEnv>, sentence: string, act: () => Promise<unknown>) {
  const { notice, status } = await noticeOf(async () => {
    await act()
    return note("good", sentence)
  })
  return await show(c, notice, status)
}

/** The channel of a link, or why it was not found. */
async function found(c: Context<DashboardEnv>, link: string): Promise<Html> {
  const { value, problem } = await askSession(
    c,
    `/channels/invite?${toQuery({ link: link.trim() })}`,
    Channel,
    networkPatienceMs,
  )
  if (!value) return note("bad", sentenceForPeople(problem ?? ""))
  return html`<section class="card flush">
    <ul class="feed">
      ${item(c.var.bridge.customerRef, value)}
    </ul>
  </section>`
}

async function list(c: Context<DashboardEnv>, ofLink?: Html) {
  const ref = c.var.bridge.customerRef
  const said = await askSession(c, "/channels", z.array(Channel), networkPatienceMs)
  const body = html`<section class="card">
      <form class="inline" method="get" action="/numbers/${ref}/channels">
        ${field("Open a channel by its link", { name: "link", maxlength: 300, required: true, placeholder: "https://whatsapp.com/channel/…" })}
        <button class="button">Open</button>
      </form>
    </section>
    ${ofLink ?? ""} ${listCard(ref, said)}`
  return await numberPage(c, "channels", { title: `Channels of ${ref}`, body })
}

function listCard(ref: string, said: SessionAnswer<Info[]>): Html {
  if (said.problem !== undefined) return notShown("The channels are", said.problem)
  if (said.value.length === 0)
    return empty({
      isCard: true,
      icon: "inbox",
      title: "No channel yet",
      about: "This number follows none. Open one by its link.",
    })
  return html`<section class="card flush" aria-label="Channels">
    <ul class="feed">
      ${said.value.map((one) => item(ref, one))}
    </ul>
  </section>`
}

function item(ref: string, { jid, name, description, role, followers }: Info): Html {
  return html`<li class="line">
    <div class="about whole">
      <a class="strong" href="${pageOf(ref, jid)}"><bdi>${plainText(name)}</bdi></a>
      ${isOwn(role) ? html`<span class="tag">${role}</span>` : ""}
      <div class="small muted"><bdi>${plainText(description).slice(0, 300)}</bdi></div>
    </div>
    <span class="small muted">${followersOf(followers)}</span>
  </li>`
}

/** Whether the number may post there. */
function isOwn(role: Info["role"]): boolean {
  return role === "owner" || role === "admin"
}

function followersOf(count: number): string {
  return count === 0 ? "" : count === 1 ? "1 follower" : `${count} followers`
}

async function show(c: Context<DashboardEnv>, notice?: Html, status?: ApiError["status"]) {
  const path = pathOf(c)
  const before = Before.parse(c.req.query("before"))
  const [about, posts] = await Promise.all([
    askSession(c, path, Channel, networkPatienceMs),
    askSession(c, `${path}/posts?${toQuery({ limit: perPage, before })}`, Posts, networkPatienceMs),
  ])
  const body = html`${notice ?? ""}
  ${about.value ? aboutCard(c, about.value) : notShown("The channel is", about.problem ?? "")}
  ${posts.value ? postsCard(c, posts.value) : notShown("Its posts are", posts.problem ?? "")}`
  return await numberPage(c, "channels", { title: about.value?.name ?? "Channel", body, status })
}

function aboutCard(c: Context<DashboardEnv>, info: Info): Html {
  const { jid, name, description, role, followers, link } = info
  const at = pageOf(c.var.bridge.customerRef, jid)
  return html`<section class="card">
    <header>
      <h2><bdi>${plainText(name)}</bdi></h2>
      <p><a href="/numbers/${c.var.bridge.customerRef}/channels">All channels</a></p>
    </header>
    ${description === "" ? "" : html`<p><bdi>${plainText(description)}</bdi></p>`}
    ${facts([
      ["Followers", followers === 0 ? undefined : followers],
      ["Link", html`<a href="${link}" rel="noopener noreferrer" target="_blank">${link}</a>`],
    ])}
    ${c.var.me.mayChange ? (isOwn(role) ? posting(at) : following(at, role)) : ""}
  </section>`
}

function following(at: string, role: Info["role"]): Html {
  if (role === "none") return buttonForm({ action: `${at}/follow`, label: "Follow", kind: "main" })
  return confirming({
    label: "Follow it no more",
    about: "Its posts no longer come here.",
    act: buttonForm({ action: `${at}/unfollow`, label: "Follow it no more now" }),
    kind: "",
  })
}

function posting(at: string): Html {
  return html`<form method="post" action="${at}/posts">
    <input type="hidden" name="key" value="${randomUUID()}" autocomplete="off" />
    <label for="body">A post, for everybody who follows</label>
    <textarea id="body" name="body" rows="3" dir="auto" maxlength="65536" required></textarea>
    <div class="row"><button class="button main">Post</button></div>
  </form>`
}

function postsCard(c: Context<DashboardEnv>, posts: z.infer<typeof Posts>): Html {
  const last = posts.length === perPage ? posts.at(-1) : undefined
  const at = pageOf(c.var.bridge.customerRef, c.req.param("jid") ?? "")
  return html`<section class="card flush">
      <header><h2>Posts</h2></header>
      ${posts.length === 0 ? empty({ icon: "inbox", about: "There are none." }) : ""}
      <ul class="feed">
        ${posts.map(
          (post) =>
            html`<li class="line">
              <div class="about whole">
                <bdi>${wordsOf(post)}</bdi>
                <div class="small muted">${time(post.timestamp * 1000)}, seen ${post.views} times</div>
              </div>
            </li>`,
        )}
      </ul>
    </section>
    ${nextPage(last && `${at}?before=${last.number}`, "Earlier posts")}`
}
