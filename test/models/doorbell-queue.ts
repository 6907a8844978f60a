import { type Doorbell, names, type Part, resting, setDue } from "./doorbell-state.ts"

/** A hidden doorbell keeps the rest of its group from being received. */
export function receive(now: Doorbell, { step }: Part) {
  const { bells } = now
  if (bells.waiting === 0 || bells.resting + bells.abandoned > 0) return
  if (now.deliverers.some((one) => one.hasBell)) return
  const free = now.deliverers.findIndex((one) => one.at === "rest")
  if (free === -1) return
  step(`${names[free]} receives a doorbell`, (next) => {
    next.bells.waiting--
    next.deliverers[free] = { ...resting(), at: "claim", hasBell: true }
  })
}

/** The effect of time on `due`, `retry_at` and hidden doorbells. */
export function passTime(now: Doorbell, { step, fault }: Part) {
  const { left } = now
  const { due, overdue, waits } = now.delivery
  const { bells } = now
  if (waits)
    step("retry_at comes", (next) => {
      next.delivery.waits = false
    })
  if (bells.resting > 0)
    step("a resting doorbell shows again", (next) => {
      next.bells.resting--
      next.bells.waiting++
    })
  // The claim was made after the doorbell was received, but its 90 s end before the doorbell's 120 s.
  if (bells.abandoned > 0 && now.delivery.holder !== "dead")
    step("an abandoned doorbell shows again", (next) => {
      next.bells.abandoned--
      next.bells.waiting++
      next.bells.outlasts = "nothing"
    })
  if (left.lostBells > 0 && bells.resting > 0)
    fault("a resting doorbell is lost", (next) => {
      next.left.lostBells--
      next.bells.resting--
    })
  if (left.lostAbandoned > 0 && bells.abandoned > 0)
    fault("an abandoned doorbell is lost", (next) => {
      next.left.lostAbandoned--
      next.bells.abandoned--
      next.bells.outlasts = "nothing"
    })

  const isAlive = now.deliverers.some((one) => one.at !== "rest")
  const isWaiting = bells.abandoned === 0 && bells.waiting + bells.resting > 0
  const isBusy = isAlive || isWaiting || now.producer.at === "ring"
  const isHidden = (from: Doorbell["bells"]["outlasts"][]) =>
    bells.abandoned > 0 && from.includes(bells.outlasts)
  if (due === "passed" && !overdue && !isBusy && !isHidden(["nothing", "due"]))
    step("due has passed for a minute", (next) => {
      next.delivery.overdue = true
      next.bells.outlasts = "nothing"
    })

  // `retry_at` lies a minute before `due`. The sweep rings at once.
  if (due !== "ahead" || waits || now.sweepRings) return
  const pass = (next: Doorbell) => {
    setDue(next, "passed")
    if (bells.outlasts === "due") next.bells.outlasts = "nothing"
    if (next.delivery.holder === "dead") next.delivery.holder = "long dead"
  }
  if (!isBusy && !isHidden(["nothing"])) step("due passes", pass)
  // The queue or the deliverers are slow, or the producer's doorbell must be repeated.
  if (!isAlive && isBusy && left.slowBells > 0)
    for (const overdue of [false, true])
      fault(`due ${overdue ? "is long over" : "passes"} before a doorbell is heard`, (next) => {
        pass(next)
        next.delivery.overdue = overdue
        next.left.slowBells--
      })
  // A claim outlives its invocation, unless that stands still.
  if (isAlive && left.standstills > 0)
    fault("due passes while deliverers stand still", (next) => {
      pass(next)
      next.left.standstills--
      for (const one of next.deliverers) if (one.at !== "rest") one.overslept = true
    })
}
