import type { Write } from "#core/store.ts"
import type { Commits } from "../commit.ts"
import type { SessionStore } from "../store.ts"

const replacedRow = "REPLACED"
const availableRow = "AVAILABLE"

interface Parts {
  store: SessionStore
  commits: Pick<Commits, "write">
}

/** How a login stands, whoever holds the bridge: durable, until the login ends. */
export class Standing {
  readonly #parts: Parts
  #isReplaced: boolean
  #isAvailable: boolean

  private constructor(parts: Parts, read: { isReplaced: boolean; isAvailable: boolean }) {
    this.#parts = parts
    this.#isReplaced = read.isReplaced
    this.#isAvailable = read.isAvailable
  }

  /** @throws SessionEnded */
  static async read(parts: Parts): Promise<Standing> {
    const [replaced, available] = await Promise.all([
      parts.store.get(replacedRow),
      parts.store.get(availableRow),
    ])
    return new Standing(parts, {
      isReplaced: replaced !== undefined,
      isAvailable: available !== undefined,
    })
  }

  /** Another place has taken the login over: who connects would throw it out again, and be thrown out in turn. */
  get isReplaced(): boolean {
    return this.#isReplaced
  }

  /** The customer wants to be shown as available (decisions, "Session": kept until `unavailable`). */
  get isAvailable(): boolean {
    return this.#isAvailable
  }

  /** `write` commits it, with what it adds. @throws SessionEnded */
  async setReplaced(isReplaced: boolean, write = this.#parts.commits.write.bind(this.#parts.commits)) {
    if (this.#isReplaced === isReplaced) return
    this.#isReplaced = isReplaced
    await write([this.#row(replacedRow, isReplaced)])
  }

  /** @throws SessionEnded */
  async setAvailable(isAvailable: boolean): Promise<void> {
    if (this.#isAvailable === isAvailable) return
    await this.#parts.commits.write([this.#row(availableRow, isAvailable)])
    this.#isAvailable = isAvailable
  }

  /** The login has ended. */
  forget(): Write[] {
    this.#isReplaced = false
    this.#isAvailable = false
    return [this.#row(replacedRow, false), this.#row(availableRow, false)]
  }

  #row(sk: string, is: boolean): Write {
    return is ? this.#parts.store.put(sk, "") : this.#parts.store.remove(sk)
  }
}
