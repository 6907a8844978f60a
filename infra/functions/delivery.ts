import { tableAccess } from "../iam-statement.ts"
import { bridgeLogs, bridgeStreams } from "../data/bridge-logs.ts"
import { doorbell } from "../data/doorbell.ts"
import { deliveryKey } from "../data/keys.ts"
import { events } from "../data/tables.ts"
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
    // Each attempt is a line of the bridge's log.
    { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [bridgeStreams] },
  ],
})

/**
 * A delivery whose time is over rings for itself, and so a long backlog is a long chain of invocations. Lambda would stop it
 * after sixteen of them. The chain is bounded all the same: each link has posted an event that is then off the backlog, or has
 * lasted 45 s. To give back its own doorbell would make that a dead one after fifty receives, and to leave the next one to the
 * sweep would pause for minutes at each link.
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
