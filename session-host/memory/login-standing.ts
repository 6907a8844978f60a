import { z } from "zod"
import { RestrictionKind } from "#contract/status-and-objection.ts"
import { now, nowMs } from "#core/platform/clock.ts"
import { newTurns } from "#core/platform/locks.ts"
import type { Restriction } from "../network/happening.ts"
import type { Commits } from "./commits.ts"
import type { UnitWrite } from "./next-batch.ts"
import type { SessionStore, Stored } from "./rows.ts"

const replacedRow = "REPLACED"
const availableRow = "AVAILABLE"
const restrictedRow = "RESTRICTED"
const shownRow = "SHOWN"
/** The keys of the rows that hold a login's standing. */
export const standingRows = [replacedRow, availableRow, restrictedRow, shownRow]

const Restrictions = z.array(z.object({ kind: RestrictionKind, until: z.number() }))

interface StandingParts {
  store: SessionStore
  commits: Pick<Commits, "write">
}

/** A login's standing. It is durable until the login ends, so every later host of the bridge knows it. */
export class LoginStanding {
  readonly #parts: StandingParts
  readonly #inTurn = newTurns()
  #isReplaced: boolean
  #isAvailable: boolean
  #shownMs: number | undefined
  #restrictions: Restriction[]

  /** @param rows those of `standingRows` that exist. */
  constructor(parts: StandingParts, rows: Stored[]) {
    this.#parts = parts
    this.#isReplaced = rows.some(({ sk }) => sk === replacedRow)
    this.#isAvailable = rows.some(({ sk }) => sk === availableRow)
    const shown = rows.find(({ sk }) => sk === shownRow)
    this.#shownMs = shown && Number(shown.secret.toString())
    const restricted = rows.find(({ sk }) => sk === restrictedRow)
    this.#restrictions = restricted ? Restrictions.parse(JSON.parse(restricted.secret.toString())) : []
  }

  /**
   * Whether another device has taken the login over. If this session connected, it would throw that device
   * out, and be thrown out in turn.
   */
  get isReplaced(): boolean {
    return this.#isReplaced
  }

  /**
   * Whether the customer wants the account to be shown as available (Contract, "Presence": kept until
   * `unavailable`).
   */
  get isAvailable(): boolean {
    return this.#isAvailable
  }

  /**
   * When the account was last shown as available, or was linked, in Unix milliseconds; undefined while
   * neither has been written.
   */
  get shownMs(): number | undefined {
    return this.#isAvailable ? nowMs() : this.#shownMs
  }

  /**
   * Notes this moment as the one when the account was last shown as available, or was linked.
   * @throws SessionEnded
   */
  async noteShown(): Promise<void> {
    this.#shownMs = nowMs()
    await this.#parts.commits.write([this.#parts.store.put(shownRow, String(this.#shownMs))])
  }

  /** The limits that hold now, the strictest first. */
  get restrictions(): Restriction[] {
    return this.#restrictions.filter(({ until }) => until === 0 || until > now())
  }

  /** @throws SessionEnded */
  async setRestriction(restriction: Restriction, isOn: boolean): Promise<void> {
    const others = this.restrictions.filter(({ kind }) => kind !== restriction.kind)
    this.#restrictions = (isOn ? [...others, restriction] : others).toSorted((a, b) =>
      a.kind < b.kind ? -1 : 1,
    )
    const { store, commits } = this.#parts
    const isAny = this.#restrictions.length > 0
    await commits.write([
      isAny ? store.put(restrictedRow, JSON.stringify(this.#restrictions)) : store.remove(restrictedRow),
    ])
  }

  /**
   * @param write commits the change together with writes of its own, and may wait before that
   * @throws SessionEnded
   */
  async setReplaced(isReplaced: boolean, write = this.#parts.commits.write.bind(this.#parts.commits)) {
    await this.#inTurn(async () => {
      if (this.#isReplaced === isReplaced) return
      this.#isReplaced = isReplaced
      await write([this.#row(replacedRow, isReplaced)])
    })
  }

  /** @throws SessionEnded */
  async setAvailable(isAvailable: boolean): Promise<void> {
    if (this.#isAvailable === isAvailable) return
    await this.#parts.commits.write([this.#row(availableRow, isAvailable)])
    if (!isAvailable) await this.noteShown()
    this.#isAvailable = isAvailable
  }

  /** Resets the standing when the login has ended. @returns the writes that remove its rows */
  forget(): UnitWrite[] {
    this.#isReplaced = false
    this.#isAvailable = false
    this.#shownMs = undefined
    this.#restrictions = []
    return standingRows.map((sk) => this.#row(sk, false))
  }

  #row(sk: string, is: boolean): UnitWrite {
    return is ? this.#parts.store.put(sk, "") : this.#parts.store.remove(sk)
  }
}
