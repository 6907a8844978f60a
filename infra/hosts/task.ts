import { hostSecrets } from "../data/secrets.ts"
import { hostPort } from "../network/groups.ts"
import { stage } from "../stage/stage.ts"
import { cluster } from "./cluster.ts"
import { hardened } from "./hardened.ts"
import { imageOf } from "./image.ts"
import { executionPolicy } from "./rights.ts"
import { hostSettings } from "./settings.ts"

interface HostTask {
  /** The only container, and the name of its log. */
  container: string
  dockerfile: string
  cpu: sst.aws.TaskArgs["cpu"]
  memory: sst.aws.TaskArgs["memory"]
  /** The rights of the task's processes. */
  policy: { name: string; policy: $util.Output<string> }
  /** In addition to the secrets that every host reads. */
  environment: Record<string, string>
  /** Volumes in addition to `/tmp`, and where they are mounted. */
  volumes?: { path: string; volume: aws.types.input.ecs.TaskDefinitionVolume }[]
}

/** A task that holds sessions. */
export function hostTask(name: string, about: HostTask) {
  const logGroup = `/${$app.name}/${$app.stage}/${about.container}`
  const volumes = [{ path: "/tmp", volume: { name: "tmp" } }, ...(about.volumes ?? [])]
  return new sst.aws.Task(name, {
    cluster,
    architecture: "arm64",
    cpu: about.cpu,
    memory: about.memory,
    containers: [
      {
        name: about.container,
        image: imageOf(about.dockerfile),
        logging: { name: logGroup },
        environment: { ...hostSettings, ...about.environment },
        ssm: hostSecrets,
      },
    ],
    transform: {
      taskDefinition: (args) => {
        args.volumes = volumes.map(({ volume }) => volume)
        args.containerDefinitions = $util.jsonParse(args.containerDefinitions).apply((definitions) =>
          hardened(definitions, {
            port: hostPort,
            mountPoints: volumes.map(({ path, volume }) => ({
              sourceVolume: volume.name,
              containerPath: path,
              readOnly: false,
            })),
          }),
        )
      },
      logGroup: (args) => {
        args.retentionInDays = stage.logDays
      },
      // SST's own roles may read every secret and open a shell.
      taskRole: (args) => {
        args.inlinePolicies = [about.policy]
      },
      executionRole: (args) => {
        args.managedPolicyArns = []
        args.inlinePolicies = [executionPolicy(logGroup)]
      },
    },
  })
}
