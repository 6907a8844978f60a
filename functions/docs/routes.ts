import { Hono } from "hono"
import { docsPage } from "./page.ts"
import { openapi } from "./openapi.ts"
import type { ApiEnv } from "../http/router.ts"

/** The contract for machines and for people. It is public. */
export const reference = new Hono<ApiEnv>()
// A person who opens the service in a browser looks here first, unless there is a dashboard.
for (const path of ["/", "/api"]) reference.get(path, (c) => c.redirect("/api/docs"))
reference.get("/api/openapi.json", (c) => c.json(openapi(), 200, { "cache-control": "public, max-age=300" }))
reference.get("/api/docs", (c) =>
  c.html(docsPage(openapi()), 200, {
    "cache-control": "public, max-age=300",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  }),
)
