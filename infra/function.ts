import { operator, stage } from "./stage.ts"

/**
 * What every function has in common. `SST_KEY`, which SST adds to the environment, opens the file of linked resources
 * in the bundle: nothing is linked (a link grants everything), so it opens an empty object.
 */
export const common = {
  runtime: "nodejs24.x",
  architecture: "arm64",
  logging: { retention: stage.logs },
  transform: {
    // SST 4.17.1 lets the whole account assume the role, which it needs for `sst dev` alone.
    role: { assumeRolePolicy: aws.iam.assumeRolePolicyForPrincipal({ Service: "lambda.amazonaws.com" }) },
  },
} as const satisfies Partial<sst.aws.FunctionArgs>

/** Settings of every process. */
export const settings = {
  STAGE: $app.stage,
  DASHBOARD_URL: operator.dashboardUrl,
  BILLING_URL: operator.billingUrl,
}
