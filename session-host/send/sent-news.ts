import { nowMs } from "#core/platform/clock.ts"
import { Condition } from "../concurrency/condition.ts"

/** How many changes are remembered: a reader who comes back later reads its list anew. */
const most = 500

/**
 * Which messages that the API has sent have changed lately: left, delivered, read or failed. Pages wait here
 * for what to show, since a send is no event. It is remembered in this process alone.
 */
export class SentNews {
  #at = nowMs()
  #changes: { at: number; messageId: string }[] = []
  readonly #told = new Condition()
  /** What was made of a change for its first reader. */
  readonly #made = new WeakMap<object, Promise<object[]>>()

  /** The row of this message has changed. */
  tell(messageId: string): void {
    // Greater than every number of an earlier session, whose readers come here.
    this.#at = Math.max(this.#at + 1, nowMs())
    this.#changes = [
      ...this.#changes.filter((one) => one.messageId !== messageId),
      { at: this.#at, messageId },
    ]
    if (this.#changes.length > most) this.#changes.shift()
    this.#told.notify()
  }

  /**
   * The messages that have changed after this time of these news, at once or within some ms, as `make` makes
   * them. All pages that wait share it.
   * @param after undefined: nothing is asked for but the present time
   */
  async next(
    after: number | undefined,
    withinMs: number,
    make: (messageId: string) => Promise<object[]>,
  ): Promise<{ at: number; changed: object[] }> {
    const look = () => {
      const found = this.#changes.filter(({ at }) => after !== undefined && at > after)
      return found.length > 0 || after === undefined ? found : undefined
    }
    const found = (await this.#told.until(look, withinMs)) ?? []
    const at = this.#at
    const made = found.map((change) => {
      const before = this.#made.get(change) ?? make(change.messageId)
      this.#made.set(change, before)
      return before
    })
    return { at, changed: (await Promise.all(made)).flat() }
  }
}
