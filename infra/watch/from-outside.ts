import { router } from "../router.ts"
import { operator } from "../stage/settings.ts"
import { tellOf } from "./topic.ts"

/** Three of the eight places from which Route 53 may ask: fewer it does not take. */
const regions = ["us-east-1", "eu-west-1", "ap-southeast-1"]

/**
 * Asks for `/healthz` from other places of the world, as a customer would: DNS, certificate, CloudFront, the
 * router's function and the API. Every other alarm is quiet if nothing arrives. Route 53 measures in one
 * region, wherever the stage is, so the alarm and its topic are there.
 */
export function watchFromOutside() {
  const provider = new aws.Provider("FromOutside", {
    region: "us-east-1",
    defaultTags: { tags: { "sst:app": $app.name, "sst:stage": $app.stage } },
  })
  const check = new aws.route53.HealthCheck("Healthz", {
    type: "HTTPS",
    fqdn: $util.output(router.url).apply((url) => new URL(url).hostname),
    port: 443,
    resourcePath: "/healthz",
    requestInterval: 30,
    failureThreshold: 3,
    enableSni: true,
    regions,
  })
  const topic = tellOf("AlarmsFromOutside", operator.email, { provider })
  new aws.cloudwatch.MetricAlarm(
    "NotReachable",
    {
      namespace: "AWS/Route53",
      metricName: "HealthCheckStatus",
      dimensions: { HealthCheckId: check.id },
      statistic: "Minimum",
      comparisonOperator: "LessThanThreshold",
      threshold: 1,
      period: 60,
      evaluationPeriods: 3,
      treatMissingData: "breaching",
      alarmDescription: `${$app.name} ${$app.stage}: see "NotReachable" in docs/operations.md`,
      alarmActions: [topic.arn],
      okActions: [topic.arn],
    },
    { provider },
  )
}
