import { z } from "zod"
import { startAwsJson } from "#dynamodb-on-sqlite/aws-json-server.ts"
import type { Hosts } from "./hosts.ts"

const RunTask = z.object({
  taskDefinition: z.string(),
  overrides: z.object({
    containerOverrides: z.array(
      z.object({ environment: z.array(z.object({ name: z.string(), value: z.string() })) }),
    ),
  }),
})
const StopTask = z.object({ task: z.string() })
const DescribeTasks = z.object({ tasks: z.array(z.string()) })

const arnPrefix = "arn:aws:ecs:local:0:task/"
const hostOf = (arn: string) => arn.slice(arnPrefix.length)

/**
 * The calls of ECS that the sweep makes, for hosts that are objects in a process. A task's ARN ends with its
 * host's id.
 */
export async function startOrchestrator(hosts: Hosts) {
  /** Asked twice it starts one. */
  const started = new Set<string>()

  const server = await startAwsJson({
    at: { port: 0 },
    invalid: "InvalidParameterException",
    actions: {
      RunTask: (call) => {
        const [container] = RunTask.parse(call).overrides.containerOverrides
        const host = container?.environment.find(({ name }) => name === "HOST_ID")?.value
        if (!host) throw new Error("a task without HOST_ID")
        if (!started.has(host)) hosts.add(host)
        started.add(host)
        return { tasks: [{ taskArn: arnPrefix + host }], failures: [] }
      },
      StopTask: (call) => {
        hosts.stop(hostOf(StopTask.parse(call).task))
        return {}
      },
      DescribeTasks: (call) => ({
        tasks: DescribeTasks.parse(call).tasks.map((taskArn) => {
          const status = hosts.has(hostOf(taskArn)) ? "RUNNING" : "STOPPED"
          return { taskArn, lastStatus: status, desiredStatus: status }
        }),
        failures: [],
      }),
    },
  })
  return { endpoint: server.endpoint, close: server.close }
}
