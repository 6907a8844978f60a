import type { Model } from "./explore.ts"

/** The model of what `due` replaced: a plain flag "failing, do not ring", which the deliverer clears when it looks. */
interface Blocked {
  rows: number
  head: number
  blocked: boolean
  bells: number
  producer: "append" | "read" | "ring"
  deliverer: "rest" | "clear" | "look" | "post" | "retry later"
  left: { failures: number; lostBells: number }
}

/** @param input.maxBells no more doorbells than this may wait for one bridge. */
export function doorbellBeforeDue(input: {
  events: number
  failures: number
  lostBells: number
  maxBells: number
}): Model<Blocked, "lost wake-up" | "too many doorbells"> {
  return {
    start: {
      rows: 0,
      head: 0,
      blocked: false,
      bells: 0,
      producer: "append",
      deliverer: "rest",
      left: { failures: input.failures, lostBells: input.lostBells },
    },
    stuck: "lost wake-up",
    settled: (now) => now.head === now.rows,
    harm: (now) => (now.bells > input.maxBells ? "too many doorbells" : undefined),
    next: (now, step, fault) => {
      if (now.producer === "append" && now.rows < input.events)
        step("producer appends an event", (next) => {
          next.rows++
          next.producer = "read"
        })
      if (now.producer === "read")
        step("producer reads the flag", (next) => {
          next.producer = now.blocked ? "append" : "ring"
        })
      if (now.producer === "ring")
        step("producer rings", (next) => {
          next.bells++
          next.producer = "append"
        })

      if (now.deliverer === "rest" && now.bells > 0)
        step("deliverer receives a doorbell", (next) => {
          next.bells--
          next.deliverer = "clear"
        })
      if (now.deliverer === "clear")
        step("deliverer clears the flag", (next) => {
          next.blocked = false
          next.deliverer = "look"
        })
      if (now.deliverer === "look")
        step("deliverer looks", (next) => {
          next.deliverer = now.rows > now.head ? "post" : "rest"
        })
      if (now.deliverer === "post") {
        step("deliverer posts and advances", (next) => {
          next.head++
          next.deliverer = "look"
        })
        if (now.left.failures > 0)
          fault("deliverer posts in vain and raises the flag", (next) => {
            next.left.failures--
            next.blocked = true
            next.deliverer = "retry later"
          })
      }
      if (now.deliverer === "retry later") {
        step("the doorbell shows again", (next) => {
          next.deliverer = "clear"
        })
        if (now.left.lostBells > 0)
          fault("the doorbell is lost", (next) => {
            next.left.lostBells--
            next.deliverer = "rest"
          })
      }

      const isIdle = now.deliverer === "rest" && now.bells === 0
      if (now.rows > now.head && isIdle && !now.blocked)
        step("sweep rings", (next) => {
          next.bells++
        })
    },
  }
}
