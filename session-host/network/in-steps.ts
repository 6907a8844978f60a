import { ApiError } from "#core/error.ts"
import { refusalOf } from "./refusals.ts"

/** One of the changes that a call asks for, and its name there. */
export interface Step {
  field: string
  run: () => Promise<unknown>
}

/**
 * Makes changes one after another, since the network has no request for several.
 * @throws ApiError; if a later change fails, its sentence names the earlier ones. NetworkRejected, NoAnswer
 */
export async function inSteps(steps: Step[]): Promise<void> {
  const done: string[] = []
  for (const { field, run } of steps) {
    await run().catch((error: unknown) => {
      throw withDone(error, done)
    })
    done.push(field)
  }
}

function withDone(error: unknown, done: string[]): unknown {
  const refusal = error instanceof ApiError ? error : refusalOf(error)
  if (done.length === 0 || !refusal) return error
  const { code, message, fields, headers } = refusal
  return new ApiError(code, `${message}. Changed before that: ${done.join(", ")}`, { fields, headers })
}
