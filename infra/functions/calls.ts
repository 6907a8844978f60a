import { settingsKey } from "../data/keys.ts"
import { hostTokenSecret } from "../data/secrets.ts"
import { callsGroup } from "../network/groups.ts"
import { callsSubnets } from "../network/subnets.ts"
import { commonArguments, settings } from "./common.ts"

const rights = [
  {
    actions: [
      "ec2:CreateNetworkInterface",
      "ec2:DescribeNetworkInterfaces",
      "ec2:DescribeSubnets",
      "ec2:DeleteNetworkInterface",
      "ec2:AssignPrivateIpAddresses",
      "ec2:UnassignPrivateIpAddresses",
    ],
    // Lambda makes network interfaces before they have names, and asks for exactly this.
    resources: ["*"],
  },
]

/**
 * Calls session hosts for the functions that are outside their network. Only this function is inside, and has
 * the secret that signs these calls. It reaches nothing else, neither the internet nor any service of AWS.
 * Inside, each service of AWS needs an endpoint that is paid for by the hour, the internet needs a NAT
 * gateway, and the URL of a function cannot stream: so the others are outside. Each call costs one invocation
 * and one place more. Where Lambda has no place for this function, nothing was sent.
 */
export const calls = new sst.aws.Function("Calls", {
  ...commonArguments("Calls", { rights, secrets: true }),
  handler: "functions/calls/handler.handler",
  // As long as the functions that ask it (Contract, "Time to answer").
  timeout: "55 seconds",
  // It waits for hosts nearly all of its time, and loads no AWS client.
  memory: "256 MB",
  vpc: { privateSubnets: callsSubnets.map(({ id }) => id), securityGroups: [callsGroup.id] },
  environment: {
    ...settings,
    HOST_TOKEN_SECRET: hostTokenSecret.current,
    ...(hostTokenSecret.before && { HOST_TOKEN_SECRET_BEFORE: hostTokenSecret.before }),
  },
  // Its own environment.
  permissions: [{ actions: ["kms:Decrypt"], resources: [settingsKey.arn] }],
})
