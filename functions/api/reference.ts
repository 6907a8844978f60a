import { Hono } from "hono"
import type { Context } from "hono"
import { openapi } from "#contract/openapi.ts"
import { scriptHashIn } from "#contract/reference/copying.ts"
import { docsFound, docsMissing, docsPage } from "#contract/reference/docs-page.ts"
import type { Reader } from "#contract/reference/guide.ts"
import { llmsFullTxt, llmsTxt, referencePages } from "#contract/reference/markdown-pages.ts"
import type { Html } from "#contract/reference/prose-and-tables.ts"
import { referencePage } from "#contract/reference/reference-page.ts"
import { pictureOfPage, repositoryPages } from "#contract/reference/repository-pages.ts"
import { ApiError } from "#core/error.ts"
import { RateLimit } from "#core/limits/rate-limit.ts"
import { originOf } from "../http/address.ts"
import type { ApiEnv } from "../http/contract-router.ts"

const publicly = { "cache-control": "public, max-age=300" }

/** The contract for machines and for people, and the documentation. All of it is public. */
export const reference = new Hono<ApiEnv>()
// A person who opens the service in a browser looks here first, unless there is a dashboard.
for (const path of ["/", "/api"]) reference.get(path, (c) => c.redirect("/api/docs"))
reference.get("/api/openapi.json", (c) => c.json(openapi(), 200, publicly))
reference.get("/api/docs", (c) =>
  answerReference(c, { baseUrl: originOf(c), mayTry: false }, publicly["cache-control"]),
)
reference.get("/api/docs/:page", (c) => {
  const page = referencePages(openapi()).find(({ name }) => `${name}.md` === c.req.param("page"))
  if (!page) throw noSuchPage()
  return text(c, page.text, "markdown")
})
reference.get("/docs", (c) => {
  const { q: words } = c.req.query()
  const reader = { baseUrl: originOf(c), mayTry: false, perMinute: RateLimit.perMinute() }
  return page(c, words?.trim() ? docsFound(openapi(), reader, words) : docsPage(openapi(), "list")!)
})
reference.get("/docs/pictures/:name", (c) => {
  const picture = pictureOfPage(c.req.param("name"))
  if (!picture) throw noSuchPage()
  return c.body(picture.bytes, 200, { "content-type": picture.type, ...publicly })
})
reference.get("/docs/:page", (c) => {
  const [, name = "", ending] = /^([\w-]+)(\.md)?$/.exec(c.req.param("page")) ?? []
  const found = repositoryPages().find((one) => one.name === name)
  if (found && ending) return text(c, found.text, "markdown")
  const shown = docsPage(openapi(), name)
  if (shown) return page(c, shown)
  if (!c.req.header("accept")?.includes("text/html")) throw noSuchPage()
  return page(c, docsMissing(openapi()), 404)
})
reference.get("/llms.txt", (c) => text(c, llmsTxt(openapi(), originOf(c)), "plain"))
reference.get("/llms-full.txt", (c) => text(c, llmsFullTxt(openapi()), "plain"))

const noSuchPage = () => new ApiError("not_found", "there is no such page: GET /llms.txt lists every page")

function text(c: Context, body: string, kind: "markdown" | "plain"): Response {
  return c.body(body, 200, { "content-type": `text/${kind}; charset=utf-8`, ...publicly })
}

/** Answers with the part of the reference that is asked for, for this reader. */
export async function answerReference(
  c: Context,
  about: Omit<Reader, "perMinute">,
  caching: string,
): Promise<Response> {
  const { part, q } = c.req.query()
  const reader = { ...about, perMinute: RateLimit.perMinute() }
  return await page(c, referencePage(openapi(), reader, { part, words: q }), 200, caching)
}

async function page(
  c: Context,
  shown: Html,
  status: 200 | 404 = 200,
  caching: string = publicly["cache-control"],
): Promise<Response> {
  const whole = String(await shown)
  return c.html(whole, status, {
    "cache-control": caching,
    "content-security-policy": [
      "default-src 'none'",
      `script-src ${scriptHashIn(whole)}`,
      "style-src 'unsafe-inline'",
      "img-src 'self' data:",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
  })
}
