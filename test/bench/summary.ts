import type { Measured } from "./measure.ts"

/** What was measured, by side and part: `ours in-50`. */
export type Measurements = Map<string, Measured>

const cpu = (one: Measured) => one.cpuMs
const p50 = (one: Measured) => one.p50Ms

/** The last line of a run: what was not measured is `null`. */
export function summaryOf(measured: Measurements): Record<string, number | null> {
  const of = (side: string, part: string, figure: (one: Measured) => number) => {
    const one = measured.get(`${side} ${part}`)
    return one ? figure(one) : NaN
  }
  const ours = (part: string, figure: (one: Measured) => number) => rounded(of("ours", part, figure))
  /** Bare Baileys knows no keys: ours with one is beside it as it is. */
  const ratio = (part: string, figure: (one: Measured) => number, bare = part.replace("-key", "")) =>
    rounded(of("ours", part, figure) / of("bare", bare, figure))
  return {
    in_saturated_ratio: ratio("in-saturated-20", cpu),
    in_50_ratio: ratio("in-50", cpu),
    in_10_ratio: ratio("in-10", cpu),
    out_20x20_ratio: ratio("out-20x20-key", cpu),
    out_serial_ratio: ratio("out-serial-key", cpu),
    in_per_s_ratio: ratio("in-saturated-20", (one) => one.perSecond),
    in_p50_ms: ours("in-50", p50),
    send_p50_ms: ours("out-serial-key", p50),
    in_p50_ratio: ratio("in-50", p50),
    send_p50_ratio: ratio("out-serial-key", p50),
  }
}

/** To a thousandth; `null` for what is not known. */
function rounded(value: number): number | null {
  return Number.isFinite(value) ? Math.round(value * 1000) / 1000 : null
}
