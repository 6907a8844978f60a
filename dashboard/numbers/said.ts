import type { Context } from "hono"
import { z } from "zod"
import { ApiError } from "#core/error.ts"
import { callHolderIfAny } from "#core/lease/call-holder.ts"
import { Lease } from "#core/lease/lease.ts"
import { log } from "#core/platform/log.ts"
import { type Html, note } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"

/** What a session says, and behind what it goes on; or why it is not known. */
export type Said<Value> =
  | { value: Value; next?: string | undefined; problem?: undefined }
  | { value?: undefined; problem: string }

const Refused = z.object({ error: z.string() })

/**
 * What only the session of a number can read. A page waits for it for so long and then comes without it; and whoever only looks
 * wakes nobody.
 */
export async function saidBy<Value>(
  c: Context<DashboardEnv>,
  path: string,
  schema: z.ZodType<Value>,
  patienceMs: number,
): Promise<Said<Value>> {
  const { bridge, requestId } = c.var
  const lease = await Lease.get(bridge.id)
  if (lease && Lease.whyStopped(lease) === "idle") return { problem: "this number sleeps until it is used" }
  try {
    const call = { method: "GET", path, bridgeId: bridge.id, requestId } as const
    const answer = await callHolderIfAny(call, patienceMs)
    if (!answer) return { problem: "no session runs at this moment. Open this page again in a few seconds" }
    const said: unknown = JSON.parse(Buffer.from(answer.body).toString())
    if (answer.status !== 200) return { problem: Refused.parse(said).error }
    const next = z.string().optional().parse(answer.headers["x-next-after"])
    return { value: schema.parse(said), next }
  } catch (error) {
    if (error instanceof ApiError) return { problem: error.message }
    log.warn({ error, bridgeId: bridge.id }, "what a session said was not read")
    return { problem: "its session gave no answer that can be read. Open this page again in a few seconds" }
  }
}

/** Says why something is not shown, after `what`. */
export function notShown(what: string, problem: string): Html {
  return note("warn", `${what} not shown: ${problem.replace(/\.$/, "")}.`)
}

/** A person's number as people write it. An address that has none stays as it is. */
export function whoIs(jid: string): string {
  return jid.replace(/^(\d+)@s\.whatsapp\.net$/, "+$1")
}
