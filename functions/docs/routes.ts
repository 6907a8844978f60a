import { Hono } from "hono"
import type { Context } from "hono"
import { docsPage } from "./page.ts"
import type { Reader } from "./guide.ts"
import { openapi } from "./openapi.ts"
import { originOf } from "../http/address.ts"
import type { ApiEnv } from "../http/contract-router.ts"

/** The contract for machines and for people. It is public. */
export const reference = new Hono<ApiEnv>()
// A person who opens the service in a browser looks here first, unless there is a dashboard.
for (const path of ["/", "/api"]) reference.get(path, (c) => c.redirect("/api/docs"))
reference.get("/api/openapi.json", (c) => c.json(openapi(), 200, { "cache-control": "public, max-age=300" }))
reference.get("/api/docs", (c) => docs(c, { baseUrl: originOf(c), mayTry: false }, "public, max-age=300"))

/** Answers with the reference, for this reader. */
export function docs(c: Context, reader: Reader, caching: string): Response | Promise<Response> {
  return c.html(docsPage(openapi(), reader), 200, {
    "cache-control": caching,
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  })
}
