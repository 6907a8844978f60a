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

/** ECS says more of a task than anybody reads: some 2 KB. */
const asLong = {
  attachments: [{ id: "eni", type: "ElasticNetworkInterface", details: details("networkInterface", 8) }],
  attributes: details("ecs.cpu-architecture", 2),
  containers: [{ name: "session-host", networkInterfaces: details("privateIpv4Address", 6), exitCode: 137 }],
  overrides: { containerOverrides: [{ name: "session-host", environment: details("HOST_ID", 4) }] },
  tags: [],
}

function details(name: string, count: number) {
  return Array.from({ length: count }, (_, n) => ({ name: `${name}-${n}`, value: "x".repeat(60) }))
}

/**
 * The calls of ECS that the sweep makes, for hosts that are objects in a process. A task's ARN ends with its
 * host's id.
 */
export async function startOrchestrator(hosts: Hosts, startsMs: number) {
  /** Asked twice it starts one. */
  const started = new Set<string>()
  const starting = new Set<string>()
  let hasRoom = true

  function start(host: string): void {
    starting.delete(host)
    hosts.add(host)
  }

  const server = await startAwsJson({
    at: { port: 0 },
    invalid: "InvalidParameterException",
    actions: {
      RunTask: (call) => {
        const [container] = RunTask.parse(call).overrides.containerOverrides
        const host = container?.environment.find(({ name }) => name === "HOST_ID")?.value
        if (!host) throw new Error("a task without HOST_ID")
        if (!hasRoom) return { tasks: [], failures: [{ reason: "Capacity is unavailable at this time." }] }
        if (!started.has(host)) {
          starting.add(host)
          if (startsMs === 0) start(host)
          else setTimeout(start, startsMs, host).unref()
        }
        started.add(host)
        return { tasks: [{ taskArn: arnPrefix + host }], failures: [] }
      },
      StopTask: (call) => {
        hosts.stop(hostOf(StopTask.parse(call).task))
        return {}
      },
      DescribeTasks: (call) => ({
        tasks: DescribeTasks.parse(call).tasks.map((taskArn) => {
          const host = hostOf(taskArn)
          const status = starting.has(host) || hosts.has(host) ? "RUNNING" : "STOPPED"
          return { ...asLong, taskArn, lastStatus: status, desiredStatus: status }
        }),
        failures: [],
      }),
    },
  })
  return {
    endpoint: server.endpoint,
    close: server.close,
    /** From now on a task is started, or refused since there is no machine for it. */
    setRoom(has: boolean): void {
      hasRoom = has
    },
  }
}
