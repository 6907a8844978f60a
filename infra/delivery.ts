import { common, settings } from "./function.ts"
import { deliveryKey } from "./keys.ts"
import { bridgeLogs, bridgeStreams } from "./logs.ts"
import { stage } from "./stage/stage.ts"
import { accounts, events } from "./tables.ts"

/** Only our own bugs end here: a customer's dead endpoint costs a doorbell some ten receives. */
export const deadDoorbells = new sst.aws.Queue("DeadDoorbells", {
  fifo: true,
  transform: {
    queue: (args) => {
      args.sqsManagedSseEnabled = true
      // As long as SQS keeps anything. The events are rows: what is lost with a doorbell, the sweep rings for.
      args.messageRetentionSeconds = 14 * 86_400
    },
  },
})

/** "Somebody look at this bridge." Message group = bridge. */
export const doorbell = new sst.aws.Queue("Doorbell", {
  fifo: true,
  visibilityTimeout: "120 seconds",
  dlq: { queue: deadDoorbells.arn, retry: 50 },
  transform: {
    queue: (args) => {
      args.sqsManagedSseEnabled = true
      args.deduplicationScope = "messageGroup"
      args.fifoThroughputLimit = "perMessageGroupId"
    },
  },
})

/** In no VPC: it posts to customers' addresses. */
export const delivery = new sst.aws.Function("Delivery", {
  ...common("Delivery"),
  handler: "functions/delivery/handler.handler",
  // Busy for 45 s at most, and the last attempt takes 10.
  timeout: "60 seconds",
  // It waits for receivers; a third of a CPU is enough for TLS and signatures.
  memory: "512 MB",
  // Of its own: a flood of calls to the API takes none of them.
  concurrency: { reserved: stage.deliveries },
  environment: {
    ...settings,
    METRICS_SERVICE: "delivery",
    LOG_GROUP: bridgeLogs.name,
    ACCOUNTS_TABLE: accounts.name,
    EVENTS_TABLE: events.name,
    DOORBELL_URL: doorbell.url,
    DELIVERY_WRAPPING_KEY: deliveryKey.arn,
  },
  permissions: [
    // For the bridges of before, whose receiver is not in their delivery's row yet.
    { actions: ["dynamodb:GetItem"], resources: [accounts.arn] },
    {
      actions: [
        "dynamodb:GetItem",
        "dynamodb:Query",
        "dynamodb:PutItem",
        "dynamodb:UpdateItem",
        "dynamodb:DeleteItem",
        "dynamodb:ConditionCheckItem",
        "dynamodb:BatchWriteItem",
      ],
      resources: [events.arn],
    },
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

new aws.lambda.EventSourceMapping("DoorbellToDelivery", {
  eventSourceArn: doorbell.arn,
  functionName: delivery.name,
  // A batch would make one bridge wait for another's receiver.
  batchSize: 1,
  functionResponseTypes: ["ReportBatchItemFailures"],
  scalingConfig: { maximumConcurrency: stage.deliveries },
})
