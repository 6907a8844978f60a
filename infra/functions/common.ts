import { settingsKey } from "../data/keys.ts"
import { apiKeyPepper, routerSecret } from "../data/secrets.ts"
import { logAccess, policy, type Statement } from "../iam-statement.ts"
import { givenSettings } from "../stage/passed-on.ts"
import { operator } from "../stage/settings.ts"
import { stage } from "../stage/stage.ts"

/**
 * The arguments that every function has in common. `SST_KEY`, which SST adds to the environment, opens the
 * file of linked resources in the bundle. Nothing is linked (a link grants everything), so it opens an empty
 * object.
 *
 * With `scheduled` the function runs one at a time, and a missed minute is not made up for. With `secrets`
 * its environment is sealed under the stage's own key, which the function must be permitted to use.
 */
export function commonArguments(
  name: string,
  {
    rights = [],
    scheduled = false,
    secrets = false,
  }: { rights?: Statement[]; scheduled?: boolean; secrets?: boolean } = {},
) {
  const logs = new aws.cloudwatch.LogGroup(`${name}Logs`, {
    name: `/${$app.name}/${$app.stage}/${name.toLowerCase()}`,
    retentionInDays: stage.logDays,
  })
  return {
    runtime: "nodejs24.x",
    architecture: "arm64",
    // SST's component says that this is the default, but its program (4.17.1) assumes the opposite.
    nodejs: { minify: true },
    logging: { logGroup: logs.name },
    ...(scheduled && { concurrency: { reserved: 1 }, retries: 0 }),
    transform: {
      role: (args: aws.iam.RoleArgs): undefined => {
        // SST 4.17.1 lets the whole account assume the role, which it needs for `sst dev` alone.
        args.assumeRolePolicy = aws.iam.assumeRolePolicyForPrincipal({ Service: "lambda.amazonaws.com" })
        // AWS's ready-made policies may write to every log group.
        args.managedPolicyArns = []
        args.inlinePolicies = $util
          .output(args.inlinePolicies)
          .apply((own) => [...(own ?? []), policy("lambda", [logAccess(logs.arn), ...rights])])
      },
      ...(secrets && {
        function: (args: aws.lambda.FunctionArgs): undefined => {
          args.kmsKeyArn = settingsKey.arn
        },
      }),
      ...(scheduled && {
        eventInvokeConfig: (args: aws.lambda.FunctionEventInvokeConfigArgs): undefined => {
          args.maximumEventAgeInSeconds = 60
        },
      }),
    },
  } as const
}

/** Settings of every process. */
export const settings = {
  STAGE: $app.stage,
  DASHBOARD_URL: operator.dashboardUrl,
  BILLING_URL: operator.billingUrl,
  ...(operator.stripe && { BILLING: "stripe" }),
  ...givenSettings("LOG_LEVEL"),
}

/** Settings of the functions that answer callers. */
export const answeringSettings = {
  ...givenSettings("RATE_LIMIT_PROVISION", "RATE_LIMIT_PROXY", "RATE_LIMIT_OTHER", "RATE_LIMIT_ADDRESS"),
  SANDBOX: operator.sandbox ? "1" : "0",
  API_KEY_PEPPER: apiKeyPepper,
  ROUTER_SECRET: routerSecret.current,
  ...(routerSecret.before && { ROUTER_SECRET_BEFORE: routerSecret.before }),
}
