import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { ProgramGrant } from "#core/account/program-grant.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError, type Issue, issuesOf } from "#core/error.ts"
import { lonePage, type Status } from "../answer.ts"
import { sentenceForPeople } from "../api-words.ts"
import { did } from "../audit-log.ts"
import { type Html, note, field } from "../elements.ts"
import { textsOf } from "../form.ts"
import { unlessFresh } from "../fresh-sign-in.ts"
import type { DashboardEnv } from "../guard.ts"
import { rightsFields, rightsOf, typedRights, type TypedRights } from "../key-rights.ts"
import { clientNameOf, isClientId, RedirectUri } from "./client.ts"
import { issuerOf } from "./endpoints.ts"

/** RFC 6749, 4.1.1, and RFC 7636, 4.3 */
const Query = z.object({
  client_id: z
    .string()
    .max(1000)
    .refine(isClientId, "is of no program that has registered here: the program has to register again"),
  redirect_uri: RedirectUri,
  response_type: z.literal("code"),
  code_challenge: z.string().regex(/^[\w-]{43}$/, "must be a SHA-256 hash as base64url (RFC 7636)"),
  code_challenge_method: z.literal("S256"),
  state: z.string().max(1000).optional(),
  scope: z.string().max(200).optional(),
})

/** A program's question, in the address of the page. */
interface Question extends z.infer<typeof Query> {
  name: string
}

/** The pages on which a person gives a program a key. */
export const consent = new Hono<DashboardEnv>()
  .get("/oauth/authorize", async (c) => {
    const asked = questionOf(c)
    if ("faults" in asked) return await showBroken(c, asked.faults)
    return await showForm(c, {
      ...asking(c, asked),
      // A program may ask for anything. Where it shall be is for its person to say.
      typed: { ...typedRights({}), may: asked.scope === "all" ? "all" : "read" },
    })
  })
  .post("/oauth/authorize", async (c) => {
    const asked = questionOf(c)
    if ("faults" in asked) return await showBroken(c, asked.faults)
    const posted = await c.req.parseBody({ all: true })
    const { answer } = textsOf(posted, "answer")
    const { state, redirect_uri: redirectUri, code_challenge: challenge } = asked
    const about = { iss: issuerOf(c), ...(state !== undefined && { state }) }
    if (answer !== "yes") return await lead(c, asked, { error: "access_denied", ...about })
    const again = unlessFresh(c, pathOf(c))
    if (again) return again
    const allowed = allowedBy(c, asked.name, posted)
    if ("problem" in allowed) return await showForm(c, { ...asking(c, asked), ...allowed })
    const code = await ProgramGrant.allow(allowed, { redirectUri, challenge })
    await did(c, "key_created", asked.name)
    return await lead(c, asked, { code, ...about })
  })
  .get("/device", async (c) => await showCode(c, c.req.query("code")?.slice(0, 20) ?? ""))
  .post("/device", async (c) => {
    const posted = await c.req.parseBody({ all: true })
    const { code, answer } = textsOf(posted, "code", "answer")
    const found = await ProgramGrant.waitingProgram(code.slice(0, 20))
    if (!found) return await showCode(c, code.slice(0, 20), noSuchCode)
    const about = { name: found.name, action: "/device", code }
    if (answer === "") return await showForm(c, { ...about, typed: typedRights({}) })
    const again = unlessFresh(c, `/device?code=${encodeURIComponent(code)}`)
    if (answer === "yes" && again) return again
    const allowed = answer === "yes" ? allowedBy(c, found.name, posted) : undefined
    if (allowed && "problem" in allowed) return await showForm(c, { ...about, ...allowed })
    if (!(await ProgramGrant.settleDevice(found.device, allowed))) return await showCode(c, "", noSuchCode)
    if (allowed) await did(c, "key_created", found.name)
    return await showEnd(c, found.name, allowed !== undefined)
  })

const noSuchCode =
  "There is no such code: look again at your program. A code is good for 15 minutes, and once."

/** What the program asks, or what is wrong with it. */
function questionOf(c: Context<DashboardEnv>): Question | { faults: Issue[] } {
  const { data, error } = Query.safeParse(c.req.query())
  if (!data) return { faults: issuesOf(error) }
  const name = clientNameOf(data.client_id, data.redirect_uri)
  if (name !== undefined) return { ...data, name }
  return {
    faults: [{ path: "redirect_uri", message: "is not one of those that this program has registered" }],
  }
}

function pathOf(c: Context): string {
  const { pathname, search } = new URL(c.req.url)
  return pathname + search
}

/** Whom the code goes to, as far as its address tells. */
function hostOf({ redirect_uri }: Question): string {
  const { protocol, host } = new URL(redirect_uri)
  return protocol === "https:" || protocol === "http:" ? host : `a program that opens ${protocol}`
}

/** What a person has allowed, or what is wrong with it. */
function allowedBy(
  c: Context<DashboardEnv>,
  name: string,
  posted: Record<string, unknown>,
): ProgramGrant.Allowed | { problem: string; typed: TypedRights } {
  const typed = typedRights(posted)
  const { id, email } = c.var.me.person
  try {
    return { account_id: c.var.accountId, person_id: id, email, name, rights: rightsOf(typed) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { problem: sentenceForPeople(error.message), typed }
  }
}

function asking(c: Context<DashboardEnv>, asked: Question) {
  return { name: asked.name, action: pathOf(c), to: hostOf(asked) }
}

interface Asking {
  name: string
  action: string
  typed: TypedRights
  problem?: string
  /** The code that was typed, if one was. */
  code?: string
  /** Where the key goes, if the program has said so. */
  to?: string
}

async function showForm(c: Context<DashboardEnv>, asking: Asking) {
  const { name, action, typed, problem, code, to } = asking
  const bridges = await Bridge.list(c.var.accountId)
  const body = html`<h1>${name} asks for a key</h1>
    ${problem === undefined ? "" : note("bad", problem)}
    <p>
      The program chose this name
      itself${to === undefined ? "" : html`, and its answer goes to <b>${to}</b>`}. With the key it can do
      what you choose here in the account <b>${c.var.me.account.name}</b>, until you revoke it under
      <a href="/keys">API keys</a>.
    </p>
    ${code === undefined ? "" : html`<p>Go on only if it shows the code <b class="mono">${code}</b>.</p>`}
    ${note("warn", "Go on only if you have just started this program yourself. Nobody else needs you to do this.")}
    <form method="post" action="${action}">
      ${code === undefined ? "" : html`<input type="hidden" name="code" value="${code}" />`}
      ${rightsFields(bridges.filter(Bridge.isVisible), typed)}
      <div class="row">
        <button class="button main" name="answer" value="yes">Give it a key</button>
        <button class="button" name="answer" value="no" formnovalidate>No</button>
      </div>
    </form>`
  return await showCard(c, "A program asks for a key", body, problem === undefined ? 200 : 400)
}

async function showCode(c: Context<DashboardEnv>, code: string, problem?: string) {
  const body = html`<h1>Sign a program in</h1>
    ${problem === undefined ? html`<p>Type the code that your program shows.</p>` : note("bad", problem)}
    <form method="post" action="/device">
      ${field("Code", { name: "code", value: code, required: true, maxlength: 20, spellcheck: "false" })}
      <div class="row"><button class="button main">Go on</button></div>
    </form>`
  return await showCard(c, "Sign a program in", body, problem === undefined ? 200 : 400)
}

async function showEnd(c: Context<DashboardEnv>, name: string, hasKey: boolean) {
  const title = hasKey ? `${name} is signed in` : `${name} got no key`
  const body = html`<h1>${title}</h1>
    <p>
      You can close this page.
      ${hasKey ? html`The key of this program is under <a href="/keys">API keys</a>.` : ""}
    </p>`
  return await showCard(c, title, body)
}

async function showBroken(c: Context<DashboardEnv>, faults: Issue[]) {
  const body = html`<h1>This program asks in a way that is not understood</h1>
    <ul>
      ${faults.map(({ path, message }) => html`<li><code>${path}</code> ${message}.</li>`)}
    </ul>
    <p>
      Begin again from the program. If it stays so, give it a key from <a href="/keys">API keys</a> yourself.
    </p>`
  return await showCard(c, "That did not work", body, 400)
}

/** Leads back to the program: by a page, since our forms may lead to our own pages alone. */
async function lead(
  c: Context<DashboardEnv>,
  { redirect_uri, name }: Question,
  answer: Record<string, string>,
) {
  const url = new URL(redirect_uri)
  for (const [field, value] of Object.entries(answer)) url.searchParams.set(field, value)
  const body = html`<h1>Back to ${name}</h1>
    <p><a class="button main" href="${url.href}">Go on</a></p>`
  c.header("refresh", `0; url=${url.href}`)
  return await showCard(c, `Back to ${name}`, body)
}

async function showCard(c: Context<DashboardEnv>, title: string, body: Html, status: Status = 200) {
  return await lonePage(c, { title, body: html`<div class="card">${body}</div>`, status })
}
