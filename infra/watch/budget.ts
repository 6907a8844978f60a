import { operator } from "../stage/settings.ts"
import { alarmTopic } from "./topic.ts"

// A stage counts what has its own tag, which SST gives to everything. Production has its account for itself
// and counts all of it, so that nothing there escapes the budget before the tag has been activated.
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
    subscriberSnsTopicArns: [alarmTopic.arn],
  })),
})
