import type { countDynamoDbUnits } from "./dynamodb-units.ts"
import type { Measured } from "./measure.ts"
import type { Fleet, Fleets } from "./rest-and-recovery.ts"

/** All the results of a run. */
export interface Results {
  /** By side and scenario: `ours in-50`. */
  measured: Map<string, Measured>
  units?: Awaited<ReturnType<typeof countDynamoDbUnits>>
  /** With five webhooks, of which one works as the others do or is dead. */
  webhooks?: Record<"healthy" | "dead", Measured>
  fleets?: Fleets
}

const cpu = (one: Measured) => one.cpuMs
const p50 = (one: Measured) => one.p50Ms

/** The last line of a run. A figure that was not measured is `null`. */
export function summaryOf({ measured, units, webhooks, fleets }: Results): Record<string, number | null> {
  const of = (side: string, scenario: string, figure: (one: Measured) => number) => {
    const one = measured.get(`${side} ${scenario}`)
    return one ? figure(one) : NaN
  }
  const ours = (scenario: string, figure: (one: Measured) => number) => rounded(of("ours", scenario, figure))
  /** Bare Baileys knows no keys: ours with one is beside it as it is. */
  const ratio = (scenario: string, figure: (one: Measured) => number, bare = scenario.replace("-key", "")) =>
    rounded(of("ours", scenario, figure) / of("bare", bare, figure))
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
    in_p99_200_ratio: ratio("in-200-20", (one) => one.p99Ms),
    send_p50_ratio: ratio("out-serial-key", p50),
    write_units_in: rounded(units?.alone.writes),
    write_units_in_burst: rounded(units?.burst.writes),
    write_units_out: rounded(units?.out.writes),
    requests_in: rounded(units?.alone.requests),
    dead_webhook_p99_ratio: rounded((webhooks?.dead.p99Ms ?? NaN) / (webhooks?.healthy.p99Ms ?? NaN)),
    rss_100_ratio: rounded(rss(fleets?.ours) / rss(fleets?.bare)),
    restart_100_s: rounded(fleets?.ours.restartSeconds),
    restart_100_ratio: rounded((fleets?.ours.restartSeconds ?? NaN) / (fleets?.bare?.restartSeconds ?? NaN)),
  }
}

function rss(fleet: Fleet | undefined): number {
  return fleet?.memory.get("100")?.rss ?? NaN
}

/** Rounded to a thousandth; `null` for an unknown figure. */
function rounded(value = NaN): number | null {
  return Number.isFinite(value) ? Math.round(value * 1000) / 1000 : null
}
