import { Refusal } from "./refusal.ts"

interface Use {
  content: string
  doneAt?: number
}

/** "A client request token is valid for 10 minutes after the first request that uses it is completed." */
const goodForMs = 10 * 60_000

/**
 * Remembers the request of each `ClientRequestToken`, in memory, so that an applied transaction is not
 * applied again.
 */
export class Tokens {
  /** In the order of completion, so the oldest come first. */
  readonly #uses = new Map<string, Use>()
  readonly #now: () => number

  /** `now`: milliseconds on a monotonic clock. */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** Runs `work`, unless it has succeeded under this token before. A failure may be retried. */
  async once(token: string, content: string, work: () => Promise<void>) {
    this.#forget()
    const earlier = this.#uses.get(token)
    if (earlier && earlier.content !== content) throw mismatch()
    if (earlier && earlier.doneAt === undefined) throw inProgress()
    if (earlier) return

    this.#uses.set(token, { content })
    try {
      await work()
    } catch (error) {
      this.#uses.delete(token)
      throw error
    }
    this.#uses.delete(token)
    this.#uses.set(token, { content, doneAt: this.#now() })
  }

  #forget() {
    for (const [token, use] of this.#uses) {
      if (use.doneAt === undefined) continue
      if (use.doneAt > this.#now() - goodForMs) return
      this.#uses.delete(token)
    }
  }
}

export function inProgress() {
  return new Refusal(
    "TransactionInProgressException",
    "The transaction with the given request token is already in progress.",
  )
}

export function mismatch() {
  return new Refusal(
    "IdempotentParameterMismatchException",
    "The request uses the same client token as a previous, but non-identical request.",
  )
}
