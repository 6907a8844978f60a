export interface Statement {
  actions: string[]
  resources: $util.Input<string>[]
  conditions?: { test: string; variable: string; values: $util.Input<string>[] }[]
}

/** A role's own policy. Every action and every resource by its name: nothing is granted whole. */
export function policy(name: string, statements: Statement[]) {
  return { name, policy: aws.iam.getPolicyDocumentOutput({ statements }).json }
}

/** Leave to write to one log group. */
export function logsTo(arn: $util.Input<string>): Statement {
  return { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [$interpolate`${arn}:*`] }
}
