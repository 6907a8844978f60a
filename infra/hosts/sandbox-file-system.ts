import { hostSubnets } from "../network/subnets.ts"
import { vpc } from "../network/vpc.ts"

/** `node` in the image. */
const owner = { uid: 1000, gid: 1000 }

/**
 * The files of the simulated network, which outlive its task. Only the processes of this group reach them.
 */
export function sandboxFileSystem(group: aws.ec2.SecurityGroup) {
  const files = new aws.efs.FileSystem("SandboxFiles", { encrypted: true })
  const filesGroup = new aws.ec2.SecurityGroup("SandboxFilesGroup", {
    vpcId: vpc.id,
    description: "files of the sandbox",
  })
  // Only the sandbox's group: the hosts of real bridges have no business with these files.
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
  const folder = new aws.efs.AccessPoint("SandboxFolder", {
    fileSystemId: files.id,
    posixUser: owner,
    rootDirectory: {
      path: "/sandbox",
      creationInfo: { ownerUid: owner.uid, ownerGid: owner.gid, permissions: "700" },
    },
  })
  const volume = {
    fileSystemId: files.id,
    transitEncryption: "ENABLED",
    authorizationConfig: { accessPointId: folder.id },
  }
  return { volume, targets }
}
