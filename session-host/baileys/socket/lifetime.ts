import type { End, Happening, Me } from "#session-host/network/connection.ts"

/** A connection from dialling to its end. */
export interface Lifetime {
  /** Logged in, and not over. */
  readonly isOpen: boolean
  readonly isOver: boolean
  /** Nothing is told after the end. */
  tell(happening: Happening): void
  /** Logged in. */
  open(me: Me): void
  /** Ends it so unless it goes on in time. One such wait at a time. */
  mustGoOn(withinMs: number, otherwise: End): void
  /** What was waited for has come. */
  goesOn(): void
  /** Calls back at the end, before that is told; what it returns takes that back. */
  atEnd(release: () => void): () => void
  /** Once. Told as `closed` if there is anything to tell. */
  end(why?: End): void
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
    tell(happening) {
      if (!isOver) onHappening(happening)
    },
    open(me) {
      isOpen = true
      lifetime.tell({ kind: "open", me })
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
