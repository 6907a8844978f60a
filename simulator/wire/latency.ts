/** Hands things on after a delay, in the order they came, whatever the delay of each. */
export function latency<T>(handOn: (thing: T) => void) {
  const waiting: { thing: T; due: number }[] = []

  const release = () => {
    while (waiting[0] && waiting[0].due <= performance.now()) handOn(waiting.shift()!.thing)
    // A timer may fire a little early.
    if (waiting[0]) setTimeout(release, Math.max(1, waiting[0].due - performance.now())).unref()
  }
  return (thing: T, ms: number) => {
    if (ms === 0 && waiting.length === 0) return handOn(thing)
    const due = Math.max(performance.now() + ms, waiting.at(-1)?.due ?? 0)
    waiting.push({ thing, due })
    if (waiting.length === 1) release()
  }
}
