import type { Random } from "#test/support/random.ts"
import type { Answer, Arrival } from "#test/support/service/start-receiver.ts"
import type { ReceiverFaults } from "./receiver-faults.ts"

/** How a receiver is away: it refuses everything for good, breaks, or ends connections. */
const ways = [404, 404, 503, "hangs up"] as const
type Way = (typeof ways)[number]

/** For how long it is there or away, ms. The waits between five attempts are those of production. */
const spans: Record<"there" | "away", [number, number]> = { there: [2000, 9000], away: [1500, 8000] }

interface Phase {
  /** Undefined: it is there. */
  way: Way | undefined
  untilMs: number
  /** Whether it is away for the next event alone. */
  isForOne: boolean
}

/** The answers of receivers, one for each webhook, that come and go by themselves, as their seed says. */
export function newComingAndGoing(random: Random): ReceiverFaults {
  const phases = new Map<string, Phase>()
  const refused = new Set<Arrival>()
  const final = new Set<Arrival>()
  let faulty = false
  let failing = false

  function phaseOf(to: string): Phase {
    const atMs = performance.now()
    const before = phases.get(to) ?? { way: "hangs up", untilMs: -Infinity, isForOne: false }
    if (before.untilMs > atMs) return before
    const isBack = before.way !== undefined
    const isForOne = !isBack && random.next() < 0.3
    const way = isBack ? undefined : random.pick([...ways])
    const span = isBack ? spans.there : spans.away
    const phase = { way, untilMs: atMs + random.between(...span), isForOne }
    phases.set(to, phase)
    return phase
  }

  function wayNow(to: string): Way | undefined {
    if (failing) {
      failing = false
      return 503
    }
    if (!faulty) return undefined
    const phase = phaseOf(to)
    if (phase.isForOne) phases.set(to, { ...phase, untilMs: -Infinity })
    return phase.way
  }

  return {
    answer: (arrival: Arrival): Answer => {
      const way = wayNow(arrival.bridge)
      if (way === undefined) return 200
      refused.add(arrival)
      if (way === 404) final.add(arrival)
      return way === "hangs up" ? (response) => response.socket?.destroy() : way
    },
    refused,
    final,
    failNext: () => void (failing = true),
    setFaulty: (now: boolean) => void (faulty = now),
  }
}
