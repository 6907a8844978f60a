/**
 * Failures of the real DynamoDB that an embedded one never has.
 *
 * - `gone`: connections are reset; nothing is applied.
 * - `lost-request`: the connection ends after `ms` without an answer; nothing is applied.
 * - `lost-answer`: the same, but the request is applied.
 * - `slow`: the request is looked at after `ms`.
 * - `throttling`: ThrottlingException.
 * - `denied`: AccessDeniedException.
 * - `invalid`: ValidationException, as where our code asks for what no table takes.
 * - `throughput-exceeded`: ProvisionedThroughputExceededException; a transaction is cancelled for this
 *   reason.
 * - `transaction-conflict`: TransactionConflictException on a write; a transaction is cancelled for this
 *   reason.
 * - `transaction-in-progress`: TransactionInProgressException from TransactWriteItems.
 * - `half-visible`: the rows of a transaction become visible to reads one by one, over `ms`; then it is
 *   answered.
 * - `stale-index`: global indexes learn of a write `ms` later.
 */
export type Fault =
  | "gone"
  | "lost-request"
  | "lost-answer"
  | "slow"
  | "throttling"
  | "denied"
  | "invalid"
  | "throughput-exceeded"
  | "transaction-conflict"
  | "transaction-in-progress"
  | "half-visible"
  | "stale-index"

/** A fault and the requests it hits: all of them, unless limited. */
export interface Rule {
  fault: Fault
  /** Such as `TransactWriteItems`. */
  operation?: string
  /** Hits only requests whose body satisfies this. */
  when?: (request: object) => boolean
  /** The share of requests that are hit, 0 to 1. */
  chance?: number
  /** How many requests are hit before the rule ends. */
  times?: number
  ms?: number
}

/** A request and what it asks for. */
export interface Call {
  operation: string
  request: object
  /**
   * Whether the write may wait a moment for others, with which it is then written. Asked when it is about to
   * be written.
   */
  mayLinger?: (() => boolean) | undefined
  /** The caller is of this version: the shape of its request need not be looked at. */
  isTrusted?: boolean | undefined
}

/** The faults of one store. The same requests in the same order meet the same faults. */
export class Faults {
  /** How often each fault was injected. */
  readonly injected = new Map<Fault, number>()
  readonly #rules = new Set<Rule>()
  #state = 1

  /** @returns a function that removes the rule again. */
  add(rule: Rule): () => void {
    const own = { ...rule }
    this.#rules.add(own)
    return () => this.#rules.delete(own)
  }

  /** From 0 to 1, the same in each run: a linear congruential generator (Numerical Recipes, "ranqd1"). */
  #next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return this.#state / 2 ** 32
  }

  clear() {
    this.#rules.clear()
  }

  /** The rule by which `fault` hits this request, if there is one. Counts as a hit. */
  hit(fault: Fault, call?: Call): Rule | undefined {
    for (const rule of this.#rules) {
      if (rule.fault !== fault) continue
      if (rule.operation && rule.operation !== call?.operation) continue
      if (rule.when && !(call && rule.when(call.request))) continue
      if (rule.chance !== undefined && this.#next() >= rule.chance) continue
      if (rule.times !== undefined && --rule.times <= 0) this.#rules.delete(rule)
      this.injected.set(fault, (this.injected.get(fault) ?? 0) + 1)
      return rule
    }
    return undefined
  }
}
