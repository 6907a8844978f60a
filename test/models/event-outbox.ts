import type { Model } from "./explore.ts"

/**
 * Event rows as a deliverer finds them. A commit holds several rows. Reads are read-committed, so another reader may
 * see the rows of one commit appear in any order. An owner that takes over continues the numbering; delivered rows
 * expire.
 */
interface Outbox {
  /** The state of each row, by number from 1. */
  rows: Row[]
  head: number
  /** How many events were lost: their rows were overwritten or skipped. */
  lost: number
  takeOvers: number
  /** The number of the owner's next event. */
  nextNumber: number
}

/** `half` is committed, but not visible yet. */
type Row = "absent" | "half" | "visible" | "delivered" | "expired"

type Harm = "lost event" | "stays for ever"

export interface Reads {
  /** The deliverer asks for exactly `head + 1`, not for the first row above `head`. */
  exactly: boolean
  /** A new owner goes on after the greater of the last row and `head`, not after the last row. */
  afterHead: boolean
  /** A new owner starts only when no commit of the old one is half visible any more. */
  afterCommits: boolean
}

/** The number of rows in each commit; together they are all events. */
const commits = [3, 2]
const events = 5

export function outbox(reads: Reads, takeOvers: number): Model<Outbox, Harm> {
  return {
    start: { rows: Array<Row>(events + 1).fill("absent"), head: 0, lost: 0, takeOvers, nextNumber: 1 },
    stuck: "stays for ever",
    settled: (now) => now.rows.every((row) => row !== "half" && row !== "visible"),
    harm: (now) => (now.lost > 0 ? "lost event" : undefined),
    next: (now, step, fault) => {
      const isFresh = now.rows.every((row) => row === "absent")
      const size = commits[isFresh ? 0 : 1]!
      const end = now.nextNumber + size
      if (end <= now.rows.length)
        step(`owner commits ${now.nextNumber} to ${end - 1}`, (next) => {
          for (let n = now.nextNumber; n < end; n++) {
            // A number at or below head is never asked for.
            if (now.rows[n] !== "absent" || n <= now.head) next.lost++
            next.rows[n] = "half"
          }
          next.nextNumber = end
        })

      for (const [n, row] of now.rows.entries()) {
        if (row === "half")
          step(`row ${n} becomes visible`, (next) => {
            next.rows[n] = "visible"
          })
        if (row === "delivered")
          step(`row ${n} expires`, (next) => {
            next.rows[n] = "expired"
          })
      }

      const found = reads.exactly
        ? now.rows[now.head + 1] === "visible" && now.head + 1
        : now.rows.findIndex((row, n) => n > now.head && row === "visible")
      if (found && found > 0)
        step(`deliverer delivers ${found}`, (next) => {
          next.rows[found] = "delivered"
          next.head = found
        })
      // A row below head is never looked at again.
      if (now.rows.some((row, n) => n < now.head && row === "visible"))
        step("a row stays behind", (next) => {
          next.lost++
        })

      const isHalf = now.rows.includes("half")
      if (now.takeOvers > 0 && !(reads.afterCommits && isHalf))
        fault("another owner takes over", (next) => {
          const last = now.rows.findLastIndex((row) => row === "visible" || row === "delivered")
          next.takeOvers--
          next.nextNumber = 1 + Math.max(0, last, reads.afterHead ? now.head : 0)
        })
    },
  }
}
