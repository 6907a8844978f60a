import { ECSClient, RunTaskCommand } from "@aws-sdk/client-ecs"
import { startEcs } from "#one-machine/ecs/ecs.ts"

// Starts a task that writes to the same standard output, and waits to be killed.
const child = new URL("child.ts", import.meta.url).pathname
const env = { NAME: "the task", GREETING: "hello" }
const { endpoint } = await startEcs({
  at: { port: 0 },
  taskDefinitions: { host: { command: [process.execPath, child], env } },
})
const credentials = { accessKeyId: "local", secretAccessKey: "local" }
await new ECSClient({ endpoint, region: "local", credentials }).send(
  new RunTaskCommand({
    taskDefinition: "host",
    count: 1,
    clientToken: "token",
    overrides: { containerOverrides: [{ name: "host", environment: [] }] },
  }),
)
