export * as Metrics from "./metrics.ts"

import { nowMs } from "./clock.ts"
import { config } from "./config.ts"
import { lines } from "./log.ts"

/**
 * The service's own measurements and the one place that writes them: as lines of CloudWatch's
 * embedded metric format in the log, which CloudWatch turns into metrics. Written only if METRICS_SERVICE is set.
 */
const units = {
  Requests: "Count",
  LatencyMs: "Milliseconds",
  Errors5xx: "Count",
  RateLimited: "Count",
  FetchBlocked: "Count",

  Sends: "Count",
  SendAckMs: "Milliseconds",
  SendUnknown: "Count",
  SendRejected: "Count",
  IdemReplay: "Count",
  IdemConflict: "Count",
  IdemTakeover: "Count",

  UnkeptMs: "Milliseconds",
  MessagesParked: "Count",
  BadMac: "Count",
  RetryReceipts: "Count",
  DevicesMissed: "Count",
  UnknownStanzas: "Count",

  EventOldestMs: "Milliseconds",
  AttemptMs: "Milliseconds",
  Attempts: "Count",
  Undelivered: "Count",
  DoorbellFailed: "Count",
  SweepRang: "Count",

  SessionsUp: "None",
  SessionsExpected: "None",
  LeaseTaken: "Count",
  LeaseFenced: "Count",
  HostDead: "Count",
  HostRefused: "Count",
  Replaced: "Count",
  Suspects: "None",

  LookOverdueS: "Seconds",

  CommitMs: "Milliseconds",
  StoreThrottled: "Count",
  StoreConflict: "Count",
  EventLoopLagMs: "Milliseconds",
  RssMb: "Megabytes",
} as const

export type Name = keyof typeof units
/** The names of all metrics. */
export const names = Object.keys(units) as Name[] // its keys are these

/** At most one dimension besides service and stage: each value of each dimension is billed. */
export type By = { route: string } | { event_type: string } | { outcome: string }

/** How many values of a metric CloudWatch takes in one line. */
const valuesInLine = 100

interface Gathered {
  by: By | undefined
  values: Map<Name, number[]>
}

/** The values measured since the last line, by dimension. */
const gathered = new Map<string, Gathered>()

/** Records a measurement. Counts are added up; for everything else each value is kept. */
export function add(name: Name, value = 1, by?: By): void {
  if (!config.METRICS_SERVICE) return
  const key = JSON.stringify(by ?? {})
  const group = gathered.get(key) ?? { by, values: new Map<Name, number[]>() }
  gathered.set(key, group)
  const values = group.values.get(name) ?? []
  group.values.set(name, units[name] === "Count" ? [(values[0] ?? 0) + value] : [...values, value])
  if (values.length + 1 < valuesInLine) return
  gathered.delete(key)
  write(group)
}

/** Writes everything measured since the last flush. */
export function flush(): void {
  const groups = [...gathered.values()]
  gathered.clear()
  for (const group of groups) write(group)
}

function write({ by, values }: Gathered): void {
  const dimensions = [["service", "stage"], ...(by ? [["service", "stage", ...Object.keys(by)]] : [])]
  const line = {
    _aws: {
      Timestamp: nowMs(),
      CloudWatchMetrics: [
        {
          Namespace: "MessagingBridge",
          Dimensions: dimensions,
          Metrics: [...values.keys()].map((name) => ({ Name: name, Unit: units[name] })),
        },
      ],
    },
    service: config.METRICS_SERVICE,
    stage: config.STAGE,
    ...by,
    ...Object.fromEntries(values),
  }
  lines.write(`${JSON.stringify(line)}\n`)
}
