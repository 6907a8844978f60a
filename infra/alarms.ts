import { api } from "./api.ts"
import { deadDoorbells, delivery, doorbell } from "./delivery.ts"
import { type Metric, metric, ofFunction, ofQueue, ofTable } from "./metrics.ts"
import { accountId, operator } from "./stage/stage.ts"
import { partOfWhole } from "./watch/part-of-whole.ts"
import { stream } from "./stream.ts"
import { sweep } from "./sweep.ts"
import { accounts, events, leases, requests, sessions } from "./tables.ts"

/** What each alarm means and what to do about it: docs/operations.md, under the alarm's name. */
const alarms = new aws.sns.Topic("Alarms", {})

new aws.sns.TopicPolicy("AlarmsPolicy", {
  arn: alarms.arn,
  policy: aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        actions: ["sns:Publish"],
        resources: [alarms.arn],
        principals: [{ type: "Service", identifiers: ["cloudwatch.amazonaws.com", "budgets.amazonaws.com"] }],
        // Not for another account's alarms.
        conditions: [{ test: "StringEquals", variable: "aws:SourceAccount", values: [accountId] }],
      },
    ],
  }).json,
})

if (operator.email)
  new aws.sns.TopicSubscription("AlarmsToOperator", {
    topic: alarms.arn,
    protocol: "email",
    endpoint: operator.email,
  })

above("Unkept", metric("session-host", "UnkeptMs", "Maximum"), 60_000, { minutes: [3, 5] })
// One stranger makes a hundred at the most, and rings once; a message of a kind that we cannot read comes from many.
above("MessagesParked", metric("session-host", "MessagesParked"), 10, { period: 3600 })
above("EventOld", metric("delivery", "EventOldestMs", "Maximum"), 120_000, { minutes: [3, 5] })
above("LeaseFenced", metric("session-host", "LeaseFenced"), 0)
above("BadMac", metric("session-host", "BadMac"), 5, { minutes: [2, 5] })
above("SweepRang", metric("sweep", "SweepRang"), 5, { minutes: [2, 5] })
above("HostRefused", metric("sweep", "HostRefused"), 0)
above("HostDead", metric("sweep", "HostDead"), 0, { minutes: [2, 15] })
// Of 1 GB.
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

above("DeadDoorbell", ofQueue(deadDoorbells, "ApproximateNumberOfMessagesVisible"), 0)
doorbellOld()

above("ApiErrors", ofFunction(api, "Url5xxCount"), 5, { minutes: [2, 5] })
above("StreamErrors", ofFunction(stream, "Url5xxCount"), 5, { minutes: [2, 5] })
// A URL whose function is full answers 429, which is none of its 5xx.
above("ApiThrottled", ofFunction(api, "Throttles"), 0)
above("StreamThrottled", ofFunction(stream, "Throttles"), 0)
above("DeliveryThrottled", ofFunction(delivery, "Throttles"), 0, { minutes: [3, 5] })
// One that still runs when its minute is over keeps the next from starting, once.
above("SweepThrottled", ofFunction(sweep, "Throttles"), 0, { minutes: [3, 5] })
above("DeliveryErrors", ofFunction(delivery, "Errors"), 0)
above("SweepErrors", ofFunction(sweep, "Errors"), 0, { minutes: [2, 5] })
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

// The stage's own, by the tag that SST gives to everything; production has its account for itself, and counts all of it,
// so that nothing there is free of a budget before the tag has been activated.
new aws.budgets.Budget("Budget", {
  ...($app.stage === "production"
    ? {}
    : { costFilters: [{ name: "TagKeyValue", values: [`user:sst:stage$${$app.stage}`] }] }),
  budgetType: "COST",
  timeUnit: "MONTHLY",
  limitAmount: String(operator.budget),
  limitUnit: "USD",
  notifications: [
    { notificationType: "FORECASTED", threshold: 100 },
    { notificationType: "ACTUAL", threshold: 80 },
  ].map((notification) => ({
    ...notification,
    comparisonOperator: "GREATER_THAN",
    thresholdType: "PERCENTAGE",
    subscriberSnsTopicArns: [alarms.arn],
  })),
})

/** Rings when the metric is above the threshold in so many of so many minutes, or periods of so many seconds. */
function above(
  name: string,
  of: Metric,
  threshold: number,
  { minutes = [1, 1], period = 60 }: { minutes?: [number, number]; period?: number } = {},
) {
  alarm(name, {
    ...about(of),
    comparisonOperator: "GreaterThanThreshold",
    threshold,
    period,
    datapointsToAlarm: minutes[0],
    evaluationPeriods: minutes[1],
    // What counts events says nothing when there are none.
    treatMissingData: "notBreaching",
  })
}

/** Rings when a metric is too large or too small a part of another for three minutes of five. */
function ratio(name: string, about: { of: Metric; to: Metric; above?: number; below?: number }) {
  alarm(name, {
    metricQueries: [
      { id: "ratio", expression: partOfWhole(about), returnData: true, label: name },
      { id: "part", metric: query(about.of) },
      { id: "whole", metric: query(about.to) },
    ],
    comparisonOperator: about.above === undefined ? "LessThanThreshold" : "GreaterThanThreshold",
    threshold: about.above ?? about.below,
    datapointsToAlarm: 3,
    evaluationPeriods: 5,
    treatMissingData: "notBreaching",
  })
}

/**
 * Rings when doorbells wait for ten minutes and nobody has answered any. The age alone would ring for a customer: the
 * doorbell of an endpoint that is dead stays in the queue through all its waits, the longest of which is three minutes.
 */
function doorbellOld() {
  const waits = new aws.cloudwatch.MetricAlarm("DoorbellWaits", {
    ...about(ofQueue(doorbell, "ApproximateAgeOfOldestMessage")),
    alarmDescription: "a part of DoorbellOld",
    comparisonOperator: "GreaterThanThreshold",
    threshold: 600,
    period: 60,
    evaluationPeriods: 3,
    treatMissingData: "notBreaching",
  })
  const unanswered = new aws.cloudwatch.MetricAlarm("DeliverySilent", {
    ...about(ofFunction(delivery, "Invocations")),
    alarmDescription: "a part of DoorbellOld; rests in ALARM while there is nothing to deliver",
    comparisonOperator: "LessThanThreshold",
    threshold: 1,
    period: 300,
    evaluationPeriods: 2,
    treatMissingData: "breaching",
  })
  new aws.cloudwatch.CompositeAlarm("DoorbellOld", {
    alarmName: `${$app.name}-${$app.stage}-DoorbellOld`,
    alarmDescription: `${$app.name} ${$app.stage}: see "DoorbellOld" in docs/operations.md`,
    alarmRule: $interpolate`ALARM("${waits.name}") AND ALARM("${unanswered.name}")`,
    alarmActions: [alarms.arn],
    okActions: [alarms.arn],
  })
}

function query(of: Metric) {
  return {
    namespace: of.namespace,
    metricName: of.name,
    dimensions: of.dimensions,
    stat: of.stat,
    period: 60,
  }
}

function about(of: Metric) {
  return { namespace: of.namespace, metricName: of.name, dimensions: of.dimensions, statistic: of.stat }
}

/** Tells when it rings and when that is over. */
function alarm(name: string, args: aws.cloudwatch.MetricAlarmArgs) {
  new aws.cloudwatch.MetricAlarm(name, {
    ...args,
    alarmDescription: `${$app.name} ${$app.stage}: see "${name}" in docs/operations.md`,
    alarmActions: [alarms.arn],
    okActions: [alarms.arn],
  })
}
