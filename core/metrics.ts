export * as Metrics from "./metrics.ts"

import { nowMs } from "./clock.ts"
import { config } from "./config.ts"
import { lines } from "./log.ts"

/**
 * What the service measures of itself (reliability, "Metrics"), and the one place that writes it: lines of CloudWatch's
 * embedded metric format in the log, which CloudWatch makes metrics of. Written where METRICS_SERVICE is set.
 */
const units = {
  Requests: "Count",
  LatencyMs: "Milliseconds",
  Errors5xx: "Count",
  RateLimited: "Count",
  FetchBlocked: "Count",

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

  CommitMs: "Milliseconds",
  StoreThrottled: "Count",
  StoreConflict: "Count",
  EventLoopLagMs: "Milliseconds",
  RssMb: "Megabytes",
} as const

export type Name = keyof typeof units
/** Of all that is measured. */
export const names = Object.keys(units) as Name[] // its keys are these

/** At most one dimension besides service and stage: each value of each is billed. */
export type By = { route: string } | { event_type: string } | { outcome: string }

/** CloudWatch takes so many values of a metric in one line. */
const valuesInLine = 100

interface Gathered {
  by: By | undefined
  values: Map<Name, number[]>
}

/** By dimension, what was measured since the last line. */
const gathered = new Map<string, Gathered>()

/** Measures something: a count is added up, of everything else each value is kept. */
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

/** Writes what was measured since the last time. */
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
