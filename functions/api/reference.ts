import { Hono } from "hono"
import type { Context } from "hono"
import { openapi } from "#contract/openapi.ts"
import { scriptHashIn } from "#contract/reference/copying.ts"
import type { Reader } from "#contract/reference/guide.ts"
import { llmsFullTxt, llmsTxt, markdownPages } from "#contract/reference/markdown-pages.ts"
import { referencePage } from "#contract/reference/reference-page.ts"
import { ApiError } from "#core/error.ts"
import { RateLimit } from "#core/limits/rate-limit.ts"
import { originOf } from "../http/address.ts"
import type { ApiEnv } from "../http/contract-router.ts"

/** The contract for machines and for people. It is public. */
export const reference = new Hono<ApiEnv>()
// A person who opens the service in a browser looks here first, unless there is a dashboard.
for (const path of ["/", "/api"]) reference.get(path, (c) => c.redirect("/api/docs"))
reference.get("/api/openapi.json", (c) => c.json(openapi(), 200, { "cache-control": "public, max-age=300" }))
reference.get("/api/docs", (c) =>
  answerReference(c, { baseUrl: originOf(c), mayTry: false }, "public, max-age=300"),
)
reference.get("/api/docs/:page", (c) => {
  const page = markdownPages(openapi()).find(({ name }) => `${name}.md` === c.req.param("page"))
  if (!page) throw new ApiError("not_found", "there is no such page: GET /llms.txt lists every page")
  return text(c, page.text, "markdown")
})
reference.get("/llms.txt", (c) => text(c, llmsTxt(openapi(), originOf(c)), "plain"))
reference.get("/llms-full.txt", (c) => text(c, llmsFullTxt(openapi()), "plain"))

function text(c: Context, body: string, kind: "markdown" | "plain"): Response {
  return c.body(body, 200, {
    "content-type": `text/${kind}; charset=utf-8`,
    "cache-control": "public, max-age=300",
  })
}

/** Answers with the part of the reference that is asked for, for this reader. */
export async function answerReference(
  c: Context,
  about: Omit<Reader, "perMinute">,
  caching: string,
): Promise<Response> {
  const { part, q } = c.req.query()
  const reader = { ...about, perMinute: RateLimit.perMinute() }
  const page = String(await referencePage(openapi(), reader, { part, words: q }))
  return c.html(page, 200, {
    "cache-control": caching,
    "content-security-policy": [
      "default-src 'none'",
      `script-src ${scriptHashIn(page)}`,
      "style-src 'unsafe-inline'",
      "img-src data:",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
  })
}
