import { allZones, usable } from "./stage/region.ts"
import { region, stage } from "./stage/stage.ts"

/** Where session hosts listen, inside the network. */
export const hostPort = 8080

const vpc = new aws.ec2.Vpc("Network", {
  cidrBlock: "10.0.0.0/16",
  enableDnsSupport: true,
  enableDnsHostnames: true,
  tags: { Name: `${$app.name}-${$app.stage}` },
})

export const vpcId = vpc.id

/** Nothing uses it; what is put into it by mistake reaches nothing. */
new aws.ec2.DefaultSecurityGroup("Unused", { vpcId: vpc.id, ingress: [], egress: [] })

const internet = new aws.ec2.InternetGateway("Internet", { vpcId: vpc.id })
const outward = new aws.ec2.RouteTable("Outward", {
  vpcId: vpc.id,
  routes: [{ cidrBlock: "0.0.0.0/0", gatewayId: internet.id }],
})
const inward = new aws.ec2.RouteTable("Inward", { vpcId: vpc.id, routes: [] })

const zones = aws.getAvailabilityZonesOutput(allZones).zoneIds.apply(usable)

/** Session hosts: they dial the messaging network and fetch media. Public addresses cost less than a NAT. */
export const hostSubnets = [0, 1].map((i) =>
  subnet(`HostSubnet${i + 1}`, { zone: i, cidrBlock: `10.0.${i * 32}.0/19`, routeTable: outward }),
)

/** The API: no way to the internet, in or out. */
export const apiSubnets = [0, 1].map((i) =>
  subnet(`ApiSubnet${i + 1}`, { zone: i, cidrBlock: `10.0.${128 + i * 32}.0/19`, routeTable: inward }),
)

/** Without charge, and for hosts the shorter way. */
const dynamodb = gateway("DynamoDb", "dynamodb")
const s3 = gateway("S3", "s3")

export const apiGroup = group("Api", "the API")
export const hostGroup = aHostGroup("Hosts", "session hosts")
const endpointGroup = group("Endpoints", "endpoints of AWS services")

/** The API needs these two besides DynamoDB: bridges' keys and doorbells. Each zone is billed by the hour. */
endpoint("Kms", "kms")
endpoint("Sqs", "sqs")

allow("ApiToEndpoints", { from: apiGroup, to: endpointGroup, port: 443 })
for (const [name, { prefixListId }] of Object.entries({ DynamoDb: dynamodb, S3: s3 }))
  new aws.vpc.SecurityGroupEgressRule(`ApiTo${name}`, {
    securityGroupId: apiGroup.id,
    ipProtocol: "tcp",
    fromPort: 443,
    toPort: 443,
    prefixListId,
  })
/** Of processes that hold sessions: they reach anything, and are reached by the API alone. */
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

function subnet(name: string, about: { zone: number; cidrBlock: string; routeTable: aws.ec2.RouteTable }) {
  const made = new aws.ec2.Subnet(
    name,
    {
      vpcId: vpc.id,
      cidrBlock: about.cidrBlock,
      availabilityZoneId: zones.apply((ids) => ids[about.zone]),
      tags: { Name: `${$app.name}-${$app.stage}-${name}` },
    },
    // It stays where it was made: another one of its addresses cannot be made before it is gone.
    { ignoreChanges: ["availabilityZone", "availabilityZoneId"] },
  )
  new aws.ec2.RouteTableAssociation(name, { subnetId: made.id, routeTableId: about.routeTable.id })
  return made
}

function gateway(name: string, service: string) {
  return new aws.ec2.VpcEndpoint(`${name}Gateway`, {
    vpcId: vpc.id,
    vpcEndpointType: "Gateway",
    serviceName: $interpolate`com.amazonaws.${region}.${service}`,
    routeTableIds: [outward.id, inward.id],
  })
}

function endpoint(name: string, service: string) {
  return new aws.ec2.VpcEndpoint(`${name}Endpoint`, {
    vpcId: vpc.id,
    vpcEndpointType: "Interface",
    serviceName: $interpolate`com.amazonaws.${region}.${service}`,
    subnetIds: apiSubnets.slice(0, stage.endpointZones).map(({ id }) => id),
    securityGroupIds: [endpointGroup.id],
    privateDnsEnabled: true,
  })
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
