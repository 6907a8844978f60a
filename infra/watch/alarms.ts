import { api } from "../functions/api.ts"
import { dashboard, dashboardStream } from "../functions/dashboard.ts"
import { delivery } from "../functions/delivery.ts"
import { stream } from "../functions/stream.ts"
import { subscriptions } from "../functions/billing.ts"
import { sweep } from "../functions/sweep.ts"
import { accounts, events, leases, requests, sessions } from "../data/tables.ts"
import { above, alarm, ratio } from "./alarm.ts"
import { about, metric, ofFunction, ofTable } from "./metrics.ts"

above("Unkept", metric("session-host", "UnkeptMs", "Maximum"), 60_000, { minutes: [3, 5] })
// One stranger makes a hundred at the most, and rings once; a message of a kind that we cannot read comes from many.
above("MessagesParked", metric("session-host", "MessagesParked"), 10, { period: 3600 })
above("EventOld", metric("delivery", "EventOldestMs", "Maximum"), 120_000, { minutes: [3, 5] })
above("LeaseFenced", metric("session-host", "LeaseFenced"), 0)
above("BadMac", metric("session-host", "BadMac"), 5, { minutes: [2, 5] })
above("SweepRang", metric("sweep", "SweepRang"), 5, { minutes: [2, 5] })
above("HostRefused", metric("sweep", "HostRefused"), 0)
above("HostDead", metric("sweep", "HostDead"), 0, { minutes: [2, 15] })
// A host has 1,024.
above("HostMemory", metric("session-host", "RssMb", "Maximum"), 850, { minutes: [3, 5] })
above("HostBusy", metric("session-host", "EventLoopLagMs", "Maximum"), 1000, { minutes: [3, 5] })
above("Suspects", metric("sweep", "Suspects", "Maximum"), 0, { minutes: [3, 5] })
above("Replaced", metric("session-host", "Replaced"), 5)
above("DoorbellFailed", metric("session-host", "DoorbellFailed"), 5, { minutes: [2, 5] })
// Where nothing is answered by anybody it is one of five: each event is tried five times.
ratio("Undelivered", {
  of: metric("delivery", "Undelivered"),
  to: metric("delivery", "Attempts"),
  above: 0.1,
})
ratio("SendUnknown", {
  of: metric("session-host", "SendUnknown"),
  to: metric("session-host", "Sends"),
  above: 0.01,
})
ratio("SessionsDown", {
  of: metric("sweep", "SessionsUp", "Average"),
  to: metric("sweep", "SessionsExpected", "Average"),
  below: 0.95,
})

above("ApiErrors", ofFunction(api, "Url5xxCount"), 5, { minutes: [2, 5] })
above("StreamErrors", ofFunction(stream, "Url5xxCount"), 5, { minutes: [2, 5] })
above("DashboardErrors", ofFunction(dashboard, "Url5xxCount"), 5, { minutes: [2, 5] })
above("DashboardStreamErrors", ofFunction(dashboardStream, "Url5xxCount"), 5, { minutes: [2, 5] })
// A URL whose function is full answers 429, which is none of its 5xx.
above("ApiThrottled", ofFunction(api, "Throttles"), 0)
above("StreamThrottled", ofFunction(stream, "Throttles"), 0)
above("DashboardThrottled", ofFunction(dashboard, "Throttles"), 0)
above("DashboardStreamThrottled", ofFunction(dashboardStream, "Throttles"), 0)
above("DeliveryThrottled", ofFunction(delivery, "Throttles"), 0, { minutes: [3, 5] })
// One that still runs when its minute is over keeps the next from starting, once.
above("SweepThrottled", ofFunction(sweep, "Throttles"), 0, { minutes: [3, 5] })
above("DeliveryErrors", ofFunction(delivery, "Errors"), 0)
above("SweepErrors", ofFunction(sweep, "Errors"), 0, { minutes: [2, 5] })
if (subscriptions) {
  above("SubscriptionsErrors", ofFunction(subscriptions, "Errors"), 0, { minutes: [2, 5] })
  above("SubscriptionsThrottled", ofFunction(subscriptions, "Throttles"), 0, { minutes: [3, 5] })
  // Stripe may be away for an hour. Longer than that, numbers may run unpaid, or stand still although they are paid.
  above("SubscriptionsLate", metric("subscriptions", "LookOverdueS", "Maximum"), 2 * 3600)
}
alarm("SweepSilent", {
  ...about(ofFunction(sweep, "Invocations")),
  comparisonOperator: "LessThanThreshold",
  threshold: 1,
  period: 60,
  evaluationPeriods: 5,
  // No data is what a schedule that does not run looks like.
  treatMissingData: "breaching",
})

for (const [name, table] of Object.entries({ accounts, leases, sessions, events, requests })) {
  const title = name[0].toUpperCase() + name.slice(1)
  above(`${title}WritesThrottled`, ofTable(table, "WriteThrottleEvents"), 10, { minutes: [2, 5] })
}
