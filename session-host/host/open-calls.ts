import { Condition } from "../concurrency/condition.ts"

/** The calls that are being answered, by the thing that they are for. */
export class OpenCalls<Key> {
  readonly #open = new Map<Key, number>()
  readonly #changes = new Condition()

  /** Answers one call. */
  async during<Answer>(key: Key, answer: () => Promise<Answer>): Promise<Answer> {
    this.#add(key, 1)
    try {
      return await answer()
    } finally {
      this.#add(key, -1)
      this.#changes.notify()
    }
  }

  /** Waits until no call is open, at most `withinMs`. */
  async settled(key: Key, withinMs: number): Promise<void> {
    await this.#changes.until(() => !this.#open.has(key) || undefined, withinMs)
  }

  #add(key: Key, count: number): void {
    const open = (this.#open.get(key) ?? 0) + count
    if (open === 0) this.#open.delete(key)
    else this.#open.set(key, open)
  }
}
