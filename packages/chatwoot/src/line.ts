import type { BridgeClient } from "../../sdk-typescript/src/index.ts"
import { BridgeError } from "../../sdk-typescript/src/index.ts"
import { type Chatwoot, ChatwootError } from "./chatwoot.ts"
import type { Notes } from "./notes.ts"

/** A bridge and its inbox, and what both directions need. */
export interface Line {
  bridge: BridgeClient
  chatwoot: Chatwoot
  notes: Notes
  /** The number of the inbox. */
  inbox: number
  /** From then on messages of Chatwoot are for WhatsApp, Unix seconds. */
  since: number
  /** Tells keys of this Chatwoot from those of another. */
  keys: string
  /** Whether groups become conversations, too. */
  groups: boolean
  /** Whether an agent's name stands before what they write. */
  names: boolean
  signal: AbortSignal
  log: (sentence: string) => void
}

/** Whether the same call to either side may succeed later. */
function mayPass(error: unknown): boolean {
  if (error instanceof ChatwootError) return error.passes
  if (!(error instanceof BridgeError)) return false
  const { code, status } = error
  return status === 0
    ? code === "no_answer"
    : status === 429 || status >= 500 || code === "idempotency_conflict"
}

/**
 * Does it again until it is done: nothing is left out because a side is away, and nothing overtakes it.
 * @throws what does not pass; the signal's reason
 */
export async function patiently<Made>(
  line: Pick<Line, "signal" | "log">,
  work: () => Promise<Made>,
): Promise<Made> {
  for (let tries = 0; ; tries++) {
    line.signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (!mayPass(error)) throw error
      if (tries === 0 || tries % 20 === 0) line.log(`${(error as Error).message}; it is tried again`)
      const wanted = error instanceof BridgeError ? error.retryAfterMs : undefined
      await sleep(wanted ?? Math.min(250 * 2 ** tries, 30_000), line.signal)
    }
  }
}

/** @throws the signal's reason */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const end = () => reject(signal.reason as Error)
  signal.addEventListener("abort", end, { once: true })
  const timer = setTimeout(resolve, ms)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", end)
  }
}

/**
 * Waits until what was tried under this name can no longer have its effect: only then is it known whether it
 * had.
 * @returns whether it was tried
 */
export async function settled({ notes, bridge, chatwoot, signal }: Line, source: string): Promise<boolean> {
  const attempt = notes.attempt(bridge.ref, source)
  if (!attempt) return false
  const left = attempt.at + chatwoot.patienceMs - Date.now()
  if (left > 0) await sleep(Math.min(left, chatwoot.patienceMs), signal)
  return true
}
