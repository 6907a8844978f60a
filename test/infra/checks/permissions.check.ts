import { expect, inject, test } from "vitest"
import { settingsOfStage } from "#admin/which-service.ts"
import { madeUp } from "../evaluate.ts"
import { graphOf, isSecret, plain, type Statement } from "../graph.ts"
import { lintPolicies } from "../lint-policies.ts"

const graph = graphOf(inject("production"))

const roles = [
  "ApiRole",
  "CallsRole",
  "StreamRole",
  "TransferRole",
  "DashboardRole",
  "DashboardStreamRole",
  "DeliveryRole",
  "SweepRole",
  "SessionHostTaskRole",
  "SessionHostExecutionRole",
  "TroublesRole",
  "EachMinuteRole",
  "TellEachMinuteRole",
]

const secrets = ["ApiKeyPepper1", "HostTokenSecret1", "PhoneSecret1", "RouterSecret1"].map(madeUp)

/** By role, what it may do to whatever is named so. */
function mayDo(role: string, resource: string): string[] {
  return graph
    .permissions(role)
    .filter(({ resources }) => resources.some((arn) => arn.includes(resource)))
    .flatMap(({ actions }) => actions)
    .toSorted()
}

function whoMay(action: string, resource: string): string[] {
  return roles.filter((role) => mayDo(role, resource).includes(action))
}

test("these are all the roles there are, and none is granted one of AWS's ready-made policies", () => {
  const made = graph.all("iam/role:Role")
  expect(made.map(({ name }) => name).toSorted()).toEqual(roles.toSorted())
  for (const { inputs } of made) expect(inputs.managedPolicyArns ?? []).toEqual([])
})

test("the operator's policies are the only others; but for moving bridges, none opens a bridge's secrets", () => {
  const policies = graph.all("iam/policy:Policy").map(({ name }) => name)
  expect(policies.toSorted()).toEqual(["AdminPolicy", "MovePolicy"])
  expect(mayDo("AdminPolicy", "SessionsTable")).toEqual([])
  const onKeys = ["kms:ReEncryptFrom", "kms:ReEncryptTo", "kms:RotateKeyOnDemand"]
  for (const key of ["SessionKey", "DeliveryKey"]) expect(mayDo("AdminPolicy", key)).toEqual(onKeys)
  expect(mayDo("AdminPolicy", "parameter/messaging-bridge/production/admin/*")).toEqual([
    "ssm:GetParametersByPath",
  ])
  const parameters = graph.permissions("AdminPolicy").flatMap(({ resources }) => resources)
  expect(parameters.filter((arn) => arn.includes(":ssm:"))).toHaveLength(2)
  const whole = graph
    .permissions("AdminPolicy")
    .flatMap(({ actions, resources }) => [...actions, ...resources])
  expect(whole.filter((one) => one === "*" || (one.endsWith(":*") && !one.includes("log-stream")))).toEqual(
    [],
  )
})

test.for([
  ["ApiRole", "lambda"],
  ["CallsRole", "lambda"],
  ["StreamRole", "lambda"],
  ["TransferRole", "lambda"],
  ["DashboardRole", "lambda"],
  ["DashboardStreamRole", "lambda"],
  ["DeliveryRole", "lambda"],
  ["SweepRole", "lambda"],
  ["TroublesRole", "lambda"],
  ["EachMinuteRole", "scheduler"],
  ["TellEachMinuteRole", "scheduler"],
  ["SessionHostTaskRole", "ecs-tasks"],
  ["SessionHostExecutionRole", "ecs-tasks"],
] as const)("%s is assumed by %s alone", ([role, service]) => {
  const { assumeRolePolicy } = graph.one("iam/role:Role", role)
  expect(assumeRolePolicy).toMatchObject({
    Statement: [{ Action: "sts:AssumeRole", Principal: { Service: `${service}.amazonaws.com` } }],
  })
  expect(JSON.stringify(assumeRolePolicy)).not.toContain("AWS")
})

test("every policy is what IAM takes: actions of the resource's service, whole ARNs, and within its size", () => {
  expect(lintPolicies(graph)).toBeGreaterThan(7)
})

test("no action is granted whole, and every resource has its name where AWS gives it one", () => {
  const whole: Statement[] = roles
    .flatMap((role) => graph.permissions(role))
    .filter(
      ({ actions, resources }) => actions.some((action) => action.includes("*")) || resources.includes("*"),
    )
  expect(whole.flatMap(({ actions }) => actions).toSorted()).toEqual([
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:UnassignPrivateIpAddresses",
    "ecr:GetAuthorizationToken",
  ])
})

test("session hosts alone read Sessions and unwrap session keys", () => {
  const touch = roles.filter((role) => mayDo(role, "SessionsTable").length > 0)
  expect(touch).toEqual(["SessionHostTaskRole"])
  expect(whoMay("kms:Decrypt", "SessionKey")).toEqual(["SessionHostTaskRole"])
  expect(mayDo("ApiRole", "SessionKey")).toEqual(["kms:GenerateDataKeyWithoutPlaintext"])
})

test("event bodies and webhook secrets are opened only by those who serve, test, deliver or post them", () => {
  expect(whoMay("kms:Decrypt", "DeliveryKey")).toEqual([
    "ApiRole",
    "StreamRole",
    "TransferRole",
    "DashboardRole",
    "DashboardStreamRole",
    "DeliveryRole",
    "SessionHostTaskRole",
    "TroublesRole",
  ])
})

test("hosts cannot read accounts, delivery no leases, and the sweep reads deliveries and opens nothing", () => {
  expect(mayDo("SessionHostTaskRole", "AccountsTable")).toEqual([])
  for (const role of ["StreamRole", "TransferRole"])
    expect(mayDo(role, "AccountsTable")).toEqual(["dynamodb:GetItem", "dynamodb:Query"])
  expect(mayDo("TransferRole", "EventsTable")).toEqual(["dynamodb:GetItem"])
  expect(mayDo("StreamRole", "EventsTable")).toEqual(["dynamodb:GetItem", "dynamodb:Query"])
  expect(mayDo("StreamRole", "LeasesTable")).toEqual([])
  expect(mayDo("DeliveryRole", "LeasesTable")).toEqual([])
  expect(mayDo("DeliveryRole", "AccountsTable")).toEqual([])
  for (const role of ["SweepRole", "DashboardRole"])
    expect(mayDo(role, "EventsTable/index/bySince")).toEqual(["dynamodb:Query"])
  expect(mayDo("SweepRole", "EventsTable")).toEqual([
    "dynamodb:BatchGetItem",
    "dynamodb:GetItem",
    "dynamodb:Query",
    "dynamodb:UpdateItem",
  ])
  expect(mayDo("SweepRole", "Key").filter((action) => action.startsWith("kms:"))).toEqual([])
  expect(mayDo("TroublesRole", "EventsTable")).toEqual([
    "dynamodb:BatchGetItem",
    "dynamodb:GetItem",
    "dynamodb:Query",
  ])
  expect(mayDo("TroublesRole", "EventsTable/index")).toEqual(["dynamodb:Query"])
})

test("media are stored by hosts, and read by who hands them on; API and dashboard sign uploads alone", () => {
  expect(whoMay("s3:PutObject", "MediaBucket/*/upload-*")).toEqual(["ApiRole", "DashboardRole"])
  expect(whoMay("s3:PutObject", "MediaBucket/*")).toEqual(["ApiRole", "DashboardRole", "SessionHostTaskRole"])
  expect(whoMay("s3:GetObject", "MediaBucket/*")).toEqual([
    "ApiRole",
    "TransferRole",
    "DashboardRole",
    "SessionHostTaskRole",
  ])
})

test("customers' logs: hosts, delivery, API and dashboard write, streaming functions read, hosts remove", () => {
  const streams = "/bridges:log-stream:*"
  expect(whoMay("logs:PutLogEvents", streams)).toEqual([
    "ApiRole",
    "DashboardRole",
    "DeliveryRole",
    "SessionHostTaskRole",
  ])
  expect(whoMay("logs:GetLogEvents", streams)).toEqual(["StreamRole", "DashboardRole", "DashboardStreamRole"])
  expect(whoMay("logs:DeleteLogStream", streams)).toEqual(["SessionHostTaskRole"])
})

test("hosts are called through one function, which may do nothing else; streams pass on to the API", () => {
  expect(whoMay("lambda:InvokeFunction", "CallsFunction")).toEqual([
    "ApiRole",
    "DashboardRole",
    "DashboardStreamRole",
  ])
  expect(whoMay("lambda:InvokeFunction", "ApiFunction")).toEqual(["StreamRole", "TransferRole"])
  const own = graph.permissions("CallsRole").filter(({ resources }) => !resources.includes("*"))
  expect(own.flatMap(({ actions }) => actions).toSorted()).toEqual([
    "kms:Decrypt",
    "logs:CreateLogStream",
    "logs:PutLogEvents",
  ])
})

test("the doorbell is rung by all, and answered by delivery alone", () => {
  expect(whoMay("sqs:SendMessage", "DoorbellQueue")).toEqual([
    "ApiRole",
    "DashboardRole",
    "DeliveryRole",
    "SweepRole",
    "SessionHostTaskRole",
  ])
  expect(whoMay("sqs:ReceiveMessage", "DoorbellQueue")).toEqual(["DeliveryRole"])
  expect(whoMay("sqs:ChangeMessageVisibility", "DoorbellQueue")).toEqual([
    "ApiRole",
    "DashboardRole",
    "DeliveryRole",
    "SweepRole",
  ])
})

test("the dashboard and troubles mail from the stage's address; live parts write only marks in accounts", () => {
  expect(whoMay("ses:SendEmail", "identity/bridge@mail.example.com")).toEqual([
    "DashboardRole",
    "TroublesRole",
  ])
  for (const domain of ["mail.example.com", "example.com"])
    expect(mayDo("DashboardRole", `:identity/${domain}`)).toEqual(["ses:SendEmail"])
  expect(mayDo("DashboardRole", ":identity/com")).toEqual([])
  expect(mayDo("DashboardStreamRole", "AccountsTable")).toEqual([
    "dynamodb:GetItem",
    "dynamodb:Query",
    "dynamodb:UpdateItem",
  ])
  expect(mayDo("DashboardRole", "SessionKey")).toEqual(["kms:GenerateDataKeyWithoutPlaintext"])
})

test("the sweep alone starts and stops tasks, of this service and in this cluster", () => {
  // Any revision: during a deploy it names the one before.
  expect(mayDo("SweepRole", "task-definition/SessionHostTask:*")).toEqual(["ecs:RunTask"])
  expect(mayDo("SweepRole", "task/HostsCluster/*")).toEqual([
    "ecs:DescribeTasks",
    "ecs:StopTask",
    "ecs:TagResource",
  ])
  expect(whoMay("ecs:RunTask", "task-definition")).toEqual(["SweepRole"])
  expect(whoMay("iam:PassRole", "SessionHostTaskRole")).toEqual(["SweepRole"])
  const passing = graph.permissions("SweepRole").filter(({ actions }) => actions.includes("iam:PassRole"))
  const tagging = graph.permissions("SweepRole").filter(({ actions }) => actions.includes("ecs:TagResource"))
  expect(tagging.map(({ conditions }) => conditions)).toEqual([
    { StringEquals: { "ecs:CreateAction": ["RunTask"] } },
  ])
  expect(passing.map(({ conditions }) => conditions)).toEqual([
    { StringEquals: { "iam:PassedToService": ["ecs-tasks.amazonaws.com"] } },
  ])
})

test("no secret stands in plain text: tasks read theirs from SSM, environments are under a key", () => {
  const holders = graph
    .all("lambda/function:Function")
    .filter(({ name }) => Object.values(graph.environment(name)).some((value) => secrets.includes(value)))
  expect(holders.map(({ name }) => name).toSorted()).toEqual([
    "ApiFunction",
    "CallsFunction",
    "DashboardFunction",
    "DashboardStreamFunction",
    "StreamFunction",
    "TransferFunction",
  ])
  for (const { inputs } of holders) {
    expect(inputs.kmsKeyArn).toContain("SettingsKey")
    expect(isSecret(inputs.environment)).toBe(true)
  }

  const { environment, secrets: fromSsm } = graph.container()
  expect(environment.filter(({ value }) => secrets.includes(value))).toEqual([])
  expect(fromSsm).toEqual([
    { name: "HOST_TOKEN_SECRET", valueFrom: expect.stringMatching(/hosts\/HOST_TOKEN_SECRET\/1$/) },
    { name: "PHONE_SECRET", valueFrom: expect.stringMatching(/hosts\/PHONE_SECRET$/) },
  ])
})

test("Systems Manager encrypts secrets under the settings key, and of sessions keeps a table's name alone", () => {
  const parameters = graph.all("ssm/parameter:Parameter").map(({ inputs }) => inputs)
  const secret = parameters.filter(({ type }) => type === "SecureString")
  expect(secret.map(({ name }) => String(name)).toSorted()).toEqual([
    "/messaging-bridge/production/admin/API_KEY_PEPPER",
    "/messaging-bridge/production/admin/PHONE_SECRET",
    "/messaging-bridge/production/hosts/HOST_TOKEN_SECRET/1",
    "/messaging-bridge/production/hosts/PHONE_SECRET",
  ])
  for (const parameter of secret)
    expect(parameter).toMatchObject({ keyId: expect.stringContaining("SettingsKey") })
  const holders = parameters.filter(({ value }) => secrets.includes(String(plain(value))))
  expect(holders).toEqual(secret)
  const ofSessions = parameters.filter((one) => JSON.stringify(one).includes("SessionsTable"))
  expect(ofSessions.map(({ name }) => name)).toEqual(["/messaging-bridge/production/admin/SESSIONS_TABLE"])
})

test("the operator's command finds every setting that it shares with the API", () => {
  const admin = "/messaging-bridge/production/admin/"
  const told = Object.fromEntries(
    graph
      .all("ssm/parameter:Parameter")
      .filter(({ inputs }) => String(inputs.name).startsWith(admin))
      .map(({ inputs }) => [String(inputs.name).slice(admin.length), plain(inputs.value)]),
  )
  expect(Object.keys(told).toSorted()).toEqual(settingsOfStage.toSorted())
  const { DASHBOARD_URL, PHONE_SECRET, SESSIONS_TABLE: _, ...withApi } = told
  expect(DASHBOARD_URL).toMatch(/^https:/)
  expect(graph.environment("ApiFunction")).toMatchObject(withApi)
  expect(graph.environment("DashboardFunction")).toMatchObject({ PHONE_SECRET })
})

test("no resource is linked: SST's key would open an empty object", () => {
  for (const { name } of graph.all("lambda/function:Function")) {
    const linked = Object.keys(graph.environment(name)).filter((key) => key.startsWith("SST_RESOURCE_"))
    expect(linked).toEqual(["SST_RESOURCE_App"])
  }
})
