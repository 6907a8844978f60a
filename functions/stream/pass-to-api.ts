import { Readable } from "node:stream"
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda"
import type { APIGatewayProxyEventV2 } from "aws-lambda"
import type { Context } from "hono"
import { z } from "zod"
import { rateLimited, sessionUnavailable } from "#core/error.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { Place } from "#core/limits/place.ts"
import { serviceAt } from "#core/platform/aws-client-options.ts"
import { config, need } from "#core/platform/config.ts"
import { lazily } from "#core/platform/lazily.ts"
import { log } from "#core/platform/log.ts"
import type { ApiEnv } from "../http/contract-router.ts"
import { countAddress } from "../http/rate-limits.ts"
import { openDownloads, refusedFor, streamOf } from "../http/stored-media.ts"

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
      ...serviceAt(config.AWS_ENDPOINT_URL_LAMBDA),
    }),
)

/** A place is held for half a minute. */
const keepEachMs = 10_000

/** The answer of a function behind a URL (payload format 2.0). */
const Answer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default(""),
  isBase64Encoded: z.boolean().default(false),
})
type Answer = z.infer<typeof Answer>

/**
 * Passes a request to the API as it came: the API counts it, authenticates its caller and calls its host. If
 * the body of the answer is in the bucket, it is streamed from there.
 * @throws ApiError `session_unavailable` when the API cannot be asked, `rate_limited` when that has happened
 * too often or the account fetches too many files at once
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
    // The API has perhaps not counted the request.
    await countAddress(c)
    throw sessionUnavailable("the service cannot answer now: try again")
  }
  const key = AnswerInBucket.bucketKeyOf(answer.headers)
  const {
    [AnswerInBucket.pointerHeader]: _,
    [AnswerInBucket.ownerHeader]: accountId = "",
    ...headers
  } = answer.headers
  const status = answer.statusCode
  if (key === undefined) return new Response(bodyOf(answer), { status, headers })
  // The request was counted, even if the rest fails.
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith("ratelimit-")) c.header(name, value)
  const place = await Place.take(`DOWNLOADS#${accountId}`, openDownloads, { opener: c.var.requestId })
  if (!place) throw rateLimited(refusedFor)
  try {
    const { headers: about, body } = await StoredMedia.get(key)
    const bytes = streamOf(Readable.from(whileHeld(place, body)))
    return new Response(bytes, { status, headers: { ...headers, ...about } })
  } catch (error) {
    await Place.leave(place)
    throw error
  }
}

/** The bytes of the body. The place is given up after the last one, or when the caller hangs up. */
async function* whileHeld(place: Place.Info, body: Readable): AsyncGenerator<Buffer> {
  let keptAt = performance.now()
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      yield chunk
      if (performance.now() - keptAt < keepEachMs) continue
      keptAt = performance.now()
      // A caller so slow that another has the place by now goes on: at worst there is one more download.
      await Place.renew(place)
    }
  } finally {
    // If this fails, the place is free half a minute later.
    await Place.leave(place).catch((error: unknown) =>
      log.warn({ error }, "a download's place was not given up"),
    )
  }
}

/** Gives the API this request's id, so that both logs use the same one. */
function withRequestId(c: Context<ApiEnv>): APIGatewayProxyEventV2 {
  // Which `streamHandle` passes along, as a URL's event is.
  const { event } = c.env as { event: APIGatewayProxyEventV2 }
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
