import { asWatched, type Metric, inExpression } from "./metrics.ts"
import { alarmTopic } from "./topic.ts"

/**
 * Rings when the metric is above the threshold in `minutes[0]` of the last `minutes[1]` periods. `period`: in
 * seconds.
 */
export function alarmAbove(
  name: string,
  of: Metric,
  threshold: number,
  { minutes = [1, 1], period = 60 }: { minutes?: [number, number]; period?: number } = {},
) {
  alarm(name, {
    ...asWatched(of),
    comparisonOperator: "GreaterThanThreshold",
    threshold,
    period,
    datapointsToAlarm: minutes[0],
    evaluationPeriods: minutes[1],
    // A count of events says nothing when there are none.
    treatMissingData: "notBreaching",
  })
}

/** Rings when the ratio of two metrics is too large or too small for three minutes of five. */
export function alarmRatio(name: string, about: { of: Metric; to: Metric; above?: number; below?: number }) {
  alarm(name, {
    metricQueries: [
      { id: "ratio", expression: partOfWhole(about), returnData: true, label: name },
      { id: "part", metric: inExpression(about.of) },
      { id: "whole", metric: inExpression(about.to) },
    ],
    comparisonOperator: about.above === undefined ? "LessThanThreshold" : "GreaterThanThreshold",
    threshold: about.above ?? about.below,
    datapointsToAlarm: 3,
    evaluationPeriods: 5,
    treatMissingData: "notBreaching",
  })
}

/** An alarm that tells when it rings, and when that is over. */
export function alarm(name: string, args: aws.cloudwatch.MetricAlarmArgs) {
  new aws.cloudwatch.MetricAlarm(name, {
    ...args,
    alarmDescription: `${$app.name} ${$app.stage}: see "${name}" in docs/operations.md`,
    alarmActions: [alarmTopic.arn],
    okActions: [alarmTopic.arn],
  })
}

/**
 * The expression by which CloudWatch compares `part` with `whole`. Code that measures one of them also
 * measures the other, even where it is 0: if one metric had no data, neither would the expression, and the
 * alarm would be silent.
 *
 * Where there is no whole, a part that is too large (`above`) is all of it, as an event that was given up
 * without an attempt; and one that is too small (`below`) lacks nothing.
 */
function partOfWhole({ above }: { above?: number }): string {
  const ofNothing = above === undefined ? "1" : "IF(part > 0, 1, 0)"
  return `IF(whole > 0, part / whole, ${ofNothing})`
}
