import { type Context, Hono } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { Contact } from "#contract/contact.ts"
import { createLabel, listLabels } from "#contract/label.ts"
import type { ApiError } from "#core/error.ts"
import { isGroup, toJid } from "#core/message/jid.ts"
import { numberPage, toQuery } from "../answer.ts"
import { did } from "../audit-log.ts"
import { buttonForm, confirming, field, type Html, note } from "../elements.ts"
import { noticeOf, typedIn } from "../form.ts"
import type { DashboardEnv } from "../guard.ts"
import { askSession, networkPatienceMs, notShown, tellSession } from "../numbers/session-answer.ts"
import { chatIn } from "./answer.ts"
import { forgetName, namesOf, numberOf, pathOfChat } from "./chat-name.ts"

const Labels = listLabels.responses[200].content["application/json"].schema
const Label = createLabel.responses[200].content["application/json"].schema
const Older = z.object({
  state: z.enum(["came", "asked"]),
  messages: z.array(z.unknown()),
  is_end: z.boolean(),
})

/**
 * The page about a chat: people name and label it, ask the phone for older messages, and clear or delete
 * it.
 */
export const aboutChat = new Hono<DashboardEnv>()
  .get("/numbers/:ref/chats/:chat/about", async (c) => await show(c))
  .post("/numbers/:ref/chats/:chat/name", async (c) => {
    const { full_name } = await typedIn(c, "full_name")
    return await done(c, "Saved, on the phone, too.", async (chat) => {
      await tellSession(c, "PUT", `/contacts/${encodeURIComponent(chat)}`, {
        body: { full_name: full_name.trim() },
      })
      forgetName(c.var.bridge.id, toJid(chat))
    })
  })
  .post("/numbers/:ref/chats/:chat/name/remove", async (c) => {
    return await done(c, "It is no longer in the address book.", async (chat) => {
      await tellSession(c, "DELETE", `/contacts/${encodeURIComponent(chat)}`)
      forgetName(c.var.bridge.id, toJid(chat))
    })
  })
  .post("/numbers/:ref/chats/:chat/labels", async (c) => {
    const { put, take, name } = await typedIn(c, "put", "take", "name")
    return await done(c, "Saved, on the phone, too.", async (chat) => {
      const id =
        name.trim() === ""
          ? put || take
          : Label.parse(await tellSession(c, "POST", "/labels", { body: { name } })).id
      const path = `/labels/${encodeURIComponent(id)}/chats/${encodeURIComponent(chat)}`
      await tellSession(c, take === "" ? "PUT" : "DELETE", path)
    })
  })
  .post("/numbers/:ref/chats/:chat/older", async (c) => {
    const { notice, status } = await noticeOf(async () => {
      const path = `/chats/${encodeURIComponent(chatIn(c))}/history`
      return note("good", olderWords(Older.parse(await tellSession(c, "POST", path, { body: {} }))))
    })
    return await show(c, notice, status)
  })
  .post("/numbers/:ref/chats/:chat/clear", async (c) => {
    return await done(c, "The chat is empty, on the phone, too.", async (chat) => {
      await tellSession(c, "DELETE", `/chats/${encodeURIComponent(chat)}/messages`)
      await did(c, "chat_cleared", c.var.bridge.customerRef)
    })
  })
  .post("/numbers/:ref/chats/:chat/delete", async (c) => {
    return await done(c, "The chat is gone, on the phone, too.", async (chat) => {
      await tellSession(c, "DELETE", `/chats/${encodeURIComponent(chat)}`)
      await did(c, "chat_cleared", c.var.bridge.customerRef)
    })
  })

function olderWords({ state, messages, is_end }: z.infer<typeof Older>): string {
  if (state === "asked") return "The phone was asked. They come once it is online."
  if (messages.length === 0) return "The phone has none that are older."
  return `${messages.length} came.${is_end ? " The phone has none that are older." : ""}`
}

async function done(c: Context<DashboardEnv>, sentence: string, act: (chat: string) => Promise<unknown>) {
  const { notice, status } = await noticeOf(async () => {
    await act(chatIn(c))
    return note("good", sentence)
  })
  return await show(c, notice, status)
}

async function show(c: Context<DashboardEnv>, notice?: Html, status?: ApiError["status"]) {
  const jid = toJid(chatIn(c))
  const at = pathOfChat(c.var.bridge.customerRef, jid)
  const { mayChange } = c.var.me
  const [nameOf, name, labels] = await Promise.all([
    namesOf(c, [jid]),
    isGroup(jid) ? "" : nameCard(c, jid, at),
    labelsCard(c, jid, at),
  ])
  const body = html`${notice ?? ""}
    <p>
      <a href="${at}">Back to the chat with <bdi>${nameOf(jid)}</bdi></a>
    </p>
    ${name} ${labels} ${mayChange ? html`${olderCard(at)} ${endCard(at, nameOf(jid))}` : ""}`
  return await numberPage(c, "chats", { title: `About ${nameOf(jid)}`, body, status })
}

async function nameCard(c: Context<DashboardEnv>, jid: string, at: string): Promise<Html> {
  const path = `/contacts/${encodeURIComponent(jid)}`
  const { value, problem } = await askSession(c, path, Contact, networkPatienceMs)
  if (!value) return notShown("What is known of this person is", problem ?? "")
  const { full_name, name } = value
  const about = full_name === "" && name !== "" ? html`They call themselves <bdi>${name}</bdi>.` : ""
  return html`<section class="card">
    <header>
      <h2>Name in the phone's address book</h2>
      <p><bdi>${full_name || "None."}</bdi> ${about}</p>
    </header>
    ${
      c.var.me.mayChange
        ? html`<form class="inline" method="post" action="${at}/name">
              ${field("Name", { name: "full_name", value: full_name, maxlength: 100, required: true, dir: "auto" })}
              <button class="button">Save</button>
            </form>
            ${full_name === "" ? "" : buttonForm({ action: `${at}/name/remove`, label: `Remove ${numberOf(jid)} from it`, kind: "slim" })}`
        : ""
    }
  </section>`
}

async function labelsCard(c: Context<DashboardEnv>, jid: string, at: string): Promise<Html> {
  const [all, own] = await Promise.all(
    ["", `?${toQuery({ chat: jid })}`].map((query) =>
      askSession(c, `/labels${query}`, Labels, networkPatienceMs),
    ),
  )
  // Only businesses have labels: a shop without is not told of what it cannot have.
  if (all?.problem !== undefined && all.code === "not_business") return html``
  if (!all?.value || !own?.value) return notShown("The labels are", all?.problem ?? own?.problem ?? "")
  const has = new Set(own.value.map(({ id }) => id))
  return html`<section class="card">
    <header>
      <h2>Labels</h2>
      <p>As WhatsApp Business has them.</p>
    </header>
    <div class="row">
      ${all.value.map(({ id, name }) => labelItem({ id, name, at, has: has.has(id), mayChange: c.var.me.mayChange }))}
    </div>
    ${
      c.var.me.mayChange
        ? html`<form class="inline" method="post" action="${at}/labels">
            ${field("A new label", { name: "name", maxlength: 100, required: true, dir: "auto" })}
            <button class="button">Put it on</button>
          </form>`
        : ""
    }
  </section>`
}

function labelItem(input: { id: string; name: string; at: string; has: boolean; mayChange: boolean }): Html {
  const { id, name, at, has } = input
  if (!input.mayChange) return has ? html`<span class="tag"><bdi>${name}</bdi></span>` : html``
  return buttonForm({
    action: `${at}/labels`,
    label: html`${has ? "Take off" : "Put on"} <bdi>${name}</bdi>`,
    kind: has ? "main slim" : "slim",
    fields: { [has ? "take" : "put"]: id },
  })
}

function olderCard(at: string): Html {
  return html`<section class="card">
    <header>
      <h2>Older messages</h2>
      <p>The phone has what was said before it was linked. It answers while it is online.</p>
    </header>
    ${buttonForm({ action: `${at}/older`, label: "Ask the phone for them" })}
  </section>`
}

function endCard(at: string, name: string): Html {
  const onPhone = "The same happens on the phone, and nobody can bring it back. The other side keeps its own."
  return html`<section class="card">
    <h2>Clear or delete</h2>
    <div class="row">
      ${confirming({
        label: "Clear this chat",
        about: `Its messages are removed. ${onPhone}`,
        act: buttonForm({
          action: `${at}/clear`,
          label: html`Clear the chat with <bdi>${name}</bdi>`,
          kind: "danger",
        }),
        kind: "danger",
      })}
      ${confirming({
        label: "Delete this chat",
        about: `It goes with its messages, until somebody writes again. ${onPhone}`,
        act: buttonForm({
          action: `${at}/delete`,
          label: html`Delete the chat with <bdi>${name}</bdi>`,
          kind: "danger",
        }),
        kind: "danger",
      })}
    </div>
  </section>`
}
