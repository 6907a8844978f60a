import { region } from "../stage/stage.ts"
import { outward, vpc } from "./vpc.ts"

/** These endpoints cost nothing, and are the shorter way for hosts. */
for (const [name, service] of Object.entries({ DynamoDb: "dynamodb", S3: "s3" }))
  new aws.ec2.VpcEndpoint(`${name}Gateway`, {
    vpcId: vpc.id,
    vpcEndpointType: "Gateway",
    serviceName: $interpolate`com.amazonaws.${region}.${service}`,
    routeTableIds: [outward.id],
  })
