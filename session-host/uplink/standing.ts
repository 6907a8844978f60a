import type { Commits, UnitWrite } from "../memory/commits.ts"
import type { SessionStore, Stored } from "../memory/store.ts"

const replacedRow = "REPLACED"
const availableRow = "AVAILABLE"
/** The keys of the rows that hold a login's standing. */
export const standingRows = [replacedRow, availableRow]

interface Parts {
  store: SessionStore
  commits: Pick<Commits, "write">
}

/** A login's standing, whichever host holds the bridge: durable, until the login ends. */
export class Standing {
  readonly #parts: Parts
  #isReplaced: boolean
  #isAvailable: boolean

  /** @param rows those of `standingRows` that exist. */
  constructor(parts: Parts, rows: Stored[]) {
    this.#parts = parts
    this.#isReplaced = rows.some(({ sk }) => sk === replacedRow)
    this.#isAvailable = rows.some(({ sk }) => sk === availableRow)
  }

  /** Another place has taken the login over. Connecting would throw it out again, and be thrown out in turn. */
  get isReplaced(): boolean {
    return this.#isReplaced
  }

  /** The customer wants to be shown as available (Contract, "Presence": kept until `unavailable`). */
  get isAvailable(): boolean {
    return this.#isAvailable
  }

  /** `write` commits the change, together with its own writes. @throws SessionEnded */
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
  forget(): UnitWrite[] {
    this.#isReplaced = false
    this.#isAvailable = false
    return [this.#row(replacedRow, false), this.#row(availableRow, false)]
  }

  #row(sk: string, is: boolean): UnitWrite {
    return is ? this.#parts.store.put(sk, "") : this.#parts.store.remove(sk)
  }
}
