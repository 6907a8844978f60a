import { vpc } from "./vpc.ts"

/** Where session hosts listen, inside the network. */
export const hostPort = 8080

export const callsGroup = group("Calls", "the function that calls session hosts")
export const hostGroup = aHostGroup("Hosts", "session hosts")

/** A group for processes that hold sessions: they reach anything, and are reached by `Calls` alone. */
export function aHostGroup(name: string, description: string) {
  const made = group(name, description)
  allow(`CallsTo${name}`, { from: callsGroup, to: made, port: hostPort })
  new aws.vpc.SecurityGroupEgressRule(`${name}ToAnywhere`, {
    description: "the network of phones, files and the services of AWS",
    securityGroupId: made.id,
    ipProtocol: "-1",
    cidrIpv4: "0.0.0.0/0",
  })
  return made
}

function group(name: string, description: string) {
  return new aws.ec2.SecurityGroup(`${name}Group`, { vpcId: vpc.id, description })
}

function allow(
  name: string,
  about: { from: aws.ec2.SecurityGroup; to: aws.ec2.SecurityGroup; port: number },
) {
  const port = {
    description: "calls of the API to session hosts",
    ipProtocol: "tcp",
    fromPort: about.port,
    toPort: about.port,
  }
  new aws.vpc.SecurityGroupEgressRule(`${name}Out`, {
    ...port,
    securityGroupId: about.from.id,
    referencedSecurityGroupId: about.to.id,
  })
  new aws.vpc.SecurityGroupIngressRule(`${name}In`, {
    ...port,
    securityGroupId: about.to.id,
    referencedSecurityGroupId: about.from.id,
  })
}
