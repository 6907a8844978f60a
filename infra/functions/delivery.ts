import { bridgeLogs, bridgeStreams } from "../data/bridge-logs.ts"
import { doorbell } from "../data/doorbell.ts"
import { deliveryKey } from "../data/keys.ts"
import { events } from "../data/tables.ts"
import { tableAccess } from "../iam-statement.ts"
import { stage } from "../stage/stage.ts"
import { commonArguments, settings } from "./common.ts"

/** In no VPC: it posts to customers' addresses. */
export const delivery = new sst.aws.Function("Delivery", {
  ...commonArguments("Delivery"),
  handler: "functions/delivery/handler.handler",
  // Busy for 45 s at most, and the last attempt takes 10.
  timeout: "60 seconds",
  // It mostly waits for receivers, and a third of a CPU is enough for TLS and signatures.
  memory: "512 MB",
  // Reserved, so that a flood of calls to the API takes none of them.
  concurrency: { reserved: stage.deliveries },
  environment: {
    ...settings,
    METRICS_SERVICE: "delivery",
    LOG_GROUP: bridgeLogs.name,
    EVENTS_TABLE: events.name,
    DOORBELL_URL: doorbell.url,
    // A fifth of all places for the failing receivers of one account.
    FAILING_PLACES: String(stage.deliveries / 5),
    DELIVERY_WRAPPING_KEY: deliveryKey.arn,
  },
  permissions: [
    tableAccess(
      events,
      "GetItem",
      "Query",
      "PutItem",
      "UpdateItem",
      "DeleteItem",
      "ConditionCheckItem",
      "BatchWriteItem",
    ),
    {
      actions: [
        "sqs:SendMessage",
        "sqs:ReceiveMessage",
        "sqs:DeleteMessage",
        "sqs:ChangeMessageVisibility",
        "sqs:GetQueueAttributes",
      ],
      resources: [doorbell.arn],
    },
    { actions: ["kms:Decrypt"], resources: [deliveryKey.arn] },
    // Each attempt is a line in the bridge's log.
    { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [bridgeStreams] },
  ],
})

/**
 * A delivery whose time is over rings for itself, so a long backlog is a long chain of invocations. Lambda
 * would stop the chain after sixteen of them. It is bounded all the same: each link has taken an event off
 * the backlog by posting it, or has lasted 45 s. If each link gave its own doorbell back, that would be a
 * dead one after fifty receives. If it left the next link to the sweep, there would be pauses of minutes.
 */
new aws.lambda.FunctionRecursionConfig("DeliveryRingsItself", {
  functionName: delivery.name,
  recursiveLoop: "Allow",
})

new aws.lambda.EventSourceMapping("DoorbellToDelivery", {
  eventSourceArn: doorbell.arn,
  functionName: delivery.name,
  // A batch would make one bridge wait for another's receiver.
  batchSize: 1,
  functionResponseTypes: ["ReportBatchItemFailures"],
  scalingConfig: { maximumConcurrency: stage.deliveries },
})
