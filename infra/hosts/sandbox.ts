import { aHostGroup } from "../network/groups.ts"
import { hostSubnets } from "../network/subnets.ts"
import { operator } from "../stage/settings.ts"
import { cluster } from "./cluster.ts"
import { sandboxPolicy } from "./rights.ts"
import { sandboxFileSystem } from "./sandbox-file-system.ts"
import { hostTask } from "./task.ts"

/**
 * The optional sandbox: one task that is the simulated network and the host of every sandbox bridge on it. A
 * service keeps it running; the sweep starts no host of this network.
 */
if (operator.sandbox) sandbox()

function sandbox() {
  const group = aHostGroup("Sandbox", "host of the sandbox")
  const { volume, targets } = sandboxFileSystem(group)
  const task = hostTask("SandboxHost", {
    container: "sandbox-host",
    dockerfile: "session-host/sandbox.Dockerfile",
    cpu: "0.5 vCPU",
    // Two processes, and two hundred sessions, few of which are in use at the same time.
    memory: "2 GB",
    policy: sandboxPolicy,
    environment: { HOST_CAPACITY: "200", HOST_NETWORK: "simulated", DATA_DIR: "/data" },
    volumes: [{ path: "/data", volume: { name: "data", efsVolumeConfiguration: volume } }],
  })
  new aws.ecs.Service(
    "SandboxHost",
    {
      cluster: cluster.nodes.cluster.arn,
      taskDefinition: task.taskDefinition,
      desiredCount: 1,
      launchType: "FARGATE",
      // The stage's tags, by which its budget counts.
      propagateTags: "TASK_DEFINITION",
      // Never two at once: the network's files have one writer.
      deploymentMinimumHealthyPercent: 0,
      deploymentMaximumPercent: 100,
      networkConfiguration: {
        subnets: hostSubnets.map(({ id }) => id),
        securityGroups: [group.id],
        assignPublicIp: true,
      },
    },
    { dependsOn: targets },
  )
}
