/** Only our own bugs end here: a customer's dead endpoint costs a doorbell some ten receives. */
export const deadDoorbells = new sst.aws.Queue("DeadDoorbells", {
  fifo: true,
  transform: {
    queue: (args) => {
      args.sqsManagedSseEnabled = true
      // The longest that SQS keeps anything. Events are rows, so the sweep rings again for a doorbell that
      // was lost.
      args.messageRetentionSeconds = 14 * 86_400
    },
  },
})

/** Each message asks the delivery to look at one webhook of a bridge, which is its message group. */
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
