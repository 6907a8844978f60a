import type { LambdaClient } from "@aws-sdk/client-lambda"
import { z } from "zod"
import { serviceAt } from "../platform/aws-client-options.ts"
import { config, need } from "../platform/config.ts"
import { log } from "../platform/log.ts"
import type { Call, HostAnswer } from "./call-host.ts"

/** The part of a lease that a call needs. */
export const Holder = z.object({ host: z.string(), addr: z.string(), epoch: z.number() })
export type Holder = z.infer<typeof Holder>

/** A call that a function asks another one, `Calls`, to make. That function has no URL. */
const Asked = z.object({
  hostCall: z.object({
    holder: Holder,
    call: z.custom<Call>((value) => typeof value === "object" && value !== null),
    withinMs: z.number(),
  }),
})
type Asked = z.infer<typeof Asked>

const Answered = z.union([
  z.literal(["unreachable", "moved", "unknown"]),
  z.object({
    status: z.number(),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())]).optional()),
    body: z.base64().transform((text) => new Uint8Array(Buffer.from(text, "base64"))),
  }),
])

/** More than any call takes. In ms. */
const mostMs = 50_000
let client: LambdaClient | undefined

/** Whether hosts are called by another function: this process is not in their network. */
export function isThroughLambda(): boolean {
  return config.CALLS_FUNCTION !== undefined
}

/**
 * Has the function in the hosts' network make a call. @returns `unknown` when nothing is known of its outcome
 */
export async function callThroughLambda(
  holder: Holder,
  call: Call,
  withinMs: number,
): Promise<HostAnswer | "unreachable" | "moved" | "unknown"> {
  const { host, addr, epoch } = holder
  const asked: Asked = { hostCall: { holder: { host, addr, epoch }, call, withinMs } }
  try {
    const { Payload, FunctionError } = await invoke(JSON.stringify(asked))
    if (FunctionError) throw new Error(FunctionError)
    return Answered.parse(JSON.parse(Buffer.from(Payload ?? []).toString()))
  } catch (error) {
    const { requestId, bridgeId } = call
    log.warn({ error, requestId, bridgeId }, "a host was not called by the function in its network")
    return isWithoutPlace(error) ? "unreachable" : "unknown"
  }
}

/** Lambda had no place for the function: it was not started. */
function isWithoutPlace(error: unknown): boolean {
  return error instanceof Error && error.name === "TooManyRequestsException"
}

/** Loaded here, since a service on one machine starts faster without it. */
async function invoke(Payload: string) {
  const { InvokeCommand, LambdaClient } = await import("@aws-sdk/client-lambda")
  client ??= new LambdaClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 2000, requestTimeout: mostMs, throwOnRequestTimeout: true },
    ...serviceAt(config.AWS_ENDPOINT_URL_LAMBDA),
  })
  return await client.send(new InvokeCommand({ FunctionName: need("CALLS_FUNCTION"), Payload }))
}

/** The call that an event asks for. */
export function callIn(event: unknown): Asked["hostCall"] {
  return Asked.parse(event).hostCall
}

/** An answer as the function that asked reads it. */
export function wireAnswer(answer: HostAnswer | "unreachable" | "moved"): object | string {
  return typeof answer === "string"
    ? answer
    : { ...answer, body: Buffer.from(answer.body).toString("base64") }
}
