import { readFileSync } from "node:fs"
import { OpenAPIHono, z } from "@hono/zod-openapi"
import { bodyLimit } from "hono/body-limit"
import type { Network } from "../network/network.ts"
import { routeCalls } from "./calls.ts"
import { routeFaults } from "./faults.ts"
import { routeGroups } from "./groups.ts"
import { routeHostileDeeds } from "./hostile.ts"
import { onControlError } from "./http/errors.ts"
import { onlyFromHere } from "./http/only-from-here.ts"
import { route } from "./http/route.ts"
import { routeLargeAccounts } from "./large-accounts.ts"
import { routeLog } from "./log.ts"
import { routeMedia } from "./media.ts"
import { routeMessages } from "./messages.ts"
import { scanWithMockPhone } from "./mock-phone-scan.ts"
import { routeNewsletters } from "./newsletters.ts"
import { routePasskeys } from "./passkeys.ts"
import { routePhones } from "./phones.ts"
import { routeProfileAndPresence } from "./profile-and-presence.ts"
import * as Schema from "./schemas.ts"
import { routeStanzasAndConnections } from "./stanzas-and-connections.ts"
import { routeSyncedSettings } from "./synced-settings.ts"

/** The page in the browser: its files, by path. */
const page = new Map(
  [
    ["/", "index.html", "text/html"],
    ["/page.css", "page.css", "text/css"],
    ["/page.js", "page.js", "text/javascript"],
  ].map(([path = "", file = "", type = ""]) => {
    const content = readFileSync(new URL(`../page/${file}`, import.meta.url), "utf8")
    return [path, { content, type: `${type}; charset=utf-8` }]
  }),
)

/** The page needs nothing from elsewhere, and shows what strangers wrote. */
const fromHereOnly = "default-src 'self'; img-src 'self' data:; base-uri 'self'; form-action 'none'"

/**
 * The steering wheel of the simulated network; `/openapi.json` says how it turns. `under`: the path before
 * all of its paths.
 */
export function controlApi(network: Network, under = "") {
  const app = new OpenAPIHono({ strict: false }).basePath(under)
  app.use(onlyFromHere)
  app.use(bodyLimit({ maxSize: 150_000_000 }))
  for (const [path, { content, type }] of page)
    app.get(path, (c) =>
      c.body(content.replace('<base href="/"', `<base href="${under}/"`), 200, {
        "content-type": type,
        "content-security-policy": fromHereOnly,
      }),
    )
  route(
    app,
    { method: "get", path: "/healthz", summary: "Alive", answer: z.object({ ok: z.boolean() }) },
    () => ({ ok: true }),
  )
  routePhones(app, network)
  routePasskeys(app, network)
  routeMessages(app, network)
  routeGroups(app, network)
  routeNewsletters(app, network)
  routeProfileAndPresence(app, network)
  routeLargeAccounts(app, network)
  routeCalls(app, network)
  routeHostileDeeds(app, network)
  routeSyncedSettings(app, network)
  routeMedia(app, network)
  routeStanzasAndConnections(app, network)
  routeFaults(app, network)
  routeLog(app, network)
  // In the form in which public client suites ask. They expect this path on the port of the socket, where it
  // is, too.
  app.openAPIRegistry.registerPath({
    method: "post",
    path: "/admin/mock-phone/scan-qr",
    summary: "Link the client that shows this code, with the phone that goes by the client's push name",
    request: { body: { content: { "text/plain": { schema: z.string() } } } },
    responses: {
      200: { description: "Linked.", content: { "application/json": { schema: Schema.Linked } } },
      default: { description: "Refused.", content: { "application/json": { schema: Schema.Refused } } },
    },
  })
  app.post("/admin/mock-phone/scan-qr", async (c) =>
    c.json(await scanWithMockPhone(network, await c.req.text())),
  )

  app.doc31("/openapi.json", {
    openapi: "3.1.0",
    info: {
      title: "Simulated messaging network",
      version: "1",
      description: "Phones, groups, faults, and a log.",
    },
  })
  app.notFound((c) => c.json({ error: "no such path", code: "not_found" }, 404))
  app.onError(onControlError(network))
  return app
}
