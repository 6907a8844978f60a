import { deadDoorbells, doorbell } from "../data/doorbell.ts"
import { accounts, events, leases, requests, sessions } from "../data/tables.ts"
import { api } from "../functions/api.ts"
import { delivery } from "../functions/delivery.ts"
import { stream } from "../functions/stream.ts"
import { sweep } from "../functions/sweep.ts"
import { region } from "../stage/stage.ts"
import { type Metric, metric, ofFunction, ofQueue, ofTable } from "./metrics.ts"

const host = (...names: string[]) => names.map((name) => metric("session-host", name))
const worst = (service: string, ...names: string[]) => names.map((name) => metric(service, name, "Maximum"))

/** Read from the top: what customers see, then what makes it so. */
const charts: Record<string, Metric[]> = {
  "API: requests and refusals": ["Requests", "Errors5xx", "RateLimited"].map((name) => metric("api", name)),
  "API: latency (ms)": [metric("api", "LatencyMs", "p50"), metric("api", "LatencyMs", "p99")],
  "Sends: time to the network's ack (ms)": [
    metric("session-host", "SendAckMs", "p50"),
    metric("session-host", "SendAckMs", "p99"),
  ],
  "Sends: unknown, refused, repeated": [
    ...host("Sends", "SendUnknown", "SendRejected", "DevicesMissed"),
    ...["IdemReplay", "IdemConflict", "IdemTakeover"].map((name) => metric("api", name)),
  ],
  Inbound: [
    ...worst("session-host", "UnkeptMs"),
    ...host("MessagesParked", "BadMac", "RetryReceipts", "UnknownStanzas"),
  ],
  "Delivery: oldest event, attempt (ms)": worst("delivery", "EventOldestMs", "AttemptMs"),
  Delivery: ["Attempts", "Undelivered"].map((name) => metric("delivery", name)),
  Doorbells: [
    ofQueue(doorbell, "ApproximateNumberOfMessagesVisible"),
    ofQueue(doorbell, "ApproximateAgeOfOldestMessage"),
    ofQueue(deadDoorbells, "ApproximateNumberOfMessagesVisible"),
    metric("sweep", "SweepRang"),
    ...host("DoorbellFailed"),
  ],
  Sessions: ["SessionsUp", "SessionsExpected"].map((name) => metric("sweep", name, "Average")),
  Leases: [
    ...host("LeaseTaken", "LeaseFenced", "Replaced"),
    ...["HostDead", "HostRefused"].map((name) => metric("sweep", name)),
    metric("sweep", "Suspects", "Maximum"),
  ],
  "Blocked fetches of internal addresses": ["api", "delivery", "session-host"].map((service) =>
    metric(service, "FetchBlocked"),
  ),
  Store: [...worst("session-host", "CommitMs"), ...host("StoreThrottled", "StoreConflict")],
  "Hosts: event loop (ms), memory (MB)": worst("session-host", "EventLoopLagMs", "RssMb"),
  "Functions: errors, throttles": [api, stream, delivery, sweep].flatMap((fn) => [
    ofFunction(fn, "Errors"),
    ofFunction(fn, "Throttles"),
  ]),
  "Functions: concurrent executions": [api, stream, delivery].map((fn) =>
    ofFunction(fn, "ConcurrentExecutions", "Maximum"),
  ),
  "Tables: units written": [accounts, leases, sessions, events, requests].map((table) =>
    ofTable(table, "ConsumedWriteCapacityUnits"),
  ),
}

new aws.cloudwatch.Dashboard("Dashboard", {
  dashboardName: `${$app.name}-${$app.stage}`,
  dashboardBody: $util.jsonStringify({
    widgets: Object.entries(charts).map(([title, metrics]) => ({
      type: "metric",
      width: 8,
      height: 6,
      properties: { title, region, period: 60, view: "timeSeries", metrics: metrics.map(line) },
    })),
  }),
})

/** As CloudWatch's dashboards want a metric: names and values in one list, the rest in an object at its end. */
function line(of: Metric) {
  return [of.namespace, of.name, ...Object.entries(of.dimensions).flat(), { stat: of.stat }]
}
