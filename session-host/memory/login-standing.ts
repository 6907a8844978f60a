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
/**
 * There if another program had the login before (`admin import`). Its secret: when the login was first open
 * here, Unix ms; empty before that.
 */
export const movedInRow = "MOVED-IN"
/** The keys of the rows that hold a login's standing. */
export const standingRows = [replacedRow, availableRow, restrictedRow, shownRow, movedInRow]

/** Who takes over a login within this time after it has moved in is the program that had it before, in ms. */
const watchedMs = 5 * 60_000
/** What the row of a replaced login says then. */
const byFormer = "former"

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
  #isByFormer: boolean
  /** When it was first open here; 0 before that; undefined: it was linked here. */
  #movedInMs: number | undefined
  #isAvailable: boolean
  #shownMs: number | undefined
  #restrictions: Restriction[]

  /** @param rows those of `standingRows` that exist. */
  constructor(parts: StandingParts, rows: Stored[]) {
    this.#parts = parts
    const replaced = rows.find(({ sk }) => sk === replacedRow)
    this.#isReplaced = replaced !== undefined
    this.#isByFormer = replaced?.secret.toString() === byFormer
    const movedIn = rows.find(({ sk }) => sk === movedInRow)
    this.#movedInMs = movedIn && Number(movedIn.secret.toString())
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

  /** Whether it is the gateway that had this login before which has taken it over: that one still runs. */
  get isReplacedByFormer(): boolean {
    return this.#isReplaced && this.#isByFormer
  }

  /** Notes that the login is open. @throws SessionEnded */
  async noteOpen(): Promise<void> {
    if (this.#movedInMs !== 0) return
    this.#movedInMs = nowMs()
    await this.#parts.commits.write([this.#parts.store.put(movedInRow, String(this.#movedInMs))])
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
      this.#isByFormer = isReplaced && this.isWatched
      const { store } = this.#parts
      await write([
        isReplaced ? store.put(replacedRow, this.#isByFormer ? byFormer : "") : store.remove(replacedRow),
      ])
    })
  }

  /** @throws SessionEnded */
  async setAvailable(isAvailable: boolean): Promise<void> {
    if (this.#isAvailable === isAvailable) return
    await this.#parts.commits.write([this.#row(availableRow, isAvailable)])
    if (!isAvailable) await this.noteShown()
    this.#isAvailable = isAvailable
  }

  /** Whether the login has moved in, and was first open here a few minutes ago at most. */
  get isWatched(): boolean {
    const openMs = this.#movedInMs
    return openMs === 0 || (openMs !== undefined && nowMs() - openMs < watchedMs)
  }

  /** Resets the standing when the login has ended. @returns the writes that remove its rows */
  forget(): UnitWrite[] {
    this.#isReplaced = false
    this.#movedInMs = undefined
    this.#isAvailable = false
    this.#shownMs = undefined
    this.#restrictions = []
    return standingRows.map((sk) => this.#row(sk, false))
  }

  #row(sk: string, is: boolean): UnitWrite {
    return is ? this.#parts.store.put(sk, "") : this.#parts.store.remove(sk)
  }
}
