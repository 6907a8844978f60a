import { setTimeout as sleep } from "node:timers/promises"

/** What `look` finds, as soon as it finds something. Bounded by the test's own time-out. */
export async function until<Found>(look: () => Promise<Found | undefined | false>): Promise<Found> {
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    await sleep(20)
  }
}
