import { ApiError } from "#core/error.ts"
import { callDirectly } from "#core/lease/call-host.ts"
import { callIn, wireAnswer } from "#core/lease/call-through-lambda.ts"

/** Makes a call to a session host for a function that is not in the hosts' network. */
export async function handler(event: unknown): Promise<unknown> {
  const { holder, call, withinMs } = callIn(event)
  try {
    return wireAnswer(await callDirectly(holder, call, withinMs))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return "unknown"
  }
}
