import { cluster, hardened, hostPolicy, hostSettings, startPolicy } from "./hosts.ts"
import { hostGroup, hostSubnets, vpcId } from "./network.ts"
import { hostTokenParameter } from "./secrets.ts"
import { operator, stage } from "./stage.ts"

/** The only container; also where its log is. */
const container = "sandbox-host"
const logGroup = `/${$app.name}/${$app.stage}/${container}`

/**
 * The optional sandbox: one task that is the simulated network and the host of every sandbox bridge on it. A service
 * keeps it running; the sweep starts no host of this network.
 */
if (operator.sandbox) sandbox()

function sandbox() {
  const files = new aws.efs.FileSystem("SandboxFiles", { encrypted: true })
  const group = new aws.ec2.SecurityGroup("SandboxFilesGroup", { vpcId, description: "files of the sandbox" })
  new aws.vpc.SecurityGroupIngressRule("HostsToSandboxFiles", {
    securityGroupId: group.id,
    referencedSecurityGroupId: hostGroup.id,
    ipProtocol: "tcp",
    fromPort: 2049,
    toPort: 2049,
  })
  const targets = hostSubnets.map(
    ({ id }, i) =>
      new aws.efs.MountTarget(`SandboxFiles${i + 1}`, {
        fileSystemId: files.id,
        subnetId: id,
        securityGroups: [group.id],
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
  const task = new sst.aws.Task("SandboxHost", {
    cluster,
    architecture: "arm64",
    cpu: "0.5 vCPU",
    // Two processes, and two hundred sessions that hardly anybody uses at once.
    memory: "2 GB",
    containers: [
      {
        name: container,
        image: { context: ".", dockerfile: "session-host/sandbox.Dockerfile" },
        logging: { name: logGroup },
        environment: {
          ...hostSettings,
          HOST_CAPACITY: "200",
          HOST_NETWORK: "simulated",
          DATA_DIR: "/data",
        },
        ssm: { HOST_TOKEN_SECRET: hostTokenParameter.arn },
      },
    ],
    transform: {
      taskDefinition: (args) => {
        args.volumes = [
          { name: "tmp" },
          {
            name: "data",
            efsVolumeConfiguration: {
              fileSystemId: files.id,
              transitEncryption: "ENABLED",
              authorizationConfig: { accessPointId: folder.id },
            },
          },
        ]
        args.containerDefinitions = $util
          .jsonParse(args.containerDefinitions)
          .apply((definitions) => hardened(definitions, { data: "/data" }))
      },
      logGroup: (args) => {
        args.retentionInDays = stage.logDays
      },
      taskRole: (args) => {
        args.inlinePolicies = [hostPolicy]
      },
      executionRole: (args) => {
        args.managedPolicyArns = []
        args.inlinePolicies = [startPolicy(logGroup)]
      },
    },
  })
  new aws.ecs.Service(
    "SandboxHost",
    {
      cluster: cluster.nodes.cluster.arn,
      taskDefinition: task.taskDefinition,
      desiredCount: 1,
      launchType: "FARGATE",
      // Never two at once: the network's files have one writer.
      deploymentMinimumHealthyPercent: 0,
      deploymentMaximumPercent: 100,
      networkConfiguration: {
        subnets: hostSubnets.map(({ id }) => id),
        securityGroups: [hostGroup.id],
        assignPublicIp: true,
      },
    },
    { dependsOn: targets },
  )
}
