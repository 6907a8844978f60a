/**
 * Rights that no act needs, each with its reason. One that is needed after all, or is gone, fails the
 * rehearsal.
 */
export const kept: Record<string, string> = {
  ...because(
    "Systems Manager asks for the path or for what is under it, which its documentation does not say",
    "AdminPolicy ssm:GetParametersByPath parameter/messaging-bridge/staging/admin/*",
  ),
  ...because(
    "an entry of a list of events that leads nowhere is taken off it, and here all lead somewhere",
    "AdminPolicy dynamodb:BatchWriteItem table/EventsTable",
    "ApiRole dynamodb:BatchWriteItem table/EventsTable",
    "DashboardRole dynamodb:BatchWriteItem table/EventsTable",
  ),
  ...because(
    "SES may know a domain in place of the address: whichever it knows it asks for",
    "DashboardRole ses:SendEmail identity/example.com",
    "DashboardRole ses:SendEmail identity/mail.example.com",
    "TroublesRole ses:SendEmail identity/example.com",
    "TroublesRole ses:SendEmail identity/mail.example.com",
  ),
  ...because(
    "a bridge that nobody has paid for in thirty days is unlinked and deleted",
    "SubscriptionsRole dynamodb:DeleteItem table/EventsTable",
    "SubscriptionsRole lambda:InvokeFunction function:CallsFunction",
  ),
  ...because(
    "what an import has left that was interrupted is removed: `admin.check.ts` undoes one",
    "MovePolicy dynamodb:DeleteItem table/AccountsTable",
    "MovePolicy dynamodb:DeleteItem table/LeasesTable",
  ),
  ...because(
    "the current version of WhatsApp Web, which the simulated network does not have",
    "SessionHostTaskRole dynamodb:GetItem table/SessionsTable",
  ),
  ...because(
    "an upload in parts that fails is taken back",
    "SessionHostTaskRole s3:AbortMultipartUpload MediaBucket/*",
  ),
  // The sandbox's host runs the same code as every host, whose rights are needed above. Its people do less:
  // they send it no media, and its customer retries no send. It outlives its stage's hour without a deletion
  // that is finished or another host.
  ...because(
    "as every host, on the rows and files of the sandbox's bridges alone",
    "SandboxHostTaskRole dynamodb:BatchWriteItem table/EventsTable BRIDGE#5a4db0c5-*",
    "SandboxHostTaskRole dynamodb:BatchWriteItem table/SessionsTable BRIDGE#5a4db0c5-*",
    "SandboxHostTaskRole dynamodb:DeleteItem table/LeasesTable BRIDGE#5a4db0c5-*",
    "SandboxHostTaskRole dynamodb:GetItem table/SessionsTable BRIDGE#5a4db0c5-*",
    "SandboxHostTaskRole logs:DeleteLogStream log-group:/messaging-bridge/staging/bridges:log-stream:5a4db0c5-*",
    "SandboxHostTaskRole s3:AbortMultipartUpload MediaBucket/5a4db0c5-*",
    "SandboxHostTaskRole s3:GetObject MediaBucket/5a4db0c5-*",
    "SandboxHostTaskRole s3:ListBucket MediaBucket",
    "SandboxHostTaskRole s3:PutObject MediaBucket/5a4db0c5-*",
  ),
  ...because(
    "one statement with the rows of bridges: whatever is done to theirs, and to no others",
    "SandboxHostTaskRole dynamodb:ConditionCheckItem table/LeasesTable HOSTS*",
    "SandboxHostTaskRole dynamodb:ConditionCheckItem table/LeasesTable PHONE#*",
    "SandboxHostTaskRole dynamodb:DeleteItem table/LeasesTable HOSTS*",
    "SandboxHostTaskRole dynamodb:DeleteItem table/LeasesTable PHONE#*",
    "SandboxHostTaskRole dynamodb:GetItem table/LeasesTable HOSTS*",
    "SandboxHostTaskRole dynamodb:GetItem table/LeasesTable PHONE#*",
  ),
}

const ofBridges = "log-group:/messaging-bridge/staging/bridges:log-stream"

/**
 * Rights that are needed in one run and not in the next, since another role may be first, or late. One that
 * is gone fails the rehearsal.
 */
export const byChance: Record<string, string> = {
  ...because(
    "whoever writes the first line of a bridge's log makes its stream",
    `ApiRole logs:CreateLogStream ${ofBridges}:*`,
    `DashboardRole logs:CreateLogStream ${ofBridges}:*`,
    `DeliveryRole logs:CreateLogStream ${ofBridges}:*`,
    `SessionHostTaskRole logs:CreateLogStream ${ofBridges}:*`,
    `SandboxHostTaskRole logs:CreateLogStream ${ofBridges}:5a4db0c5-*`,
  ),
  ...because(
    "a host writes the answer of a send under a key that succeeds: in the sandbox that may be none, or a status",
    "SandboxHostTaskRole dynamodb:UpdateItem table/RequestsTable",
  ),
  ...because(
    "a retry ends a doorbell's rest, if it rests",
    "ApiRole sqs:ChangeMessageVisibility DoorbellQueue",
    "DashboardRole sqs:ChangeMessageVisibility DoorbellQueue",
  ),
  ...because(
    "what is given up is on a page's stream if it was so by then, and a browser's visit is noted now and then",
    "DashboardStreamRole dynamodb:BatchGetItem table/EventsTable",
    "DashboardStreamRole dynamodb:UpdateItem table/AccountsTable",
  ),
  ...because(
    "somebody waits for the code of a bridge that is idle",
    "DashboardStreamRole dynamodb:UpdateItem table/LeasesTable",
  ),
  ...because(
    "Stripe's news of a payment is looked at by its webhook or by the look of each minute, whichever comes first",
    "SubscriptionsRole dynamodb:UpdateItem table/LeasesTable",
  ),
  ...because("a delivery that takes long hands on by ringing", "DeliveryRole sqs:SendMessage DoorbellQueue"),
  ...because(
    "a stream that ends by itself gives up its places",
    "StreamRole dynamodb:DeleteItem table/RequestsTable",
  ),
  ...because(
    "a doorbell that is late or lost is rung again",
    "SweepRole dynamodb:BatchGetItem table/EventsTable",
    "SweepRole dynamodb:GetItem table/EventsTable",
    "SweepRole sqs:ChangeMessageVisibility DoorbellQueue",
    "SweepRole dynamodb:UpdateItem table/EventsTable",
    "SweepRole sqs:SendMessage DoorbellQueue",
  ),
  ...because("a host that does not drain is stopped", "SweepRole ecs:StopTask task/HostsCluster/*"),
}

function because(reason: string, ...rights: string[]): Record<string, string> {
  return Object.fromEntries(rights.map((right) => [right, reason]))
}
