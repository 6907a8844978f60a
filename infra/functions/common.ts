import { logsTo, policy, type Statement } from "../iam-statement.ts"
import { stage } from "../stage/stage.ts"
import { operator } from "../stage/settings.ts"
import { given } from "../stage/passed-on.ts"

/**
 * The arguments that every function has in common. `SST_KEY`, which SST adds to the environment, opens the file of linked resources
 * in the bundle: nothing is linked (a link grants everything), so it opens an empty object.
 */
export function common(name: string, more: Statement[] = []) {
  const logs = new aws.cloudwatch.LogGroup(`${name}Logs`, {
    name: `/${$app.name}/${$app.stage}/${name.toLowerCase()}`,
    retentionInDays: stage.logDays,
  })
  return {
    runtime: "nodejs24.x",
    architecture: "arm64",
    // SST's component says that this is the default, and its program (4.17.1) takes the opposite.
    nodejs: { minify: true },
    logging: { logGroup: logs.name },
    transform: {
      role: (args: aws.iam.RoleArgs): undefined => {
        // SST 4.17.1 lets the whole account assume the role, which it needs for `sst dev` alone.
        args.assumeRolePolicy = aws.iam.assumeRolePolicyForPrincipal({ Service: "lambda.amazonaws.com" })
        // AWS's ready-made policies may write to every log group.
        args.managedPolicyArns = []
        args.inlinePolicies = $util
          .output(args.inlinePolicies)
          .apply((own) => [...(own ?? []), policy("lambda", [logsTo(logs.arn), ...more])])
      },
    },
  } as const
}

/** Settings of every process. */
export const settings = {
  STAGE: $app.stage,
  DASHBOARD_URL: operator.dashboardUrl,
  BILLING_URL: operator.billingUrl,
  ...(operator.stripe && { BILLING: "stripe" }),
  ...given("LOG_LEVEL"),
}

/** Settings of the functions that answer callers. */
export const limits = given(
  "RATE_LIMIT_PROVISION",
  "RATE_LIMIT_PROXY",
  "RATE_LIMIT_OTHER",
  "RATE_LIMIT_ADDRESS",
)
