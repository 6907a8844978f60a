import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda"
import type { Context } from "hono"
import type { LambdaEvent } from "hono/aws-lambda"
import { z } from "zod"
import { need } from "#core/config.ts"
import { sessionUnavailable } from "#core/error.ts"
import { log } from "#core/log.ts"
import { StoredMedia } from "#core/media.ts"
import { storedAt, streamOf } from "../api/stored-media.ts"
import type { ApiEnv } from "../api/router.ts"

/** The API answers within 55 s, or not at all. */
const answeredWithinMs = 57_000

const lambda = new LambdaClient({
  maxAttempts: 2,
  requestHandler: {
    connectionTimeout: 2000,
    requestTimeout: answeredWithinMs,
    throwOnRequestTimeout: true,
  },
})

/** What a function behind a URL answers (payload format 2.0). */
const Answer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default(""),
  isBase64Encoded: z.boolean().default(false),
})
type Answer = z.infer<typeof Answer>

/**
 * Has the API answer a request, as it came: it counts it, knows its caller and calls its host. Where its answer names
 * media in the bucket, they follow in a stream.
 * @throws ApiError `session_unavailable` when the API cannot be asked
 */
export async function passOn(c: Context<ApiEnv>): Promise<Response> {
  const { event } = c.env as { event: LambdaEvent } // which `streamHandle` passes along
  const answer = await ask(event)
  const key = answer.headers[storedAt]
  if (key === undefined || c.req.method === "HEAD")
    return new Response(bodyOf(answer), { status: answer.statusCode, headers: withoutKey(answer.headers) })
  const media = await StoredMedia.get(decodeURIComponent(key))
  const headers = { ...withoutKey(answer.headers), ...media.headers }
  return new Response(streamOf(media.body), { status: answer.statusCode, headers })
}

async function ask(event: LambdaEvent): Promise<Answer> {
  const invoke = new InvokeCommand({ FunctionName: need("API_FUNCTION"), Payload: JSON.stringify(event) })
  try {
    const { Payload, FunctionError } = await lambda.send(invoke)
    const said = Buffer.from(Payload ?? []).toString()
    if (!FunctionError) return Answer.parse(JSON.parse(said))
    log.error({ error: FunctionError, said: said.slice(0, 500) }, "the API function failed")
  } catch (error) {
    log.error({ error }, "the API function cannot be asked")
  }
  throw sessionUnavailable("the service cannot answer now: try again")
}

function bodyOf(answer: Answer): Uint8Array<ArrayBuffer> | null {
  if (answer.body === "" || answer.statusCode === 204) return null
  return new Uint8Array(Buffer.from(answer.body, answer.isBase64Encoded ? "base64" : "utf8"))
}

function withoutKey(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== storedAt))
}
