import { setTimeout as sleep } from "node:timers/promises"

/** What `look` finds once it finds something. @throws Error `what` when that takes longer than `withinMs`. */
export async function eventually<Found>(
  what: string,
  look: () => Found | undefined | false | Promise<Found | undefined | false>,
  withinMs = 180_000,
): Promise<Found> {
  const until = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > until) throw new Error(`not seen in ${withinMs / 1000} s: ${what}`)
    await sleep(50)
  }
}
