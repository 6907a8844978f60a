import { RowTooLarge } from "../memory/rows.ts"
import type { End, Happening, Me } from "../network/happening.ts"

/** A connection from dialling to its end. */
export interface Lifetime {
  /** Whether the connection has logged in and has not ended. */
  readonly isOpen: boolean
  readonly isOver: boolean
  /** Emits a happening, unless the connection has ended. */
  emit(happening: Happening): void
  /** The connection has logged in. */
  open(me: Me): void
  /**
   * Ends the connection with `otherwise` unless `goesOn` is called in time. There is one such wait at a time.
   */
  mustGoOn(withinMs: number, otherwise: End): void
  /** The next step has come in time. */
  goesOn(): void
  /** Calls back at the end, before the end is emitted. The returned function removes the callback. */
  atEnd(release: () => void): () => void
  /** Ends the connection; further calls do nothing. Emits `closed` if a reason is given. */
  end(why?: End): void
}

/** Runs work of the session's memory for one connection. */
export type Guarded = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * The memory works for a connection only while that connection lives: a later write would overwrite those of
 * the next connection. When the memory fails, the connection is closed before Baileys hears of the failure.
 * Baileys would answer with a refusal, and a message that was refused never comes back. Baileys hears only of
 * a message that can never be kept.
 */
export function guardedBy(lifetime: Pick<Lifetime, "isOver" | "end">): Guarded {
  return async (work) => {
    if (lifetime.isOver) throw new Error("the connection has ended")
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof RowTooLarge)) lifetime.end({ reason: "lost", detail: "the store failed" })
      throw error
    }
  }
}

export function newLifetime(onHappening: (happening: Happening) => void): Lifetime {
  const releases = new Set<() => void>()
  let isOpen = false
  let isOver = false
  let watchdog: NodeJS.Timeout | undefined

  const lifetime: Lifetime = {
    get isOpen() {
      return isOpen && !isOver
    },
    get isOver() {
      return isOver
    },
    emit(happening) {
      if (!isOver) onHappening(happening)
    },
    open(me) {
      isOpen = true
      lifetime.emit({ kind: "open", me })
    },
    mustGoOn(withinMs, otherwise) {
      clearTimeout(watchdog)
      watchdog = setTimeout(() => lifetime.end(otherwise), withinMs)
    },
    goesOn() {
      clearTimeout(watchdog)
    },
    atEnd(release) {
      if (isOver) release()
      else releases.add(release)
      return () => releases.delete(release)
    },
    end(why) {
      if (isOver) return
      isOver = true
      clearTimeout(watchdog)
      for (const release of releases) release()
      releases.clear()
      if (why) onHappening({ kind: "closed", ...why })
    },
  }
  return lifetime
}
