import { operator } from "../stage/settings.ts"
import { accountId } from "../stage/stage.ts"

/** Where alarms are told. docs/operations.md says under each one's name what it means, and what to do. */
export const alarmTopic = tellOf("Alarms", operator.email)

/** A topic of alarms, which mails them to this address if there is one. */
export function tellOf(name: string, email: string | undefined, options?: { provider: aws.Provider }) {
  const topic = new aws.sns.Topic(name, {}, options)
  const { json: policy } = aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        actions: ["sns:Publish"],
        resources: [topic.arn],
        principals: [{ type: "Service", identifiers: ["cloudwatch.amazonaws.com", "budgets.amazonaws.com"] }],
        // Not from other accounts.
        conditions: [{ test: "StringEquals", variable: "aws:SourceAccount", values: [accountId] }],
      },
    ],
  })
  new aws.sns.TopicPolicy(`${name}Policy`, { arn: topic.arn, policy }, options)
  if (email)
    new aws.sns.TopicSubscription(
      `${name}ToOperator`,
      { topic: topic.arn, protocol: "email", endpoint: email },
      options,
    )
  return topic
}
