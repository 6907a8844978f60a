import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { Bridge } from "#core/bridge/bridge.ts"
import { freshLease } from "#core/lease/call-holder.ts"
import { toJid } from "#core/message/jid.ts"
import { writeChoice } from "#functions/api/write-choice.ts"
import { headedPage, numberPage } from "../answer.ts"
import { did } from "../audit-log.ts"
import { empty, type Html } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { calledOf } from "../numbers/state-words.ts"
import { chatIn } from "./answer.ts"
import { chatsPage } from "./chats-page.ts"
import { followChats } from "./follow-chats.ts"
import { receivedFile } from "./received-file.ts"

const Asked = z.object({
  after: z.string().max(300).optional().catch(undefined),
  before: z.string().max(500).optional().catch(undefined),
  until: z.coerce.number().int().positive().max(9_999_999_999).optional().catch(undefined),
  quote: z.string().max(128).optional().catch(undefined),
})

/** How many numbers are offered, where each has chats. */
const mostOffered = 500
const addOne = html`Chats are here once <a href="/new-number">a number is added</a> and a phone linked to it.`

/** For how many days messages are kept, where that is asked when a phone was linked. */
export const keptDays = 30

/** The chats of a number as a shop has them: a list, and a chat to read and to answer. */
export const chats = new Hono<DashboardEnv>()
  .get("/chats", async (c) => {
    const all = (await Bridge.listBrief(c.var.accountId)).filter(Bridge.isVisible)
    const own = all.filter(({ isSandbox }) => !isSandbox)
    const [only] = own.length === 0 ? all : own
    if (only && own.length < 2) return c.redirect(`/numbers/${only.customerRef}/chats`)
    return await headedPage(c, { title: "Chats", place: "chats", body: ofWhich(own) })
  })
  .get("/numbers/:ref/chats", async (c) => {
    return await show(c, await chatsPage(c, Asked.pick({ after: true }).parse(c.req.query())))
  })
  .get("/numbers/:ref/chats/stream", async (c) => await followChats(c, c.req.query("chat")))
  .post("/numbers/:ref/chats/keep", async (c) => {
    const { bridge, requestId } = c.var
    await writeChoice(await freshLease(bridge.id), { keep: keptDays }, requestId)
    await did(c, "keeping_changed", bridge.customerRef)
    return c.redirect(`/numbers/${bridge.customerRef}/chats`, 303)
  })
  .get("/numbers/:ref/chats/:chat", async (c) => {
    const open = toJid(chatIn(c))
    const thread = Asked.omit({ after: true }).parse(c.req.query())
    return await show(c, await chatsPage(c, { open, thread }))
  })
  .get(
    "/numbers/:ref/chats/:chat/files/:id",
    async (c) => await receivedFile(c, chatIn(c), c.req.param("id")),
  )

/** Each number has chats of its own. */
function ofWhich(numbers: Bridge.Listed[]): Html {
  if (numbers.length === 0)
    return empty({ isCard: true, icon: "chat", title: "No number yet", about: addOne })
  return html`<section class="card flush found">
    <header><h2>Of which number?</h2></header>
    <ul class="feed">
      ${numbers.slice(0, mostOffered).map(
        (one) =>
          html`<li class="line">
            <a class="about" href="/numbers/${one.customerRef}/chats">${calledOf(one, "").name}</a>
          </li>`,
      )}
    </ul>
    ${numbers.length > mostOffered ? html`<footer><a href="/numbers">Find others among all numbers</a></footer>` : ""}
  </section>`
}

async function show(c: Context<DashboardEnv>, body: Awaited<ReturnType<typeof chatsPage>>) {
  return await numberPage(c, "chats", { title: `Chats of ${c.var.bridge.customerRef}`, body })
}
