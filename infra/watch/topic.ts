import { operator } from "../stage/settings.ts"
import { accountId } from "../stage/stage.ts"

/** Where alarms are told. Each one's meaning, and what to do about it: docs/operations.md, under its name. */
export const alarmTopic = new aws.sns.Topic("Alarms", {})

new aws.sns.TopicPolicy("AlarmsPolicy", {
  arn: alarmTopic.arn,
  policy: aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        actions: ["sns:Publish"],
        resources: [alarmTopic.arn],
        principals: [{ type: "Service", identifiers: ["cloudwatch.amazonaws.com", "budgets.amazonaws.com"] }],
        // Not for another account's alarms.
        conditions: [{ test: "StringEquals", variable: "aws:SourceAccount", values: [accountId] }],
      },
    ],
  }).json,
})

if (operator.email)
  new aws.sns.TopicSubscription("AlarmsToOperator", {
    topic: alarmTopic.arn,
    protocol: "email",
    endpoint: operator.email,
  })
