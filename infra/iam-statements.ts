export interface Statement {
  actions: string[]
  resources: $util.Input<string>[]
  conditions?: { test: string; variable: string; values: $util.Input<string>[] }[]
}

type TableAction =
  | "GetItem"
  | "BatchGetItem"
  | "Query"
  | "Scan"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  | "BatchWriteItem"
  | "ConditionCheckItem"

/** Permission to do exactly this with a table. */
export function tableAccess(table: sst.aws.Dynamo, ...actions: TableAction[]): Statement {
  return { actions: actions.map((action) => `dynamodb:${action}`), resources: [table.arn] }
}

/** Permission to do something with only those rows whose partition keys are like one of these. */
export function onlyRows(statement: Statement, ...keys: string[]): Statement {
  const condition = { test: "ForAllValues:StringLike", variable: "dynamodb:LeadingKeys", values: keys }
  return { ...statement, conditions: [condition] }
}

/** Permission to query an index of a table. */
export function indexAccess(table: sst.aws.Dynamo, index: string): Statement {
  return { actions: ["dynamodb:Query"], resources: [$interpolate`${table.arn}/index/${index}`] }
}

/** Permission to write to one log group. */
export function logsTo(arn: $util.Input<string>): Statement {
  return { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [$interpolate`${arn}:*`] }
}

/** A role's own policy. Every action and every resource by its name: nothing is granted whole. */
export function policy(name: string, statements: Statement[]) {
  return { name, policy: aws.iam.getPolicyDocumentOutput({ statements }).json }
}
