import { deadDoorbells, doorbell } from "../data/doorbell.ts"
import { delivery } from "../functions/delivery.ts"
import { alarmAbove } from "./alarm.ts"
import { asWatched, ofFunction, ofQueue } from "./metrics.ts"
import { alarmTopic } from "./topic.ts"

alarmAbove("DeadDoorbell", ofQueue(deadDoorbells, "ApproximateNumberOfMessagesVisible"), 0)

const waits = new aws.cloudwatch.MetricAlarm("DoorbellWaits", {
  ...asWatched(ofQueue(doorbell, "ApproximateAgeOfOldestMessage")),
  alarmDescription: "a part of DoorbellOld",
  comparisonOperator: "GreaterThanThreshold",
  threshold: 600,
  period: 60,
  evaluationPeriods: 3,
  treatMissingData: "notBreaching",
})
const unanswered = new aws.cloudwatch.MetricAlarm("DeliverySilent", {
  ...asWatched(ofFunction(delivery, "Invocations")),
  alarmDescription: "a part of DoorbellOld; rests in ALARM while there is nothing to deliver",
  comparisonOperator: "LessThanThreshold",
  threshold: 1,
  period: 300,
  evaluationPeriods: 2,
  treatMissingData: "breaching",
})

/**
 * Rings when doorbells wait for ten minutes and no delivery has answered one. The age alone would ring
 * because of a customer: the doorbell of a dead endpoint stays in the queue through all its waits, the
 * longest of which is three minutes.
 */
new aws.cloudwatch.CompositeAlarm("DoorbellOld", {
  alarmName: `${$app.name}-${$app.stage}-DoorbellOld`,
  alarmDescription: `${$app.name} ${$app.stage}: see "DoorbellOld" in docs/operations.md`,
  alarmRule: $interpolate`ALARM("${waits.name}") AND ALARM("${unanswered.name}")`,
  alarmActions: [alarmTopic.arn],
  okActions: [alarmTopic.arn],
})
