/** `npm run neighbours`: what one account's misbehaviour costs another, in the tail of its latencies. */
import { misbehave } from "./bully.ts"
import { ordinaryLife } from "./neighbour.ts"
import { startStreet } from "./street.ts"

const [seconds = 25, floodPerSecond = 200] = process.argv.slice(2).map(Number)
const street = await startStreet()
try {
  const { neighbour, chat } = street
  const life = { chat, forMs: seconds * 1000, everyMs: 300 }
  // What is done for the first time takes longer.
  await ordinaryLife(neighbour, { ...life, forMs: 5000 })
  const quiet = await ordinaryLife(neighbour, life)
  const stop = misbehave(street.service, street.bully, { floodPerSecond })
  const noisy = await ordinaryLife(neighbour, life)
  const bully = await stop()
  const ratio = Number((noisy.p99Ms / quiet.p99Ms).toFixed(2))
  console.log(JSON.stringify({ quiet, noisy, p99_ratio: ratio, bully, flood_per_second: floodPerSecond }))
  process.exitCode = noisy.failed.length > 0 ? 1 : 0
} finally {
  await street.stop()
}
