import type { Measured } from "./measure.ts"

const head = ["", "", "messages", "ms CPU each", "msg/s", "p50 ms", "p99 ms", "by process"]
const widths = [24, 14, 9, 12, 8, 9, 9]

export function printHead(): void {
  printRow(head)
}

export function printMeasured(part: string, side: string, measured: Measured): void {
  const { messages, cpu, cpuMs, networkMs, perSecond, p50Ms, p99Ms } = measured
  const byRole = [...cpu].map(([role, ms]) => `${role} ${ms.toFixed(2)}`).join(", ")
  const figures = [cpuMs.toFixed(2), perSecond.toFixed(0), p50Ms.toFixed(1), p99Ms.toFixed(1)]
  printRow([part, side, String(messages), ...figures, `${byRole} (network ${networkMs.toFixed(2)})`])
}

function printRow(cells: string[]): void {
  const left = 2
  const padded = cells.map((cell, i) =>
    i < left ? cell.padEnd(widths[i]!) : i < widths.length ? cell.padStart(widths[i]!) : `  ${cell}`,
  )
  console.log(padded.join(""))
}
