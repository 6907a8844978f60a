import { setTimeout as sleep } from "node:timers/promises"
import type { Draft } from "./draft-of-write.ts"
import type { Call, Faults } from "./faults.ts"
import type { Rows } from "./rows/rows.ts"
import type { Row } from "./table.ts"

/** Applies drafts: normally in one batch, which readers and a crash see whole or not at all. */
export class DraftWriter {
  readonly #rows: Rows
  readonly #faults: Faults
  readonly #closing: AbortSignal
  /** Index rows that are held back, in the order of their writes. */
  #late = Promise.resolve()
  #lateCount = 0

  /** `closing` ends all waits. */
  constructor(rows: Rows, faults: Faults, closing: AbortSignal) {
    this.#rows = rows
    this.#faults = faults
    this.#closing = closing
  }

  async apply(drafts: Draft[], call: Call) {
    const rule = drafts.length > 1 && this.#faults.hit("half-visible", call)
    if (!rule) return this.#write(drafts, call)
    for (const [at, draft] of drafts.entries()) {
      if (at > 0) await wait((rule.ms ?? 0) / (drafts.length - 1), this.#closing)
      await this.#write([draft], call)
    }
  }

  /** Resolves when no index row is held back. */
  async settled() {
    while (this.#lateCount > 0) await this.#late
  }

  async #write(drafts: Draft[], call: Call) {
    const rows = drafts.flatMap((draft) => draft.rows)
    if (rows.length === 0) return
    const indexRows = drafts.flatMap((draft) => draft.indexRows)
    const rule = this.#faults.hit("stale-index", call)
    if (!rule && this.#lateCount === 0) return this.#rows.write([...rows, ...indexRows], call.mayLinger)
    await this.#rows.write(rows)
    this.#later(indexRows, rule?.ms ?? 0)
  }

  #later(rows: Row[], ms: number) {
    this.#lateCount += 1
    this.#late = this.#after(this.#late, rows, performance.now() + ms)
  }

  async #after(earlier: Promise<void>, rows: Row[], due: number) {
    await earlier
    await wait(Math.max(0, due - performance.now()), this.#closing)
    await this.#rows.write(rows)
    this.#lateCount -= 1
  }
}

/** Waits for so long, or until the store closes. */
export async function wait(ms: number | undefined, closing: AbortSignal): Promise<void> {
  await sleep(ms ?? 0, undefined, { signal: closing }).catch(() => {
    // The store is closing, and so the wait ends early.
  })
}
