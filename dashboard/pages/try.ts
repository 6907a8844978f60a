import { html } from "hono/html"
import { head } from "../layout.ts"
import { block, type Html } from "../elements.ts"

/** A call that was made, and what came back. */
export interface Tried {
  body: string
  status: number
  answer: string
}

/** One call of the API, to be made on the account's sandbox. */
export function tryPage(input: {
  route: { name: string; method: string; path: string; summary: string; hasBody: boolean }
  baseUrl: string
  /** The body in the form. */
  given: string
  tried?: Tried | undefined
}): Html {
  const { route, tried, given } = input
  const path = `/api/instances/sandbox/proxy${route.path}`
  return html`${head({
      title: route.summary.replaceAll("`", ""),
      crumbs: html`<a href="/api/docs#${route.name}">API reference</a>`,
      about: html`The call goes to your sandbox, as if a program had made it. See on
        <a href="/">Echo's phone</a> what arrives.`,
    })}
    <form class="card" method="post" action="/try/${route.name}">
      <p class="row"><span class="tag">${route.method}</span> <code>${path}</code></p>
      ${
        route.hasBody
          ? html`<div>
              <label for="body">Body</label>
              <textarea id="body" name="body" class="mono" rows="8" maxlength="70000" spellcheck="false">
${given}</textarea>
            </div>`
          : ""
      }
      <div class="row"><button class="button main">Make the call</button></div>
    </form>
    ${tried ? answered(tried) : ""}
    <section class="card">
      <h2>The same in a shell</h2>
      ${block(curl(route, `${input.baseUrl}${path}`, given), "The call as a command")}
    </section>`
}

function answered({ status, answer }: Tried): Html {
  return html`<section class="card" aria-label="The answer">
    <div class="row">
      <h2>Answer</h2>
      <span class="state ${status < 300 ? "good" : "bad"}">${status}</span>
    </div>
    ${block(indented(answer), "The answer")}
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

function curl(route: { method: string; hasBody: boolean }, url: string, body: string): string {
  const verb = route.method === (route.hasBody ? "POST" : "GET") ? "" : `-X ${route.method} `
  return [
    `curl ${verb}"${url}"`,
    `  -H "Authorization: Bearer $KEY"`,
    ...(route.hasBody
      ? [`  -H 'Content-Type: application/json'`, `  -d '${body.replaceAll("'", "'\\''")}'`]
      : []),
  ].join(" \\\n")
}
