import { randomUUID } from "node:crypto"
import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { examples } from "#contract/examples.ts"
import { SentMessage } from "#contract/message.ts"
import { openapi } from "#contract/openapi.ts"
import { hrefOfCall } from "#contract/reference/reference-page.ts"
import { type Tryable, tryableAt } from "#contract/reference/tryable-routes.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { RequestLog } from "#core/account/request-log.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { originOf } from "#functions/http/address.ts"
import { headedPage } from "./answer.ts"
import { isKey } from "./conversations/answer.ts"
import { codeBlock, facts, type Html, note } from "./elements.ts"
import { typedIn } from "./form.ts"
import { type DashboardEnv, notAllowed, viewerRefusal } from "./guard.ts"
import { askSession } from "./numbers/session-answer.ts"
import { answered, bodyField, called, curl } from "./reference.ts"
import { aboutCall, numberIn } from "./requests.ts"
import { ago } from "./times.ts"

/** How long the page waits for the session's list of what was sent, ms. */
const patienceMs = 900

/** One call of a program: why it was refused, the call as code, and the call once more. */
export const request = new Hono<DashboardEnv>()
  .get("/requests/:place", async (c) => await show(c))
  .post("/requests/:place", async (c) => {
    if (!c.var.me.mayChange) return await notAllowed(c, viewerRefusal)
    const { route, ref } = repeatable(await callOf(c)) ?? {}
    if (!route || ref === undefined) throw new ApiError("not_found")
    const { body, key } = await typedIn(c, "body", "key")
    if (!isKey(key)) throw new ApiError("invalid_request", "open the request again, and send it from there")
    const tried = await called(c, route, body, { ref, key })
    // One that failed may have left all the same: pressed again, it is sent under the same key.
    const nextKey = tried.status < 300 ? randomUUID() : key
    return await show(c, { body, answer: answered(tried), nextKey })
  })

async function callOf(c: Context<DashboardEnv>): Promise<RequestLog.Kept> {
  const place = c.req.param("place") ?? ""
  const call = RequestLog.isPlace(place) ? await RequestLog.get(c.var.accountId, place) : undefined
  if (!call) throw new ApiError("not_found")
  return call
}

/** The route of a call to a session, and its number, if all of its address stands in the path. */
function repeatable({ method, path }: RequestLog.Kept): { route: Tryable; ref: string } | undefined {
  const [, ref, rest] = /^\/api\/instances\/([^/]+)\/proxy(\/.*)$/.exec(path) ?? []
  const route = rest === undefined ? undefined : tryableAt(method, rest)
  // What unlinks or removes has a page of its own, which asks once more.
  if (method === "DELETE") return undefined
  return route && ref !== undefined ? { route, ref } : undefined
}

async function show(c: Context<DashboardEnv>, tried?: { body: string; answer: Html; nextKey: string }) {
  const call = await callOf(c)
  const { method, path, atMs, place } = call
  const keys = new Map((await ApiKey.list(c.var.accountId)).map(({ keyId, name }) => [keyId, name]))
  const its = repeatable(call)
  const sent = its?.route.isSend ? await bodySent(c, call, its.ref) : undefined
  const example = its?.route.hasBody ? (examples[its.route.name] as { body?: object }).body : undefined
  const given = tried?.body ?? sent ?? (example && JSON.stringify(example, undefined, 2)) ?? ""
  const hasBody = its?.route.hasBody ?? (method !== "GET" && method !== "DELETE")
  const number = numberIn(path)
  // The method is as it came.
  const code = curl({ method: method as Tryable["method"], hasBody }, originOf(c) + path, given || "{}")
  const body = html`<section class="card">
      ${facts([
        ["Time", ago(atMs)],
        ["Answer", html`<span class="state ${call.status >= 400 ? "bad" : "good"}">${call.status}</span>`],
        ["Number", number && html`<a href="/numbers/${number}">${number}</a>`],
      ])}
      ${aboutCall(call, keys)}
    </section>
    ${tried?.answer ?? ""}
    <section class="card">
      <header>
        <h2>As code</h2>
        <p>
          ${hasBody && sent === undefined ? "Bodies are not kept: this one is an example. " : ""}Put your key
          into
          <code>KEY</code>.
          ${its ? html`In other languages: <a href="${hrefOfCall(openapi(), its.route.name)}">the reference</a>.` : ""}
        </p>
      </header>
      ${codeBlock(code, "The call as a command")}
    </section>
    ${its && c.var.me.mayChange ? againForm({ ...its, place, key: tried?.nextKey ?? randomUUID() }, given, sent !== undefined) : ""}`
  const title = `${method} ${path}`
  const crumbs = html`<a href="/requests">Requests</a>`
  return await headedPage(c, { title, crumbs, place: "requests", body })
}

/** What a call sent, where the session still has that message: bodies of calls are not kept. */
async function bodySent(c: Context<DashboardEnv>, call: RequestLog.Kept, ref: string) {
  const bridge = await Bridge.find(c.var.accountId, ref)
  if (!bridge || !call.path.endsWith("/send/text")) return undefined
  const of = { var: { bridge, requestId: c.var.requestId } }
  const { value } = await askSession(of, "/sent?limit=100", z.array(SentMessage), patienceMs)
  const sent = value?.find(({ request_id: id }) => id === call.requestId)
  return sent && JSON.stringify({ chat: sent.chat_id, body: sent.body }, undefined, 2)
}

function againForm(
  { route, ref, place, key }: { route: Tryable; ref: string; place: string; key: string },
  given: string,
  isSame: boolean,
): Html {
  return html`<form class="card" method="post" action="/requests/${place}">
    <input type="hidden" name="key" value="${key}" autocomplete="off" />
    <header>
      <h2>Send again</h2>
      <p>The call is made at <b>${ref}</b>, as if a program had made it.</p>
    </header>
    ${route.hasBody ? bodyField(given) : ""}
    ${route.hasBody && !isSame ? note("info", "This is an example: put in what the call had.") : ""}
    <div class="row"><button class="button main">Send it again</button></div>
  </form>`
}
