import { z } from "zod"
import type { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { callHolderIfAny } from "#core/lease/call-holder.ts"
import type { Call, HostAnswer } from "#core/lease/call-host.ts"
import { Lease } from "#core/lease/lease.ts"
import { log } from "#core/platform/log.ts"
import { askHost } from "#functions/api/ask-host.ts"
import { bridgesAsNumbers } from "../api-words.ts"
import { type Html, note } from "../elements.ts"

/** A session's answer, with the cursor of the next page, or the reason why there is none. */
export type SessionAnswer<Value> =
  | { value: Value; next?: string | undefined; problem?: undefined }
  | { value?: undefined; problem: string; code?: string | undefined }

/**
 * A session that says nothing for so long does not answer, in ms. What it asks the network may take longer.
 */
const silentMs = 900

const Refused = z.object({ error: z.string(), code: z.string().optional() })

/** A request about a bridge, or what is needed of one. */
export interface OfBridge {
  var: { bridge: Bridge.Info; requestId: string }
}

/**
 * Reads something that only the session of a number knows. A session that sleeps is not woken for a reader.
 * @param patienceMs how long the page waits before it comes without the answer
 */
export async function askSession<Value>(
  c: OfBridge,
  path: string,
  schema: z.ZodType<Value>,
  patienceMs: number,
): Promise<SessionAnswer<Value>> {
  const { bridge, requestId } = c.var
  const lease = await Lease.get(bridge.id)
  if (lease && Lease.whyStopped(lease) === "idle") return { problem: "this number sleeps until it is used" }
  try {
    const of = { method: "GET", bridgeId: bridge.id, requestId } as const
    const answer = await Promise.race([
      callHolderIfAny({ ...of, path }, patienceMs),
      ...(patienceMs > silentMs ? [unlessAlive({ ...of, path: "/status" })] : []),
    ])
    if (!answer)
      return { problem: "this number does not run at this moment. Open this page again in a few seconds" }
    const said: unknown = JSON.parse(Buffer.from(answer.body).toString())
    if (answer.status !== 200) {
      const { error: problem, code } = Refused.parse(said)
      return { problem: bridgesAsNumbers(problem), code }
    }
    const next = z.string().optional().parse(answer.headers["x-next-after"])
    return { value: schema.parse(said), next }
  } catch (error) {
    if (error instanceof ApiError) return { problem: bridgesAsNumbers(error.message) }
    log.warn({ error, bridgeId: bridge.id }, "what a session said was not read")
    return { problem: "it gave no answer that can be read. Open this page again in a few seconds" }
  }
}

/** Calls the session of a number, and wakes it for that. @throws ApiError for what is refused as well */
export async function callSession(call: Call, isJson = true): Promise<HostAnswer> {
  const { success, refusal } = await askHost(call, isJson)
  if (refusal) throw refusal
  return success
}

/** How long a page waits, in ms, for what the session has to ask the network. */
export const networkPatienceMs = 5000

/**
 * Has the session of a page's number do something.
 * @param messageId the id of what is sent, if something is
 * @returns its answer @throws ApiError
 */
export async function tellSession(
  c: OfBridge,
  method: "POST" | "PUT" | "DELETE",
  path: string,
  { body, messageId }: { body?: object; messageId?: string } = {},
): Promise<unknown> {
  const { bridge, requestId } = c.var
  const { body: said } = await callSession({
    method,
    path,
    bridgeId: bridge.id,
    requestId,
    ...(body && { body: JSON.stringify(body) }),
    ...(messageId !== undefined && { messageId, isNew: true }),
  })
  return JSON.parse(Buffer.from(said).toString())
}

/** Unlinks the phone of a number. @throws ApiError */
export async function unlinkPhone({ id: bridgeId }: Bridge.Info, requestId: string): Promise<void> {
  await callSession({ method: "DELETE", path: "/logout", bridgeId, requestId })
}

/** Rejects when the session gives no sign of life; never resolves otherwise. */
async function unlessAlive(call: Call): Promise<never> {
  await callHolderIfAny(call, silentMs)
  return await new Promise<never>(() => {})
}

/** Says why something is not shown, after `what`. */
export function notShown(what: string, problem: string): Html {
  return note("warn", `${what} not shown: ${problem.replace(/\.$/, "")}.`)
}

/** A person's number as people write it. An address that has none stays as it is. */
export function phoneOrJid(jid: string): string {
  return jid.replace(/^(\d+)@s\.whatsapp\.net$/, "+$1")
}
