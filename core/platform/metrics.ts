export * as Metrics from "./metrics.ts"

import { nowMs } from "./clock.ts"
import { config } from "./config.ts"
import { logOutput } from "./log.ts"

/**
 * The service's own measurements and the one place that writes them: as lines of the log, in CloudWatch's
 * embedded metric format. Written only if METRICS_SERVICE is set. CloudWatch makes metrics of these, each of
 * which an alarm or a chart watches: it is paid for by the month (`infra/cost/`). Its one dimension is the
 * stage, since each further value of a dimension would be paid for as another metric. The line itself says
 * which service it is from, and which session host.
 */
const watched = {
  Sends: "Count",
  SendAckMs: "Milliseconds",
  SendUnknown: "Count",

  UnkeptMs: "Milliseconds",
  MessagesParked: "Count",
  BadMac: "Count",

  EventOldestMs: "Milliseconds",
  Attempts: "Count",
  Undelivered: "Count",
  DoorbellUnanswered: "Count",
  SweepRang: "Count",

  SessionsUp: "None",
  SessionsExpected: "None",
  LeaseFenced: "Count",
  HostDead: "Count",
  HostRefused: "Count",
  Replaced: "Count",
  ClientExpires: "Count",
  PostQuantumAsked: "Count",
  WebVersionAgeH: "None",
  Suspects: "None",

  LookOverdueS: "Seconds",

  EventLoopLagMs: "Milliseconds",
  RssMb: "Megabytes",
} as const

/**
 * Counts and times that raise no alarm: fields of the same lines, which Logs Insights adds up
 * (docs/operations.md, "Alarms"), and nothing is paid for them by the month.
 */
type Noted =
  | "FetchBlocked"
  | "DoorbellFailed"
  | "SendRejected"
  | "IdemReplay"
  | "IdemConflict"
  | "IdemTakeover"
  | "RetryReceipts"
  | "DevicesMissed"
  | "DeadConnections"
  | "ResendsHeldBack"
  | "UnknownStanzas"
  | "StoreThrottled"
  | "StoreConflict"
  | "StorageFull"
  | "LookMs"

/** A metric that CloudWatch makes of the lines. */
export type Watched = keyof typeof watched
/** A metric's values since the last flush, by its name. */
export type Values = Record<string, number[]>
/** The names of all metrics that CloudWatch makes of the lines. */
export const names = Object.keys(watched) as Watched[] // its keys are these

/** How many values of a metric CloudWatch takes in one line. */
const valuesInLine = 100

/** The unit of a metric's values. What CloudWatch makes no metric of is a count. */
export function unitOf(name: string): (typeof watched)[Watched] {
  return watched[name as Watched] ?? "Count" // any other name has no unit
}

/** Takes everything measured, where this process itself keeps the measurements. */
let taker: ((values: Values) => void) | undefined

/** From now on everything measured is given to `take`, and no line is written. */
export function sendTo(take: (values: Values) => void): void {
  taker = take
}

/** The values measured since the last line. */
let gathered = new Map<Watched | Noted, number[]>()

/** Records a measurement. Counts are added up; for everything else each value is kept. */
export function add(name: Watched | Noted, value = 1): void {
  if (!config.METRICS_SERVICE) return
  const values = gathered.get(name) ?? []
  gathered.set(name, unitOf(name) === "Count" ? [(values[0] ?? 0) + value] : [...values, value])
  if (values.length + 1 >= valuesInLine) flush()
}

function isWatched(name: Watched | Noted): name is Watched {
  return name in watched
}

/** Writes everything measured since the last flush. */
export function flush(): void {
  if (gathered.size === 0) return
  const values = Object.fromEntries(gathered)
  const metrics = [...gathered.keys()].filter(isWatched)
  gathered = new Map()
  if (taker) return taker(values)
  const about = {
    service: config.METRICS_SERVICE,
    stage: config.STAGE,
    ...(config.HOST_ID && { hostId: config.HOST_ID }),
  }
  const line = { ...(metrics.length > 0 && { _aws: embedded(metrics) }), ...about, ...values }
  logOutput.write(`${JSON.stringify(line)}\n`)
}

/** Tells CloudWatch which fields of the line are metrics. */
function embedded(metrics: Watched[]): object {
  const Metrics = metrics.map((name) => ({ Name: name, Unit: watched[name] }))
  return {
    Timestamp: nowMs(),
    CloudWatchMetrics: [{ Namespace: "MessagingBridge", Dimensions: [["stage"]], Metrics }],
  }
}
