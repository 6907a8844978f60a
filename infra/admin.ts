import { bridgeLogs, bridgeStreams } from "./data/bridge-logs.ts"
import { doorbell } from "./data/doorbell.ts"
import { deliveryKey, sessionKey, settingsKey } from "./data/keys.ts"
import { apiKeyPepper, phoneSecret } from "./data/secrets.ts"
import { accounts, events, leases, requests, sessions } from "./data/tables.ts"
import { indexAccess, tableAccess } from "./iam-statement.ts"
import { router } from "./router.ts"
import { operator } from "./stage/settings.ts"
import { accountId, region } from "./stage/stage.ts"

/**
 * The settings of a deployed stage for the operator's `npm run admin`, under the names it reads from its
 * environment.
 */
const settings = {
  ACCOUNTS_TABLE: accounts.name,
  LEASES_TABLE: leases.name,
  // Only the name is given: the table itself may be read only by those who move bridges.
  SESSIONS_TABLE: sessions.name,
  EVENTS_TABLE: events.name,
  REQUESTS_TABLE: requests.name,
  DOORBELL_URL: doorbell.url,
  SESSION_WRAPPING_KEY: sessionKey.arn,
  DELIVERY_WRAPPING_KEY: deliveryKey.arn,
  LOG_GROUP: bridgeLogs.name,
  STAGE: $app.stage,
  // Where a link of `login-link` leads.
  DASHBOARD_URL: operator.dashboardUrl || router.url,
  // Where numbers are paid for, a change of an account or a bridge makes its account due for a look at
  // Stripe.
  ...(operator.stripe && { BILLING: "stripe" }),
}

const folder = `/${$app.name}/${$app.stage}/admin`

for (const [name, value] of Object.entries(settings))
  new aws.ssm.Parameter(`Admin-${name}`, { name: `${folder}/${name}`, type: "String", value })

for (const [name, value] of Object.entries({
  API_KEY_PEPPER: apiKeyPepper,
  PHONE_SECRET: phoneSecret,
}))
  new aws.ssm.Parameter(`Admin-${name}`, {
    name: `${folder}/${name}`,
    type: "SecureString",
    keyId: settingsKey.arn,
    value,
  })

const changes = ["GetItem", "UpdateItem", "DeleteItem", "Query"] as const

/**
 * For the people who operate the stage: the rights of every verb of `npm run admin` except those that move
 * bridges, and the right to read the stage's settings.
 */
new aws.iam.Policy("AdminPolicy", {
  name: `${$app.name}-${$app.stage}-admin`,
  description: `npm run admin, on the stage ${$app.stage}`,
  policy: aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        actions: ["ssm:GetParametersByPath"],
        // Both the path that is asked for and what is under it.
        resources: [folder, `${folder}/*`].map(
          (name) => $interpolate`arn:aws:ssm:${region}:${accountId}:parameter${name}`,
        ),
      },
      { actions: ["kms:Decrypt"], resources: [settingsKey.arn] },
      tableAccess(accounts, ...changes, "PutItem"),
      tableAccess(leases, ...changes),
      tableAccess(events, ...changes, "BatchGetItem", "BatchWriteItem"),
      { actions: ["sqs:SendMessage"], resources: [doorbell.arn] },
      { actions: ["logs:GetLogEvents"], resources: [bridgeStreams] },
      { actions: ["kms:RotateKeyOnDemand"], resources: [sessionKey.arn, deliveryKey.arn] },
      // An operator may wrap data keys again, under the same wrapping key alone: under a key of their own
      // they could open them.
      {
        actions: ["kms:ReEncryptFrom", "kms:ReEncryptTo"],
        resources: [sessionKey.arn, deliveryKey.arn],
        conditions: [{ test: "Bool", variable: "kms:ReEncryptOnSameKey", values: ["true"] }],
      },
    ],
  }).json,
})

/**
 * The rights of `export`, `import` (also from other gateways), `undo-import` and `take-back`, which see keys
 * and sessions in the clear. No operator has these rights except during a move (docs/operations.md, "Moving
 * bridges").
 */
new aws.iam.Policy("MovePolicy", {
  name: `${$app.name}-${$app.stage}-move`,
  description: `npm run admin, moving bridges from or to the stage ${$app.stage}`,
  policy: aws.iam.getPolicyDocumentOutput({
    statements: [
      tableAccess(accounts, "GetItem", "UpdateItem", "DeleteItem", "Query", "PutItem", "ConditionCheckItem"),
      tableAccess(leases, "GetItem", "UpdateItem", "PutItem", "DeleteItem", "ConditionCheckItem", "Query"),
      indexAccess(leases, "byHost"),
      tableAccess(sessions, "Query", "BatchGetItem", "PutItem", "DeleteItem"),
      tableAccess(events, "GetItem", "UpdateItem", "Query", "PutItem", "DeleteItem"),
      tableAccess(requests, "Scan", "PutItem"),
      { actions: ["kms:Decrypt", "kms:Encrypt"], resources: [sessionKey.arn, deliveryKey.arn] },
      { actions: ["sqs:SendMessage"], resources: [doorbell.arn] },
    ],
  }).json,
})
