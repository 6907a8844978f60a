import { deadDoorbells, doorbell } from "../data/doorbell.ts"
import { accounts, events, leases, requests, sessions } from "../data/tables.ts"
import { api } from "../functions/api.ts"
import { calls } from "../functions/calls.ts"
import { delivery } from "../functions/delivery.ts"
import { stream, transfer } from "../functions/stream.ts"
import { sweep } from "../functions/sweep.ts"
import { troubles } from "../functions/troubles.ts"
import { region } from "../stage/stage.ts"
import { type Metric, metric, ofFunction, ofQueue, ofTable } from "./metrics.ts"

const sums = (...names: string[]) => names.map((name) => metric(name))
const worst = (...names: string[]) => names.map((name) => metric(name, "Maximum"))

/** To be read from the top: what customers see, then what causes it. AWS's own metrics cost nothing. */
const charts: Record<string, Metric[]> = {
  "API: requests and refusals": ["UrlRequestCount", "Url5xxCount", "Url4xxCount"].map((name) =>
    ofFunction(api, name),
  ),
  "API: latency (ms)": [
    ofFunction(api, "UrlRequestLatency", "p50"),
    ofFunction(api, "UrlRequestLatency", "p99"),
  ],
  "Sends: time to the network's ack (ms)": [metric("SendAckMs", "p50"), metric("SendAckMs", "p99")],
  "Sends: unknown": sums("Sends", "SendUnknown"),
  Inbound: [...worst("UnkeptMs"), ...sums("MessagesParked", "BadMac")],
  "Delivery: oldest event (ms)": worst("EventOldestMs"),
  Delivery: sums("Attempts", "Undelivered"),
  Doorbells: [
    ofQueue(doorbell, "ApproximateNumberOfMessagesVisible"),
    ofQueue(doorbell, "ApproximateAgeOfOldestMessage"),
    ofQueue(deadDoorbells, "ApproximateNumberOfMessagesVisible"),
    ...sums("SweepRang"),
  ],
  Sessions: ["SessionsUp", "SessionsExpected"].map((name) => metric(name, "Average")),
  Leases: [
    ...sums("LeaseFenced", "Replaced", "ClientExpires", "PostQuantumAsked", "HostDead", "HostRefused"),
    metric("Suspects", "Maximum"),
    metric("WebVersionAgeH", "Maximum"),
  ],
  "Store: time of a transaction (ms)": [sessions, events].map((table) => ({
    ...ofTable(table, "SuccessfulRequestLatency", "Maximum"),
    dimensions: { TableName: table.name, Operation: "TransactWriteItems" },
  })),
  "Hosts: event loop (ms), memory (MB)": worst("EventLoopLagMs", "RssMb"),
  "Functions: errors, throttles": [api, calls, stream, transfer, delivery, sweep, troubles].flatMap((fn) => [
    ofFunction(fn, "Errors"),
    ofFunction(fn, "Throttles"),
  ]),
  "Functions: concurrent executions": [api, calls, stream, transfer, delivery].map((fn) =>
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

/**
 * As CloudWatch's dashboards want a metric: names and values in one list, the rest in an object at its end.
 */
function line(of: Metric) {
  return [of.namespace, of.name, ...Object.entries(of.dimensions).flat(), { stat: of.stat }]
}
