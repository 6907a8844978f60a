import { operator } from "./stage/settings.ts"
import { accountId, region } from "./stage/stage.ts"

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

/** Whatever can be done with one row at a time. */
export const rowActions = ["GetItem", "PutItem", "UpdateItem", "DeleteItem"] as const

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
export function logAccess(arn: $util.Input<string>): Statement {
  return { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [$interpolate`${arn}:*`] }
}

/**
 * Permission to send mail, where mail is sent. For SES the address is an identity, its domain another, and
 * each domain above one more. SES asks for the right to whichever of them was proved to it.
 */
export function mailAccess(): Statement[] {
  const { mailFrom } = operator
  if (mailFrom === undefined) return []
  const labels = mailFrom.split("@")[1].split(".")
  const domains = labels.slice(0, -1).map((_, i) => labels.slice(i).join("."))
  const resources = [mailFrom, ...domains].map(
    (identity) => $interpolate`arn:aws:ses:${region}:${accountId}:identity/${identity}`,
  )
  return [{ actions: ["ses:SendEmail"], resources }]
}

/** A role's own policy. Every action and every resource is named: nothing is granted as a whole. */
export function policy(name: string, statements: Statement[]) {
  return { name, policy: aws.iam.getPolicyDocumentOutput({ statements }).json }
}
