import { alarms, type Rule } from "../../core/platform/alarm-rules.ts"
import { accounts, events, leases, requests, sessions } from "../data/tables.ts"
import { api } from "../functions/api.ts"
import { subscriptions } from "../functions/billing.ts"
import { dashboard, dashboardStream } from "../functions/dashboard.ts"
import { delivery } from "../functions/delivery.ts"
import { stream, transfer } from "../functions/stream.ts"
import { sweep } from "../functions/sweep.ts"
import { troubles } from "../functions/troubles.ts"
import { stage } from "../stage/stage.ts"
import { alarmAbove, alarm, alarmRatio } from "./alarm.ts"
import { watchFromOutside } from "./from-outside.ts"
import { asWatched, metric, ofFunction, ofTable } from "./metrics.ts"

for (const [name, rule] of Object.entries(alarms)) watch(name, rule)

alarmAbove("ApiErrors", ofFunction(api, "Url5xxCount"), 5, { minutes: [2, 5] })
alarmAbove("StreamErrors", ofFunction(stream, "Url5xxCount"), 5, { minutes: [2, 5] })
alarmAbove("TransferErrors", ofFunction(transfer, "Url5xxCount"), 5, { minutes: [2, 5] })
alarmAbove("DashboardErrors", ofFunction(dashboard, "Url5xxCount"), 5, { minutes: [2, 5] })
alarmAbove("DashboardStreamErrors", ofFunction(dashboardStream, "Url5xxCount"), 5, { minutes: [2, 5] })
// The URL of a function that is full answers 429, which does not count among its 5xx.
alarmAbove("ApiThrottled", ofFunction(api, "Throttles"), 0)
alarmAbove("StreamThrottled", ofFunction(stream, "Throttles"), 0)
alarmAbove("TransferThrottled", ofFunction(transfer, "Throttles"), 0)
alarmAbove("DashboardThrottled", ofFunction(dashboard, "Throttles"), 0)
alarmAbove("DashboardStreamThrottled", ofFunction(dashboardStream, "Throttles"), 0)
// Lambda starts no more than there are places, and so refuses none: doorbells wait in the queue.
alarmAbove(
  "DeliveryFull",
  ofFunction(delivery, "ConcurrentExecutions", "Maximum"),
  0.95 * stage.deliveries - 1,
  {
    minutes: [3, 5],
  },
)
// Programs that ask wrongly, keys that have ended, or somebody who guesses.
alarmAbove("ApiRefuses", ofFunction(api, "Url4xxCount"), 300, { minutes: [3, 5] })
// A sweep that still runs when its minute is over keeps the next one from starting, once.
alarmAbove("SweepThrottled", ofFunction(sweep, "Throttles"), 0, { minutes: [3, 5] })
alarmAbove("DeliveryErrors", ofFunction(delivery, "Errors"), 0)
// Loops are allowed for deliveries. If one is stopped all the same, Lambda has another setting.
alarmAbove("DeliveryStopped", ofFunction(delivery, "RecursiveInvocationsDropped"), 0)
alarmAbove("SweepErrors", ofFunction(sweep, "Errors"), 0, { minutes: [2, 5] })
alarmAbove("TroublesErrors", ofFunction(troubles, "Errors"), 0, { minutes: [2, 5] })
alarmAbove("TroublesThrottled", ofFunction(troubles, "Throttles"), 0, { minutes: [3, 5] })
if (subscriptions) {
  alarmAbove("SubscriptionsErrors", ofFunction(subscriptions, "Errors"), 0, { minutes: [2, 5] })
  alarmAbove("SubscriptionsThrottled", ofFunction(subscriptions, "Throttles"), 0, { minutes: [3, 5] })
  // Stripe may be away for an hour. Longer than that, numbers may run unpaid, or stand still although they
  // are paid.
  alarmAbove("SubscriptionsLate", metric("LookOverdueS", "Maximum"), 2 * 3600)
}
alarm("SweepSilent", {
  ...asWatched(ofFunction(sweep, "Invocations")),
  comparisonOperator: "LessThanThreshold",
  threshold: 1,
  period: 60,
  evaluationPeriods: 5,
  // No data is what a schedule that does not run looks like.
  treatMissingData: "breaching",
})

for (const [name, table] of Object.entries({ accounts, leases, sessions, events, requests })) {
  const title = name[0].toUpperCase() + name.slice(1)
  alarmAbove(`${title}WritesThrottled`, ofTable(table, "WriteThrottleEvents"), 10, { minutes: [2, 5] })
}

watchFromOutside()

/** Watches one of the service's own metrics. */
function watch(name: string, rule: Rule) {
  const { of, stat, minutes, hourly } = rule
  if (rule.to)
    alarmRatio(name, {
      of: metric(of, stat),
      to: metric(rule.to, stat),
      above: rule.above,
      below: rule.below,
    })
  else alarmAbove(name, metric(of, stat), rule.above, { minutes, ...(hourly && { period: 3600 }) })
}
