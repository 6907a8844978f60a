import { Hono } from "hono"
import type { Context } from "hono"
import { z } from "zod"
import { freshLease } from "#core/lease/call-holder.ts"
import { toJid } from "#core/message/jid.ts"
import { writeChoice } from "#functions/api/write-choice.ts"
import { numberPage } from "../answer.ts"
import { did } from "../audit-log.ts"
import type { DashboardEnv } from "../guard.ts"
import { chatIn } from "./answer.ts"
import { chatsPage } from "./chats-page.ts"
import { followChats } from "./follow-chats.ts"
import { receivedFile } from "./received-file.ts"

const Asked = z.object({
  q: z.string().trim().max(100).optional().catch(undefined),
  after: z.string().max(300).optional().catch(undefined),
  before: z.string().max(500).optional().catch(undefined),
  quote: z.string().max(128).optional().catch(undefined),
})

/** For how many days messages are kept, where that is asked when a phone was linked. */
export const keptDays = 30

/** The chats of a number as a shop has them: a list, and a chat to read and to answer. */
export const chats = new Hono<DashboardEnv>()
  .get("/numbers/:ref/chats", async (c) => {
    const { q: sought, after } = Asked.parse(c.req.query())
    return await show(c, await chatsPage(c, { sought, after }))
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
    const { q, before, quote } = Asked.parse(c.req.query())
    const thread = { before, quote, words: q === "" ? undefined : q }
    return await show(c, await chatsPage(c, { open, thread }))
  })
  .get(
    "/numbers/:ref/chats/:chat/files/:id",
    async (c) => await receivedFile(c, chatIn(c), c.req.param("id")),
  )

async function show(c: Context<DashboardEnv>, body: Awaited<ReturnType<typeof chatsPage>>) {
  return await numberPage(c, "chats", { title: `Chats of ${c.var.bridge.customerRef}`, body })
}
