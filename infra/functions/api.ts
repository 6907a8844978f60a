import { tableAccess } from "../iam-statements.ts"
import { doorbell } from "../data/doorbell.ts"
import { deliveryKey, sessionKey, settingsKey } from "../data/keys.ts"
import { apiKeyPepper, hostTokenSecret, routerSecret } from "../data/secrets.ts"
import { accounts, events, leases, requests } from "../data/tables.ts"
import { apiGroup } from "../network/groups.ts"
import { apiSubnets } from "../network/subnets.ts"
import { operator } from "../stage/settings.ts"
import { common, limits, settings } from "./common.ts"

const row = ["GetItem", "PutItem", "UpdateItem", "DeleteItem"] as const

const base = common("Api", [
  {
    actions: [
      "ec2:CreateNetworkInterface",
      "ec2:DescribeNetworkInterfaces",
      "ec2:DescribeSubnets",
      "ec2:DeleteNetworkInterface",
      "ec2:AssignPrivateIpAddresses",
      "ec2:UnassignPrivateIpAddresses",
    ],
    // Lambda makes them before they have names, and asks for exactly this.
    resources: ["*"],
  },
])

/** In the VPC: it calls session hosts by their private addresses, and reaches nothing of the internet. */
export const api = new sst.aws.Function("Api", {
  ...base,
  handler: "functions/api/handler.handler",
  // Every call is answered within 50 s (Contract, "Time to answer"); the router waits for 60.
  timeout: "55 seconds",
  // More than it needs: CPU comes with memory, and a customer waits for each cold start.
  memory: "1024 MB",
  url: { cors: false },
  vpc: { privateSubnets: apiSubnets.map(({ id }) => id), securityGroups: [apiGroup.id] },
  environment: {
    ...settings,
    ...limits,
    METRICS_SERVICE: "api",
    SANDBOX: operator.sandbox ? "1" : "0",
    ACCOUNTS_TABLE: accounts.name,
    LEASES_TABLE: leases.name,
    EVENTS_TABLE: events.name,
    REQUESTS_TABLE: requests.name,
    DOORBELL_URL: doorbell.url,
    SESSION_WRAPPING_KEY: sessionKey.arn,
    DELIVERY_WRAPPING_KEY: deliveryKey.arn,
    API_KEY_PEPPER: apiKeyPepper,
    HOST_TOKEN_SECRET: hostTokenSecret.current,
    ...(hostTokenSecret.before && { HOST_TOKEN_SECRET_BEFORE: hostTokenSecret.before }),
    ROUTER_SECRET: routerSecret.current,
    ...(routerSecret.before && { ROUTER_SECRET_BEFORE: routerSecret.before }),
  },
  permissions: [
    tableAccess(accounts, ...row, "Query"),
    tableAccess(leases, ...row),
    tableAccess(requests, ...row),
    // A bridge is made, changed and deleted together with the row of its delivery, which says where its events go. Lists
    // of events are read in batches, and what no longer belongs there is taken off them.
    tableAccess(events, ...row, "Query", "BatchGetItem", "BatchWriteItem"),
    // A customer who ends an event's wait wakes the doorbell that rests until then.
    { actions: ["sqs:SendMessage", "sqs:ChangeMessageVisibility"], resources: [doorbell.arn] },
    // A new bridge's session key is made here, and never seen here.
    { actions: ["kms:GenerateDataKeyWithoutPlaintext"], resources: [sessionKey.arn] },
    { actions: ["kms:GenerateDataKey", "kms:Decrypt"], resources: [deliveryKey.arn] },
    // Its own environment.
    { actions: ["kms:Decrypt"], resources: [settingsKey.arn] },
  ],
  transform: {
    ...base.transform,
    function: (args) => {
      args.kmsKeyArn = settingsKey.arn
    },
  },
})
