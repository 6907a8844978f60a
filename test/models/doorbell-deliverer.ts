import { type Deliverer, type Doorbell, names, type Part, resting, setDue } from "./doorbell-state.ts"

/** One invocation, from a received doorbell to its end: `functions/delivery`. */
export function deliver(now: Doorbell, i: 0 | 1, { rules, step, fault }: Part) {
  const me = now.deliverers[i]
  if (me.at === "rest") return
  const { delivery, left } = now
  const holds = !rules.holds || delivery.holder === names[i]
  const held = holds && delivery.head === me.head
  const go = (label: string, at: Deliverer["at"], change?: (next: Doorbell) => void) =>
    step(`${names[i]} ${label}`, (next) => {
      change?.(next)
      next.deliverers[i].at = at
    })
  /** One update of the row: done once, but perhaps asked for again, and then judged by what it did itself. */
  const write = (label: string, at: Deliverer["at"], change: (next: Doorbell) => void) => {
    go(label, at, change)
    if (left.lostAnswers > 0)
      fault(`${names[i]} ${label}, but never hears of it`, (next) => {
        next.left.lostAnswers--
        change(next)
      })
  }
  /** The invocation ends well, so its doorbell is deleted. What it may hold, it holds until its time is over. */
  const end = (label: string, change?: (next: Doorbell) => void) =>
    step(`${names[i]} ${label} and ends`, (next) => {
      change?.(next)
      leaveBehind(next)
      next.deliverers[i] = resting()
    })
  /** The invocation ends, and its doorbell comes back when the event may be tried again. */
  const rest = (label: string, change?: (next: Doorbell) => void) =>
    step(`${names[i]} ${label}, its doorbell rests`, (next) => {
      change?.(next)
      if (me.hasBell) next.bells.resting++
      next.deliverers[i] = resting()
    })
  const leaveBehind = (next: Doorbell) => {
    if (next.delivery.holder === names[i])
      next.delivery.holder = next.delivery.due === "ahead" ? "dead" : "long dead"
  }
  const hold = (next: Doorbell) => {
    setDue(next, "ahead")
    next.delivery.holder = names[i]
    next.deliverers[i] = { ...me, head: delivery.head, attempt: 0, resend: delivery.resend }
  }

  switch (me.at) {
    case "claim":
      claim()
      break
    case "look":
      if (now.rows > me.head) {
        go("finds the next event", rules.countsFirst ? "count" : "post")
        if (left.shortOfTime > 0)
          go("finds the next event and is short of time", "pass on", (next) => {
            next.left.shortOfTime--
          })
      }
      if (now.rows === me.head) go("finds nothing", me.resend > 0 ? "count resend" : "idle")
      break
    case "count":
      if (!held) end("has lost its claim")
      if (held)
        write("counts the attempt", rules.postsFirst ? "post" : "advance", (next) => {
          next.delivery.attempt++
          next.deliverers[i].attempt = delivery.attempt + 1
          next.deliverers[i].resend = delivery.resend
        })
      break
    case "post":
      go("posts, and that settles it", "advance", post)
      if (left.failures > 0)
        go("posts in vain", "fail", (next) => {
          post(next)
          next.left.failures--
        })
      break
    case "advance":
      advance()
      break
    case "count resend":
      if (!holds) end("has lost its claim")
      if (holds) go("counts the attempt of a resend", "post again")
      break
    case "post again":
      go("posts an event once more", "settle resend")
      break
    case "settle resend":
      if (!holds) end("has lost its claim")
      if (holds)
        go("has done with a resend", "look", (next) => {
          next.delivery.resend--
          next.deliverers[i].resend--
        })
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
      })
      break
    case "idle":
      if (!holds && rules.looksWhenRefused && !rules.idlesAtOnce)
        go("may not say that nothing is due", "look again")
      if (!holds && !(rules.looksWhenRefused && !rules.idlesAtOnce)) end("has lost its claim")
      if (holds && rules.idlesAtOnce) {
        const isWanted = rules.idlesWithoutResends && delivery.resend > 0
        if (now.rows > me.head) go("may not say that nothing is due", "look")
        if (now.rows === me.head && isWanted)
          go("is told of a resend", "look", (next) => {
            next.deliverers[i].resend = delivery.resend
          })
        if (now.rows === me.head && !isWanted)
          end("says that nothing is due, and nothing is,", (next) => {
            setDue(next, "none")
            next.delivery.holder = "nobody"
          })
      }
      if (holds && !rules.idlesAtOnce)
        write("says that nothing is due", "look again", (next) => {
          setDue(next, "none")
          next.delivery.holder = "nobody"
        })
      break
    case "look again":
      if (now.rows > me.head && rules.looksAgain) go("finds an event after all", "claim again")
      if (now.rows === me.head || !rules.looksAgain) end("has nothing to do")
      break
    case "claim again":
      if (delivery.due !== "none" || (rules.holds && delivery.holder !== "nobody"))
        end("leaves it to a doorbell that is coming")
      if (delivery.due === "none" && (!rules.holds || delivery.holder === "nobody"))
        write("claims again", "look", hold)
      break
    case "pass on":
      if (!holds) end("has lost its claim")
      if (holds)
        write("frees its claim", "ring", (next) => {
          setDue(next, "ahead")
          next.delivery.holder = "nobody"
        })
      break
    case "ring":
      end("rings afresh", (next) => {
        next.bells.waiting++
      })
      break
  }
  fail()

  function claim() {
    if (rules.holds && delivery.holder === names[i]) return go("finds its own claim", "look")
    const isFree = delivery.holder === "nobody" || delivery.due !== "ahead" || !rules.holds
    if (isFree && !delivery.waits) return write("claims", "look", hold)
    if (delivery.waits && delivery.holder === "nobody") return rest("is too early")
    end("finds that somebody is looking")
  }

  function post(next: Doorbell) {
    const { newest, attempt } = now.receiver
    const n = me.head + 1
    // Whoever stood still between its last look and its POST cannot be called back.
    if (me.overslept && n <= newest) return
    if (n > newest + 1) next.harm = "out of order"
    if (n < newest) next.harm = "repeated"
    if (n === newest && me.attempt <= attempt) next.harm = "attempt used twice"
    next.receiver = { newest: n, attempt: me.attempt }
  }

  function advance() {
    if (!held) return end("has lost its claim")
    const on = (label: string, at: Deliverer["at"]) =>
      go(label, at, (next) => {
        Object.assign(next.delivery, { head: me.head + 1, attempt: 0, waits: false })
        // It posts the one that it has just marked: its own head stays until then.
        if (rules.postsFirst) next.deliverers[i].head = me.head + 1
      })
    if (!rules.postsFirst) return on("marks the event delivered", "post late")
    // This doorbell has been received a few times.
    if (me.attempt > 1) return on("advances after some attempts", "pass on")
    on("advances", me.resend > 0 ? "count resend" : "look")
  }

  function fail() {
    if (left.crashes > 0)
      fault(`${names[i]} dies`, (next) => {
        next.left.crashes--
        if (me.hasBell) {
          next.bells.abandoned++
          next.bells.outlasts = me.at === "claim" || me.overslept ? "overdue" : "due"
        }
        leaveBehind(next)
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
