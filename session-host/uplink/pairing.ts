import { Condition } from "../concurrency/condition.ts"
import { now } from "#core/platform/clock.ts"

export interface Code {
  text: string
  /** Unix seconds. */
  expiresAt: number
}

/** A customer's wish to link a phone. An unpaired session dials only while it lasts. */
export class Pairing {
  readonly #lastsMs: number
  readonly #onOver: () => void
  readonly #changes = new Condition()
  #timer: NodeJS.Timeout | undefined
  #code: Code | undefined

  /** @param onOver called when nobody has asked for `lastsMs`. */
  constructor(lastsMs: number, onOver: () => void) {
    this.#lastsMs = lastsMs
    this.#onOver = onOver
  }

  get isAsked(): boolean {
    return this.#timer !== undefined
  }

  ask(lastsMs = this.#lastsMs): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.end()
      this.#onOver()
    }, lastsMs)
  }

  show(code: Code): void {
    this.#code = code
    this.#changes.notify()
  }

  /** The code shown was for a connection that is gone. */
  hide(): void {
    this.#code = undefined
  }

  /** The code to scan now, or the first one within `withinMs`. */
  async code(withinMs: number): Promise<Code | undefined> {
    return await this.#changes.until(
      () => (this.#code && this.#code.expiresAt > now() ? this.#code : undefined),
      withinMs,
    )
  }

  /** A phone is linked, or none is wanted any more. */
  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#code = undefined
  }
}
