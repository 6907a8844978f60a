import { region, stage } from "../stage/stage.ts"
import { apiGroup, endpointGroup } from "./groups.ts"
import { apiSubnets } from "./subnets.ts"
import { inward, outward, vpc } from "./vpc.ts"

/** Without charge, and for hosts the shorter way. */
const dynamodb = gateway("DynamoDb", "dynamodb")
const s3 = gateway("S3", "s3")

/** The API needs these two besides DynamoDB: bridges' keys and doorbells. Each zone is billed by the hour. */
endpoint("Kms", "kms")
endpoint("Sqs", "sqs")

for (const [name, { prefixListId }] of Object.entries({ DynamoDb: dynamodb, S3: s3 }))
  new aws.vpc.SecurityGroupEgressRule(`ApiTo${name}`, {
    securityGroupId: apiGroup.id,
    ipProtocol: "tcp",
    fromPort: 443,
    toPort: 443,
    prefixListId,
  })

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
