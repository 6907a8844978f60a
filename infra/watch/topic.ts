import { operator } from "../stage/settings.ts"
import { accountId } from "../stage/stage.ts"

/**
 * Where alarms are told. docs/operations.md says under each one's name what it means, and what to do about
 * it.
 */
export const alarmTopic = new aws.sns.Topic("Alarms", {})

new aws.sns.TopicPolicy("AlarmsPolicy", {
  arn: alarmTopic.arn,
  policy: aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        actions: ["sns:Publish"],
        resources: [alarmTopic.arn],
        principals: [{ type: "Service", identifiers: ["cloudwatch.amazonaws.com", "budgets.amazonaws.com"] }],
        // Not from other accounts.
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
