import type { Random } from "#test/support/random.ts"
import type { Answer, Arrival } from "#test/support/service/start-receiver.ts"
import { deadWebhook, slowWebhook } from "../cluster/linked-cluster.ts"

/** Bad answers to a share of the deliveries. The others are answered with 200. */
const faults: { share: number; answer: Answer }[] = [
  { share: 0.004, answer: 500 },
  { share: 0.002, answer: 429 },
  { share: 0.002, answer: (response) => response.socket?.destroy() },
  { share: 0.002, answer: (response) => void setTimeout(() => response.socket?.destroy(), 1500) },
]

/** The answers of a receiver that fails now and then, as its seed says. */
export function newReceiverFaults(random: Random) {
  const refused = new Set<Arrival>()
  let faulty = false
  let failing = false

  function answerNow(to: string): Answer {
    if (faulty && to.endsWith(deadWebhook)) return 500
    if (to.endsWith(slowWebhook)) return (response) => void setTimeout(() => response.end(), 300)
    const roll = random.next()
    if (failing) {
      failing = false
      return 500
    }
    let share = 0
    const fault = faulty && faults.find((one) => roll < (share += one.share))
    return fault ? fault.answer : 200
  }

  return {
    answer: (arrival: Arrival): Answer => {
      const answer = answerNow(arrival.bridge)
      const isTaken = answer === 200 || arrival.bridge.endsWith(slowWebhook)
      if (!isTaken) refused.add(arrival)
      return answer
    },
    /** The arrivals that were not answered with success; the list grows. */
    refused,
    /** Those that were refused for good; the list grows. */
    final: new Set<Arrival>(),
    /** The next delivery is answered with 500. */
    failNext: () => {
      failing = true
    },
    /** Whether it fails now and then. */
    setFaulty: (now: boolean) => {
      faulty = now
    },
  }
}
export type ReceiverFaults = ReturnType<typeof newReceiverFaults>
