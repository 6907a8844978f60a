import { vpc } from "./vpc.ts"

/** Where session hosts listen, inside the network. */
export const hostPort = 8080

export const apiGroup = group("Api", "the API")
export const hostGroup = aHostGroup("Hosts", "session hosts")
export const endpointGroup = group("Endpoints", "endpoints of AWS services")

allow("ApiToEndpoints", { from: apiGroup, to: endpointGroup, port: 443 })

/** A group for processes that hold sessions: they reach anything, and are reached by the API alone. */
export function aHostGroup(name: string, description: string) {
  const made = group(name, description)
  allow(`ApiTo${name}`, { from: apiGroup, to: made, port: hostPort })
  new aws.vpc.SecurityGroupEgressRule(`${name}ToAnywhere`, {
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
  const port = { ipProtocol: "tcp", fromPort: about.port, toPort: about.port }
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
