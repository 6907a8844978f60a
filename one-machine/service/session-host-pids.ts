import { DescribeTasksCommand, ECSClient, ListTasksCommand } from "@aws-sdk/client-ecs"
import { localAgent, serviceAt } from "#core/platform/aws-client-options.ts"
import type { Running } from "./running.ts"

/** The process ids of the running session hosts. A task's container is a process here. */
export async function sessionHostPids(running: Running): Promise<number[]> {
  const ecs = new ECSClient({
    ...serviceAt(running.environment.AWS_ENDPOINT_URL_ECS),
    requestHandler: { httpAgent: localAgent({}, running.environment.SOCKET_DIR) },
  })
  const { taskArns } = await ecs.send(new ListTasksCommand({ desiredStatus: "RUNNING" }))
  const { tasks } = await ecs.send(new DescribeTasksCommand({ tasks: taskArns }))
  ecs.destroy()
  return (tasks ?? []).flatMap((task) => Number(task.containers?.[0]?.runtimeId) || [])
}
