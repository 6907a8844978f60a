import { expect, inject, test } from "vitest"
import { sized } from "#cost/usage.ts"
import { graphOf } from "../graph.ts"

test("the price is of what would be deployed", () => {
  const graph = graphOf(inject("production"))
  const host = graph.one("ecs/taskDefinition:TaskDefinition", "SessionHostTask")
  const gb = (name: string) => Number(graph.one("lambda/function:Function", name).memorySize) / 1024
  const endpoints = graph
    .all("ec2/vpcEndpoint:VpcEndpoint")
    .map(({ inputs }) => inputs)
    .filter((inputs) => inputs.vpcEndpointType === "Interface")
  const { dashboardBody } = graph.one("cloudwatch/dashboard:Dashboard", "Dashboard")
  const own = [...String(dashboardBody).matchAll(/"MessagingBridge","(\w+)","service","([\w-]+)"/g)]
  expect(sized).toEqual({
    hostVcpu: Number(host.cpu) / 1024,
    hostGb: Number(host.memory) / 1024,
    hostCapacity: Number(graph.environment("SweepFunction").HOST_CAPACITY),
    spare: Number(graph.environment("SweepFunction").HOST_SPARE),
    apiGb: gb("ApiFunction"),
    deliveryGb: gb("DeliveryFunction"),
    sweepGb: gb("SweepFunction"),
    endpoints: endpoints.flatMap(({ subnetIds }) => subnetIds).length,
    keys: graph.all("kms/key:Key").length,
    alarms:
      graph.all("cloudwatch/metricAlarm:MetricAlarm").length +
      5 * graph.all("cloudwatch/compositeAlarm:CompositeAlarm").length,
    metrics: new Set(own.map(([, name, service]) => `${service} ${name}`)).size,
  })
})
