import { type Context, Hono } from "hono"
import { streamHandle } from "hono/aws-lambda"
import { streamLogs } from "#contract/bridge-log.ts"
import { testWebhook } from "#contract/delivery.ts"
import { listEvents } from "#contract/stored-event.ts"
import { config } from "#core/platform/config.ts"
import { routed } from "../http/address.ts"
import type { ApiEnv } from "../http/contract-router.ts"
import { withHeadersAndLog, door, withRequestId } from "../http/door.ts"
import { refuse } from "../http/refuse.ts"
import { eventStream } from "./events.ts"
import { logStream } from "./logs.ts"
import { askApi, passToApi } from "./pass-to-api.ts"
import { wantsStream } from "./sse.ts"
import { webhookTest } from "./webhook-test.ts"

/** The routes that need a stream or a way to the internet, and pass the API's door here. */
const own = door({ guarded: [logStream, eventStream, webhookTest] })

/** Runs outside any VPC. The API answers everything else that the router sends here, media included. */
const app = new Hono<ApiEnv>()
app.use(routed, withRequestId, withHeadersAndLog)
for (const { path } of [streamLogs, testWebhook]) app.all(inHono(path), (c) => answerHere(c))
app.get(inHono(listEvents.path), (c) => (wantsStream(c) ? answerHere(c) : passToApi(c)))
app.all("*", passToApi)
app.onError(refuse)

export const handler = streamHandle(app)

/** A sandbox is made when it is first used. The API has to make it, since this function has no right to. */
async function answerHere(c: Context<ApiEnv>): Promise<Response> {
  if (config.SANDBOX && c.req.param("customer_ref") === "sandbox") {
    const answer = await askApi(c, "/api/instances/sandbox")
    if (!answer.ok) return answer
  }
  return await own.fetch(c.req.raw, c.env)
}

/** A path of the contract as Hono writes it. */
function inHono(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1")
}
