import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda"
import type { Context } from "hono"
import type { APIGatewayProxyEventV2 } from "aws-lambda"
import { z } from "zod"
import { need } from "#core/platform/config.ts"
import { lazily } from "#core/platform/lazily.ts"
import { sessionUnavailable } from "#core/error.ts"
import { log } from "#core/platform/log.ts"
import { StoredMedia } from "#core/stored-media.ts"
import { countAddress } from "../http/rate-limits.ts"
import type { ApiEnv } from "../http/contract-router.ts"
import { streamOf } from "../http/stored-media.ts"

/** The API answers within 55 s, or not at all. */
const answeredWithinMs = 57_000

const lambda = lazily(
  () =>
    new LambdaClient({
      maxAttempts: 2,
      requestHandler: {
        connectionTimeout: 2000,
        requestTimeout: answeredWithinMs,
        throwOnRequestTimeout: true,
      },
    }),
)

/** The answer of a function behind a URL (payload format 2.0). */
const Answer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default(""),
  isBase64Encoded: z.boolean().default(false),
})
type Answer = z.infer<typeof Answer>

/**
 * Passes a request to the API as it came: the API counts it, authenticates its caller and calls its host. If the body
 * of the answer is in the bucket, it is streamed from there.
 * @throws ApiError `session_unavailable` when the API cannot be asked, `rate_limited` when that has happened too often
 */
export async function passToApi(c: Context<ApiEnv>): Promise<Response> {
  return await answerOf(c, withRequestId(c))
}

/** Has the API answer a GET of another path in this caller's name. @throws as `passToApi` */
export async function askApi(c: Context<ApiEnv>, path: string): Promise<Response> {
  const { body: _, requestContext, ...event } = withRequestId(c)
  const http = { ...requestContext.http, method: "GET", path }
  return await answerOf(c, {
    ...event,
    rawPath: path,
    rawQueryString: "",
    requestContext: { ...requestContext, http },
  })
}

async function answerOf(c: Context<ApiEnv>, event: object): Promise<Response> {
  const answer = await ask(event)
  if (!answer) {
    // Perhaps nobody has counted it.
    await countAddress(c)
    throw sessionUnavailable("the service cannot answer now: try again")
  }
  const key = StoredMedia.pointedAt(answer.headers)
  const { [StoredMedia.pointer]: _, ...headers } = answer.headers
  const status = answer.statusCode
  if (key === undefined) return new Response(bodyOf(answer), { status, headers })
  // The request was counted, even if the rest fails.
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith("ratelimit-")) c.header(name, value)
  const stored = await StoredMedia.get(key)
  return new Response(streamOf(stored.body), { status, headers: { ...headers, ...stored.headers } })
}

/** Gives the API this request's id, so that both logs use the same one. */
function withRequestId(c: Context<ApiEnv>): APIGatewayProxyEventV2 {
  const { event } = c.env as { event: APIGatewayProxyEventV2 } // which `streamHandle` passes along, as a URL's event is
  return { ...event, headers: { ...event.headers, "x-request-id": c.var.requestId } }
}

/** @returns undefined when it does not answer. */
async function ask(event: object): Promise<Answer | undefined> {
  const invoke = new InvokeCommand({ FunctionName: need("API_FUNCTION"), Payload: JSON.stringify(event) })
  try {
    const { Payload, FunctionError } = await lambda.send(invoke)
    const said = Buffer.from(Payload ?? []).toString()
    if (!FunctionError) return Answer.parse(JSON.parse(said))
    log.error({ error: FunctionError, said: said.slice(0, 500) }, "the API function failed")
  } catch (error) {
    log.error({ error }, "the API function cannot be asked")
  }
  return undefined
}

function bodyOf(answer: Answer): Uint8Array<ArrayBuffer> | null {
  if (answer.body === "" || answer.statusCode === 204) return null
  return new Uint8Array(Buffer.from(answer.body, answer.isBase64Encoded ? "base64" : "utf8"))
}
