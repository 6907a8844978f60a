import { randomUUID } from "node:crypto"
import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { examples } from "#contract/examples.ts"
import { openapi } from "#contract/openapi.ts"
import { hrefOfCall } from "#contract/reference/reference-page.ts"
import { type Tryable, tryableOf } from "#contract/reference/tryable-routes.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { config } from "#core/platform/config.ts"
import { sendOnce } from "#functions/api/proxy-routes.ts"
import { answerReference } from "#functions/api/reference.ts"
import { originOf } from "#functions/http/address.ts"
import { headedPage } from "./answer.ts"
import { codeBlock, type Html } from "./elements.ts"
import { typedIn } from "./form.ts"
import { type DashboardEnv, notAllowed, whoLooks } from "./guard.ts"
import { callSession } from "./numbers/session-answer.ts"
import { SimulatedPhone } from "./start/simulated-phone.ts"

/** The reference, for readers who may have the dashboard, too. */
export const reference = new Hono<DashboardEnv>().get("/api/docs", async (c) => {
  const me = await whoLooks(c)
  const [newest] = me ? await ApiKey.list(me.account.id) : []
  const reader = { baseUrl: originOf(c), mayTry: config.SANDBOX, keyName: newest?.name || undefined }
  return await answerReference(c, reader, "no-store")
})

/** Calls of the reference, tried on the account's sandbox. */
export const trying = new Hono<DashboardEnv>()
  .get("/try/:name", async (c) => await show(c))
  .post("/try/:name", async (c) => {
    const route = routeOf(c)
    const { body } = await typedIn(c, "body")
    return await show(c, { body, ...(await called(c, route, body)) })
  })

function routeOf(c: Context<DashboardEnv>): Tryable {
  const route = tryableOf(c.req.param("name") ?? "")
  if (!route || !config.SANDBOX) throw new ApiError("not_found", "this call cannot be tried here")
  return route
}

/** A call that was made, and what came back. */
interface Tried {
  body: string
  status: number
  answer: string
}

/**
 * Makes the call at a number as the API would. What it refuses is an answer as well.
 * @param key of the form: what it sends is sent once, however often the form is
 */
export async function called(
  c: Context<DashboardEnv>,
  route: Tryable,
  body: string,
  { ref = "sandbox", key = randomUUID() }: { ref?: string; key?: string } = {},
): Promise<Omit<Tried, "body">> {
  const { method, path, hasBody, isSend } = route
  try {
    const bridge = await Bridge.get(c.var.accountId, ref)
    const call = { method, path, bridgeId: bridge.id, requestId: c.var.requestId, ...(hasBody && { body }) }
    const success = await (isSend ? sendOnce(bridge, call, `dashboard ${key}`) : callSession(call))
    return {
      status: "status" in success ? success.status : 200,
      answer: Buffer.from(success.body).toString(),
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const said = { error: error.message, code: error.code, request_id: c.var.requestId, ...error.fields }
    return { status: error.status, answer: JSON.stringify(said) }
  }
}

async function show(c: Context<DashboardEnv>, tried?: Tried) {
  const route = routeOf(c)
  if (!c.var.me.mayChange) return await notAllowed(c, "You may look at this account, but not use its sandbox")
  const { body: example } = examples[route.name] as { body?: object }
  const given = tried?.body ?? (example && JSON.stringify(await addressed(c, example), undefined, 2)) ?? ""
  const path = `/api/instances/sandbox/proxy${route.path}`
  const body = html`${form(route, path, given)} ${tried ? answered(tried) : ""}
    <section class="card">
      <h2>The same in a shell</h2>
      ${codeBlock(curl(route, `${originOf(c)}${path}`, given), "The call as a command")}
    </section>`
  return await headedPage(c, {
    title: route.summary.replaceAll("`", ""),
    crumbs: html`<a href="${hrefOfCall(openapi(), route.name)}">API reference</a>`,
    about: html`The call goes to your sandbox, as if a program had made it. See on
      <a href="/start">Echo's phone</a> what arrives.`,
    body,
  })
}

/** The contract's example, to a contact whom the sandbox can reach. */
async function addressed(c: Context<DashboardEnv>, example: object): Promise<object> {
  if (!("chat" in example)) return example
  try {
    const sandbox = await Bridge.get(c.var.accountId, "sandbox")
    const number = await SimulatedPhone.numberOfEcho(sandbox, c.var.requestId)
    return { ...example, chat: number ?? example.chat }
  } catch (error) {
    // The sandbox starts; the example stays as it is.
    if (error instanceof ApiError) return example
    throw error
  }
}

function form(route: Tryable, path: string, given: string): Html {
  return html`<form class="card" method="post" action="/try/${route.name}">
    <p class="row"><span class="tag">${route.method}</span> <code>${path}</code></p>
    ${route.hasBody ? bodyField(given) : ""}
    <div class="row"><button class="button main">Send the request</button></div>
  </form>`
}

/** The field for the body of a call. */
export function bodyField(given: string): Html {
  return html`<div>
    <label for="body">Body</label>
    <textarea id="body" name="body" class="mono" rows="8" maxlength="70000" spellcheck="false">
${given}</textarea>
  </div>`
}

export function answered({ status, answer }: Omit<Tried, "body">): Html {
  return html`<section class="card" aria-label="The answer">
    <div class="row">
      <h2>Answer</h2>
      <span class="state ${status < 300 ? "good" : "bad"}">${status}</span>
    </div>
    ${codeBlock(indented(answer), "The answer")}
  </section>`
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    // It is shown as it came.
    return text
  }
}

/** A call as a command. */
export function curl(route: Pick<Tryable, "method" | "hasBody">, url: string, body: string): string {
  const verb = route.method === (route.hasBody ? "POST" : "GET") ? "" : `-X ${route.method} `
  return [
    `curl ${verb}${quoted(url)}`,
    `  -H "Authorization: Bearer $KEY"`,
    ...(route.hasBody ? [`  -H 'Content-Type: application/json'`, `  -d ${quoted(body)}`] : []),
  ].join(" \\\n")
}

/** A word of a shell, in which nothing is run: whoever has a key chose the path. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
