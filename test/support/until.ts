import { setTimeout as sleep } from "node:timers/promises"

type Nothing = undefined | false

/**
 * The result of `look`, as soon as it has one. What takes long is looked at less often: looks are requests,
 * which cost.
 * @throws Error after `withinMs`, by default before vitest ends the test; it names `what` it waited for.
 */
export async function until<Found>(
  look: () => Found | Nothing | Promise<Found | Nothing>,
  { what = String(look), withinMs = 50_000 }: { what?: string; withinMs?: number } = {},
): Promise<Found> {
  const end = performance.now() + withinMs
  for (let wait = 20; ; wait = Math.min(wait * 1.2, 100)) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`not seen in ${withinMs / 1000} s: ${what}`)
    await sleep(wait)
  }
}
