import { aHostGroup } from "../network/groups.ts"
import { hostSubnets } from "../network/subnets.ts"
import { vpc } from "../network/vpc.ts"
import { operator } from "../stage/operator.ts"
import { cluster } from "./cluster.ts"
import { sandboxPolicy } from "./rights.ts"
import { hostTask } from "./task.ts"

/**
 * The optional sandbox: one task that is the simulated network and the host of every sandbox bridge on it. A service
 * keeps it running; the sweep starts no host of this network.
 */
if (operator.sandbox) sandbox()

function sandbox() {
  const files = new aws.efs.FileSystem("SandboxFiles", { encrypted: true })
  const group = aHostGroup("Sandbox", "the sandbox's host")
  const filesGroup = new aws.ec2.SecurityGroup("SandboxFilesGroup", {
    vpcId: vpc.id,
    description: "files of the sandbox",
  })
  // Real bridges' hosts have no business with them.
  new aws.vpc.SecurityGroupIngressRule("SandboxToFiles", {
    securityGroupId: filesGroup.id,
    referencedSecurityGroupId: group.id,
    ipProtocol: "tcp",
    fromPort: 2049,
    toPort: 2049,
  })
  const targets = hostSubnets.map(
    ({ id }, i) =>
      new aws.efs.MountTarget(`SandboxFiles${i + 1}`, {
        fileSystemId: files.id,
        subnetId: id,
        securityGroups: [filesGroup.id],
      }),
  )
  // `node` in the image.
  const owner = { uid: 1000, gid: 1000 }
  const folder = new aws.efs.AccessPoint("SandboxFolder", {
    fileSystemId: files.id,
    posixUser: owner,
    rootDirectory: {
      path: "/sandbox",
      creationInfo: { ownerUid: owner.uid, ownerGid: owner.gid, permissions: "700" },
    },
  })
  const task = hostTask("SandboxHost", {
    container: "sandbox-host",
    dockerfile: "session-host/sandbox.Dockerfile",
    cpu: "0.5 vCPU",
    // Two processes, and two hundred sessions that hardly anybody uses at once.
    memory: "2 GB",
    policy: sandboxPolicy,
    environment: { HOST_CAPACITY: "200", HOST_NETWORK: "simulated", DATA_DIR: "/data" },
    volumes: [
      {
        path: "/data",
        volume: {
          name: "data",
          efsVolumeConfiguration: {
            fileSystemId: files.id,
            transitEncryption: "ENABLED",
            authorizationConfig: { accessPointId: folder.id },
          },
        },
      },
    ],
  })
  new aws.ecs.Service(
    "SandboxHost",
    {
      cluster: cluster.nodes.cluster.arn,
      taskDefinition: task.taskDefinition,
      desiredCount: 1,
      launchType: "FARGATE",
      // Those of the stage, by which its budget counts.
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
