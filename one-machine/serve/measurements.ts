import { Counter, Gauge, Histogram, Registry, type OpenMetricsContentType } from "prom-client"
import { z } from "zod"
import { Metrics } from "#core/platform/metrics.ts"

/** Upper bounds of times, in ms. */
const buckets = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 15_000, 60_000, 120_000, 600_000]

/** A metric's values within one minute. */
export interface Minute {
  sum: number
  count: number
  maximum: number
}

const Line = z.looseObject({
  _aws: z.unknown().optional(),
  service: z.string(),
  stage: z.string(),
  hostId: z.string().optional(),
})

/**
 * For how long a host's latest value is shown, in ms. Hosts measure each minute, and say nothing when they
 * are gone.
 */
const shownMs = 150_000

/**
 * What the processes of one machine measure, for Prometheus and for the alerts: the same metrics that
 * CloudWatch gets on AWS. Session hosts write theirs as lines here, too.
 */
export class Measurements {
  readonly #registry = new Registry<OpenMetricsContentType>()
  readonly #known = new Map<string, (value: number, hostId: string | undefined) => void>()
  readonly #gauges = new Map<string, Gauge>()
  readonly #alarm = new Gauge({
    name: "bridge_alarm",
    help: "1 if it rings (docs/operations.md)",
    labelNames: ["alarm"],
    registers: [this.#registry],
  })
  /** The gauges of hosts, by the host, and when it last reported. */
  readonly #hosts = new Map<string, { atMs: number; gauges: Set<Gauge> }>()
  #minute = new Map<string, Minute>()

  constructor() {
    this.#registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
    // Each count is made before its first value: one that began with that value would seem never to have
    // risen.
    for (const name of Metrics.names) this.#known.set(name, this.#taker(name))
  }

  /** Takes what was measured, by the session host of this id or by the service itself. */
  add(values: Metrics.Values, hostId?: string): void {
    for (const [name, all] of Object.entries(values))
      for (const value of all) this.#addValue(name, value, hostId)
  }

  /** Takes the metrics from a line of a session host's output. @returns false if it is another line */
  addLine(line: string): boolean {
    if (!line.startsWith("{") || !line.includes('"service":"session-host"')) return false
    const { _aws, service, stage: _stage, hostId, ...values } = Line.safeParse(jsonOf(line)).data ?? {}
    const taken = z.record(z.string(), z.array(z.number())).safeParse(values)
    if (!service || !taken.success) return false
    this.add(taken.data, hostId)
    return true
  }

  /** The values since the last call, by metric. */
  minuteOver(): ReadonlyMap<string, Minute> {
    const over = this.#minute
    this.#minute = new Map()
    return over
  }

  /** Shows Prometheus these values of the machine, by the names of gauges, and which alarms ring. */
  show(
    values: Partial<Record<"backup_age_s" | "backup_failed" | "disk_free_mb", number>>,
    ringing: ReadonlyMap<string, boolean>,
  ): void {
    for (const [name, value] of Object.entries(values)) {
      const about = { name: `bridge_${name}`, help: "docs/one-machine.md", registers: [this.#registry] }
      const gauge = this.#gauges.get(name) ?? new Gauge(about)
      this.#gauges.set(name, gauge)
      gauge.set(value)
    }
    for (const [alarm, isRinging] of ringing) this.#alarm.set({ alarm }, Number(isRinging))
  }

  /** What Prometheus reads. */
  async expose(): Promise<{ text: string; contentType: string }> {
    for (const [host, { atMs, gauges }] of this.#hosts) {
      if (performance.now() - atMs < shownMs) continue
      for (const gauge of gauges) gauge.remove({ host })
      this.#hosts.delete(host)
    }
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType }
  }

  #addValue(name: string, value: number, hostId: string | undefined): void {
    const { sum, count, maximum } = this.#minute.get(name) ?? { sum: 0, count: 0, maximum: -Infinity }
    this.#minute.set(name, { sum: sum + value, count: count + 1, maximum: Math.max(maximum, value) })
    const take = this.#known.get(name) ?? this.#taker(name)
    this.#known.set(name, take)
    take(value, hostId)
  }

  #taker(name: string): (value: number, hostId: string | undefined) => void {
    const unit = Metrics.unitOf(name)
    const about = {
      name: `bridge_${snake(name)}`,
      help: `${name} (docs/operations.md)`,
      registers: [this.#registry],
    }
    switch (unit) {
      case "Count": {
        const counter = new Counter({ ...about, name: `${about.name}_total` })
        return (value) => counter.inc(value)
      }
      case "Milliseconds": {
        const histogram = new Histogram({ ...about, buckets })
        return (value) => histogram.observe(value)
      }
      case "None":
      case "Seconds":
      case "Megabytes": {
        // Each host has a value of its own: the last host that reports would hide the others.
        const gauge = new Gauge({ ...about, labelNames: ["host"] })
        return (value, host) => this.#set(gauge, value, host)
      }
    }
  }

  #set(gauge: Gauge, value: number, host: string | undefined): void {
    if (host === undefined) return gauge.set(value)
    gauge.set({ host }, value)
    const { gauges = new Set<Gauge>() } = this.#hosts.get(host) ?? {}
    this.#hosts.set(host, { atMs: performance.now(), gauges: gauges.add(gauge) })
  }
}

/** The line of a host that was killed may be cut. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** `SendAckMs` is `send_ack_ms`. */
function snake(name: string): string {
  return name.replaceAll(/(?<!^)([A-Z])/g, "_$1").toLowerCase()
}
