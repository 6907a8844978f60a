import { quantile } from "#test/support/quantile.ts"
import type { countDynamoDbUnits, DynamoDbUnits } from "./dynamodb-units.ts"
import type { Measured } from "./measure.ts"
import type { Fleets } from "./rest-and-recovery.ts"

const head = ["", "", "messages", "ms CPU each", "msg/s", "p50 ms", "p99 ms", "by process"]
const widths = [24, 14, 9, 12, 8, 9, 9]

export function printHead(): void {
  printRow(head)
}

export function printMeasured(scenario: string, side: string, measured: Measured): void {
  const { messages, cpu, cpuMs, networkMs, perSecond, p50Ms, p99Ms } = measured
  const byRole = [...cpu].map(([role, ms]) => `${role} ${ms.toFixed(2)}`).join(", ")
  const figures = [cpuMs.toFixed(2), perSecond.toFixed(0), p50Ms.toFixed(1), p99Ms.toFixed(1)]
  printRow([scenario, side, String(messages), ...figures, `${byRole} (network ${networkMs.toFixed(2)})`])
}

/** The DynamoDB units of a message, and the rows that take the write units. */
export function printUnits(units: Awaited<ReturnType<typeof countDynamoDbUnits>>): void {
  printUnitsOf("a text that comes in alone", units.alone)
  printUnitsOf("a text in a burst", units.burst)
  printUnitsOf("a send with an Idempotency-Key", units.out)
  printUnitsOf("the same, with the events that it was sent and delivered", units.followed)
}

function printUnitsOf(what: string, { writes, reads, requests, byRow, byRequest }: DynamoDbUnits): void {
  const [w, r] = [writes.toFixed(1), reads.toFixed(1)]
  console.log(`\n${what}: ${w} write units, ${r} read units, ${requests.toFixed(1)} requests`)
  for (const [row, each] of byRow) console.log(`${each.toFixed(1).padStart(8)} write units  ${row}`)
  for (const [row, each] of byRequest) console.log(`${each.toFixed(1).padStart(8)} requests  ${row}`)
}

/** What both sides need at rest, and their recovery times. */
export function printFleets({ ours, bare }: Fleets): void {
  console.log("\nresident memory, MB (shared pages divided)    bare    ours")
  for (const [when, { rss, pss }] of ours.memory) {
    const other = bare?.memory.get(when)
    const cells = [other?.rss, other?.pss, rss, pss].map((mb) => mb?.toFixed(0) ?? "-")
    console.log(`  ${when.padEnd(24)} ${cells[0]} (${cells[1]})  ${cells[2]} (${cells[3]})`)
  }
  const atRest = [bare, ours].map((side) => `${side?.atRestMs?.toFixed(1) ?? "-"} ms a second`)
  console.log(`processor time at rest: bare ${atRest[0]}, ours ${atRest[1]}`)
  console.log(`restart: bare ${seconds(bare?.restartSeconds)}, ours ${seconds(ours.restartSeconds)}`)
  const killed = ours.killedSeconds ?? []
  const [p50, all] = [quantile(killed, 0.5), Math.max(0, ...killed)]
  console.log(`a killed host: ${killed.length} bridges back, half in ${seconds(p50)}, all in ${seconds(all)}`)
}

function seconds(value?: number): string {
  return value === undefined ? "-" : `${value.toFixed(1)} s`
}

function printRow(cells: string[]): void {
  const left = 2
  const padded = cells.map((cell, i) =>
    i < left ? cell.padEnd(widths[i]!) : i < widths.length ? cell.padStart(widths[i]!) : `  ${cell}`,
  )
  console.log(padded.join(""))
}
