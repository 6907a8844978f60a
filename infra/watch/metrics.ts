/** Where the service's own metrics are: embedded in log lines, with the dimension `stage` alone. */
const own = "MessagingBridge"

export interface Metric {
  namespace: string
  name: string
  dimensions: Record<string, $util.Input<string>>
  stat: string
}

/** A metric of the service itself. */
export function metric(name: string, stat = "Sum"): Metric {
  return { namespace: own, name, stat, dimensions: { stage: $app.stage } }
}

export function ofFunction(fn: sst.aws.Function, name: string, stat = "Sum"): Metric {
  return { namespace: "AWS/Lambda", name, stat, dimensions: { FunctionName: fn.name } }
}

export function ofQueue(queue: sst.aws.Queue, name: string): Metric {
  return { namespace: "AWS/SQS", name, stat: "Maximum", dimensions: { QueueName: queue.nodes.queue.name } }
}

export function ofTable(table: sst.aws.Dynamo, name: string, stat = "Sum"): Metric {
  return { namespace: "AWS/DynamoDB", name, stat, dimensions: { TableName: table.name } }
}

/** A metric for an alarm that computes with several. */
export function inExpression(of: Metric) {
  return {
    namespace: of.namespace,
    metricName: of.name,
    dimensions: of.dimensions,
    stat: of.stat,
    period: 60,
  }
}

/** The metric of an alarm that has no other. */
export function asWatched(of: Metric) {
  return { namespace: of.namespace, metricName: of.name, dimensions: of.dimensions, statistic: of.stat }
}
