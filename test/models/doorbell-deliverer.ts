import { type Deliverer, type Doorbell, names, type Part, resting, setDue } from "./doorbell-state.ts"

/** One invocation, from a received doorbell to its end: `functions/delivery`. */
export function deliver(now: Doorbell, i: 0 | 1, { rules, isFaultless, step, fault }: Part) {
  const me = now.deliverers[i]
  if (me.at === "rest") return
  const { delivery, left } = now
  const holds = !rules.holds || delivery.holder === names[i]
  const held = holds && delivery.head === me.head
  /** The next step with an event that it knows. */
  const known = rules.postsFirst ? "post" : "advance"
  const go = (label: string, at: Deliverer["at"], change?: (next: Doorbell) => void) =>
    step(`${names[i]} ${label}`, (next) => {
      change?.(next)
      next.deliverers[i].at = at
    })
  /** One update of the row, with its answer. It happens once; if the answer is lost, it is asked again. */
  const write = (
    label: string,
    at: Deliverer["at"],
    change: (next: Doorbell) => void,
    hear: (next: Doorbell) => void = () => {},
  ) => {
    go(label, at, (next) => {
      change(next)
      hear(next)
    })
    if (left.lostAnswers > 0)
      fault(`${names[i]} ${label}, but never hears of it`, (next) => {
        next.left.lostAnswers--
        change(next)
      })
  }
  /** The invocation ends well, so its doorbell is deleted. If it holds the row, it does so until its time is over. */
  const end = (label: string, change?: (next: Doorbell) => void) =>
    step(`${names[i]} ${label} and ends`, (next) => {
      change?.(next)
      leaveBehind(next, i)
      next.deliverers[i] = resting()
    })
  /** The invocation ends, and its doorbell returns when the event may be retried. */
  const rest = (label: string, change?: (next: Doorbell) => void) =>
    step(`${names[i]} ${label}, its doorbell rests`, (next) => {
      change?.(next)
      if (me.hasBell) next.bells.resting++
      next.deliverers[i] = resting()
    })
  const hold = (next: Doorbell) => {
    setDue(next, "ahead")
    next.delivery.holder = names[i]
    if (rules.claimWritesSince) next.delivery.since = true
    if (rules.countsFirst) next.delivery.attempt++
  }
  /** Takes over the row from an answer. */
  const hear = (next: Doorbell) => {
    const { head, attempt, resend } = next.delivery
    next.deliverers[i] = {
      ...next.deliverers[i],
      head,
      resend,
      attempt: attempt + (rules.countsFirst ? 0 : 1),
    }
  }
  const free = (next: Doorbell) => {
    setDue(next, "ahead")
    next.delivery.holder = "nobody"
    if (rules.countsFirst && rules.givesBack === "one") next.delivery.attempt--
    if (rules.givesBack === "all") next.delivery.attempt = 0
  }

  const settle = (next: Doorbell) => {
    next.delivery.resend--
    next.deliverers[i].resend--
  }

  switch (me.at) {
    case "claim":
      claim()
      break
    case "look":
      look()
      break
    case "post":
      go("posts, and that settles it", "advance", post)
      if (left.failures > 0)
        go("posts in vain", "fail", (next) => {
          post(next)
          next.left.failures--
        })
      if (left.shortOfTime > 0)
        go("is short of time", "pass on", (next) => {
          next.left.shortOfTime--
        })
      if (left.unready > 0 && held)
        fault(`${names[i]} cannot open what it is to post, and lets go`, (next) => {
          next.left.unready--
          free(next)
          if (me.hasBell) next.bells.abandoned++
          next.bells.outlasts = "nothing"
          next.deliverers[i] = resting()
        })
      break
    case "advance":
      advance()
      break
    case "count resend":
      if (!holds) end("has lost its claim")
      if (holds) go("counts the attempt of a resend", "post again", hear)
      break
    case "post again":
      go("posts an event once more", "settle resend")
      break
    case "settle resend":
      if (!holds) end("has lost its claim")
      if (holds) onward("has done with a resend", (label, at) => go(label, at, settle), me.head)
      break
    case "post late":
      go("posts what is marked already", "look", post)
      break
    case "fail":
      rest("records the failure", (next) => {
        if (!held) return
        setDue(next, "ahead")
        next.delivery.waits = true
        next.delivery.holder = "nobody"
        if (!rules.countsFirst) next.delivery.attempt++
      })
      break
    case "idle":
      idle()
      break
    case "look again":
      if (now.rows > me.head && rules.looksAgain) go("finds an event after all", "claim again")
      if (now.rows === me.head || !rules.looksAgain) end("has nothing to do")
      break
    case "claim again":
      if (delivery.due !== "none" || (rules.holds && delivery.holder !== "nobody"))
        end("leaves it to a doorbell that is coming")
      if (delivery.due === "none" && (!rules.holds || delivery.holder === "nobody"))
        write("claims again", "look", hold, hear)
      break
    case "pass on":
      if (holds) write("frees its claim", "ring", free)
      if (!holds && delivery.holder === "nobody") go("finds its claim freed", "ring")
      if (!holds && delivery.holder !== "nobody") end("has lost its claim")
      break
    case "ring":
      end("rings afresh", (next) => {
        next.bells.waiting++
      })
      break
  }
  fail()

  function claim() {
    if (rules.holds && delivery.holder === names[i]) return go("finds its own claim", "look", hear)
    const isFree = delivery.holder === "nobody" || delivery.due !== "ahead" || !rules.holds
    if (isFree && !delivery.waits) return write("claims", "look", hold, hear)
    if (delivery.waits && delivery.holder === "nobody") return rest("is too early")
    end("finds that somebody is looking")
  }

  /** A query for what follows `head`. A deliverer that reads after its time may read what others have delivered. */
  function look() {
    if (me.overslept && rules.mindsTime) return go("sees that its time is over", "pass on")
    const read = (next: Doorbell) => {
      next.deliverers[i].ahead = now.rows
    }
    if (now.rows > me.head) go("reads what waits", known, read)
    if (now.rows === me.head) go("finds nothing", me.resend > 0 ? "count resend" : "idle", read)
    if (left.halfSeen === 0) return
    for (let hidden = me.head + 1; hidden < now.rows; hidden++)
      fault(`${names[i]} reads what waits, but for ${hidden}`, (next) => {
        next.left.halfSeen--
        next.deliverers[i].at = rules.gapless && hidden === me.head + 1 ? "idle" : known
        next.deliverers[i].ahead = rules.gapless ? hidden - 1 : now.rows
        if (!rules.gapless && hidden === me.head + 1) next.deliverers[i].head = hidden
      })
  }

  /** The next step after an event or a resend: it knows the next event, or asks, or assumes that there is none. */
  function onward(label: string, to: (label: string, at: Deliverer["at"]) => void, head: number) {
    if (me.ahead > head) return to(label, known)
    to(`${label}, and asks for more`, "look")
    to(`${label}, which seems to be all`, "idle")
  }

  function post(next: Doorbell) {
    const { newest, attempt } = now.receiver
    const n = me.head + 1
    // A deliverer that stood still between its last look and its POST cannot be stopped.
    if (me.overslept && n <= newest) return
    if (n > newest + 1) next.harm = "out of order"
    if (n < newest) next.harm = "repeated"
    if (n === newest && me.attempt <= attempt) next.harm = "attempt used twice"
    if (n > newest && me.attempt !== 1 && isFaultless) next.harm ||= "first attempt is not 1"
    next.receiver = { newest: n, attempt: me.attempt }
  }

  function advance() {
    const change = (next: Doorbell) => {
      next.delivery = {
        ...next.delivery,
        head: me.head + 1,
        waits: false,
        attempt: rules.countsFirst ? 1 : 0,
      }
    }
    // It posts the event that it has just marked; its own head stays until then.
    if (held && !rules.postsFirst) return go("marks the event delivered", "post late", change)
    const isOwn = rules.knowsOwnAdvance && holds && delivery.head === me.head + 1
    if (!held && !isOwn) return end("has lost its claim")
    const on = (label: string, at: Deliverer["at"]) =>
      held ? write(`advances${label}`, at, change, hear) : go(`finds that it has advanced${label}`, at, hear)
    // This doorbell has been received a few times.
    if (me.attempt > 1) return on(" after some attempts", "pass on")
    if (delivery.resend > 0) return on("", "count resend")
    onward("", on, me.head + 1)
  }

  function idle() {
    if (!holds && rules.looksWhenRefused && !rules.idlesAtOnce)
      return go("may not say that nothing is due", "look again")
    if (!holds) return end("has lost its claim")
    const rested = (next: Doorbell) => {
      setDue(next, "none")
      next.delivery.holder = "nobody"
      next.delivery.since = false
      if (rules.idleForgets) next.delivery.attempt = 0
    }
    if (!rules.idlesAtOnce) return write("says that nothing is due", "look again", rested)
    if (now.rows > me.head)
      return go("may not say that nothing is due, and is told why", known, (next) => {
        next.deliverers[i].ahead = me.head + 1
      })
    if (rules.idlesWithoutResends && delivery.resend > 0)
      return go("is told of a resend", "count resend", hear)
    end("says that nothing is due, and nothing is,", rested)
  }

  function fail() {
    if (left.crashes > 0)
      fault(`${names[i]} dies`, (next) => {
        next.left.crashes--
        if (me.hasBell) {
          next.bells.abandoned++
          next.bells.outlasts = me.at === "claim" || me.overslept ? "overdue" : "due"
        }
        leaveBehind(next, i)
        next.deliverers[i] = resting()
      })
    if (left.bellsTwice > 0 && me.hasBell)
      fault(`the doorbell of ${names[i]} shows while it runs`, (next) => {
        next.left.bellsTwice--
        next.bells.waiting++
        next.deliverers[i].hasBell = false
      })
  }
}

/** The claim that an invocation leaves behind when it ends without freeing it. */
export function leaveBehind(next: Doorbell, i: 0 | 1) {
  if (next.delivery.holder === names[i])
    next.delivery.holder = next.delivery.due === "ahead" ? "dead" : "long dead"
}
