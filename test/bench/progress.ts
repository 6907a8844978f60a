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
