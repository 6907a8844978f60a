import type { Side } from "./sides/side.ts"

const everyMs = 5000
const started = performance.now()
let last = 0

/** Says on the error output what is being done, with the seconds since the start. */
export function say(what: string): void {
  last = performance.now()
  console.error(`${((last - started) / 1000).toFixed(1).padStart(7)} s  ${what}`)
}

/** The same for what is called often: not each time. */
export function sayNowAndThen(what: string): void {
  if (performance.now() - last > everyMs) say(what)
}

/** Links bridges until a side has so many, and says so. */
export async function linkTo(side: Side, bridges: number): Promise<void> {
  if (side.lines.length >= bridges) return
  const linked = (count: number) => sayNowAndThen(`${side.name}: ${count} of ${bridges} bridges are linked`)
  await side.link(bridges, linked)
  say(`${side.name}: ${bridges} bridges are linked`)
}
