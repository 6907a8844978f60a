import { z } from "zod"
import { invalid } from "./refusal.ts"
import { Name } from "./table.ts"

// The shapes of requests. Values and expressions are checked where they are used. A member that is not named
// here is refused, not ignored: a caller would rely on what it does.

const Placeholders = {
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
  ExpressionAttributeValues: z.record(z.string(), z.unknown()).optional(),
}
const Attributes = z.custom<Record<string, unknown>>(
  (given) => typeof given === "object" && given !== null && !Array.isArray(given),
  "must be attributes with their values",
)
const Expression = z.string().optional()
const Writing = {
  TableName: Name,
  ConditionExpression: Expression,
  ...Placeholders,
  ReturnValuesOnConditionCheckFailure: z.enum(["ALL_OLD", "NONE"]).optional(),
}
const Reading = { TableName: Name, ConsistentRead: z.boolean().optional() }

export const Put = z.strictObject({ ...Writing, Item: Attributes })
export const Delete = z.strictObject({ ...Writing, Key: Attributes })
const Update = z.strictObject({ ...Writing, Key: Attributes, UpdateExpression: z.string() })
const Check = z.strictObject({ ...Writing, Key: Attributes, ConditionExpression: z.string() })

export const UpdateItem = Update.extend({ ReturnValues: z.enum(["NONE", "ALL_NEW"]).optional() })
export const GetItem = z.strictObject({ ...Reading, Key: Attributes })
export const BatchGetItem = z.strictObject({
  RequestItems: some(
    z.strictObject({ Keys: z.array(Attributes).min(1).max(100), ConsistentRead: z.boolean().optional() }),
  ),
})
export const BatchWriteItem = z.strictObject({
  RequestItems: some(
    z
      .array(
        z.union([
          z.strictObject({ PutRequest: z.strictObject({ Item: Attributes }) }),
          z.strictObject({ DeleteRequest: z.strictObject({ Key: Attributes }) }),
        ]),
      )
      .min(1)
      .max(25),
  ),
})
export const Scan = z.strictObject({ ...Reading, ExclusiveStartKey: Attributes.optional() })
export const Query = Scan.extend({
  ...Placeholders,
  IndexName: z.string().optional(),
  KeyConditionExpression: z.string(),
  ProjectionExpression: Expression,
  FilterExpression: Expression,
  ScanIndexForward: z.boolean().optional(),
  Limit: z.int().min(1).optional(),
})
export const TransactWriteItems = z.strictObject({
  TransactItems: z
    .array(
      z.union(
        [
          z.strictObject({ Put }),
          z.strictObject({ Update }),
          z.strictObject({ Delete }),
          z.strictObject({ ConditionCheck: Check }),
        ],
        "TransactItems can only contain one of Check, Put, Update or Delete",
      ),
    )
    .min(1, "Member must have length greater than or equal to 1")
    .max(100, "Member must have length less than or equal to 100"),
  ClientRequestToken: z.string().min(1).max(36).optional(),
})
export const OfTable = z.strictObject({ TableName: Name })

export type GetItem = z.infer<typeof GetItem>
export type BatchGetItem = z.infer<typeof BatchGetItem>
export type BatchWriteItem = z.infer<typeof BatchWriteItem>
export type Query = z.infer<typeof Query>
export type Scan = z.infer<typeof Scan>
export type TransactWriteItems = z.infer<typeof TransactWriteItems>
/** One write, alone or as a member of a transaction. */
export type Write = Pick<z.infer<typeof Put>, "TableName"> &
  Partial<z.infer<typeof Put> & z.infer<typeof UpdateItem>>

/** What is asked of each table; at least one has to be named. */
function some<Asked extends z.ZodType>(asked: Asked) {
  return z
    .record(Name, asked)
    .refine((items) => Object.keys(items).length > 0, "Member must have length greater than or equal to 1")
}

/** The request in this shape. DynamoDB takes `null` for a member that is absent. @throws Refusal */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, request: object): z.infer<Schema> {
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null))
  const { success, data, error } = schema.safeParse(given)
  if (success) return data
  const [issue] = error.issues
  throw invalid(
    `1 validation error detected: Value at '${issue?.path.join(".")}' failed to satisfy constraint: ${issue?.message}`,
  )
}
