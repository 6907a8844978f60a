import { AwsRefusal, startAwsJson } from "#dynamodb-on-sqlite/aws-json-server.ts"
import type { At } from "#dynamodb-on-sqlite/listen.ts"
import type { End } from "./task.ts"
import { Tasks, type TasksOptions } from "./tasks.ts"

export interface Ecs {
  /** For `AWS_ENDPOINT_URL_ECS`. Any region, cluster and credentials will do. */
  endpoint: string
  /** The living processes, by the ARN of their task, for tests that kill one. */
  pids: () => Map<string, number>
  /** Refuses the next requests for this action, in ECS's words; later ones are answered again. */
  refuse: (action: "RunTask" | "StopTask" | "DescribeTasks", refusal: Refused, times?: number) => void
  /**
   * Ends a task as AWS does of its own accord (a Spot interruption, a retirement): SIGTERM, then SIGKILL
   * after the stop time-out.
   */
  interrupt: (task: string, end: End) => void
  /** Ends all tasks and waits for their end: SIGTERM, then SIGKILL after `closeTimeoutMs`. */
  close: () => Promise<void>
}

/** An error with its code, or an answer with a failure in place of a task. */
type Refused = { code: string; message: string } | { failure: string }

/**
 * An ECS on this machine whose tasks are child processes: RunTask, StopTask, DescribeTasks, ListTasks.
 */
export async function startEcs({ at, ...options }: TasksOptions & { at: At }): Promise<Ecs> {
  const tasks = new Tasks(options)
  const refusals = new Map<string, Refused[]>()

  const server = await startAwsJson({
    at,
    invalid: "InvalidParameterException",
    actions: {
      RunTask: (call) => tasks.run(call),
      StopTask: (call) => tasks.stop(call),
      DescribeTasks: (call) => tasks.describe(call),
      ListTasks: (call) => tasks.list(call),
    },
    before(action) {
      const refusal = refusals.get(action)?.shift()
      if (!refusal) return undefined
      if ("code" in refusal) throw new AwsRefusal(refusal.code, refusal.message)
      return { tasks: [], failures: [{ reason: refusal.failure }] }
    },
  })

  return {
    endpoint: server.endpoint,
    pids: () => tasks.pids(),
    refuse(action, refusal, times = 1) {
      const more = Array.from({ length: times }, () => refusal)
      refusals.set(action, [...(refusals.get(action) ?? []), ...more])
    },
    interrupt: (task, end) => tasks.interrupt(task, end),
    async close() {
      await tasks.close()
      await server.close()
    },
  }
}
