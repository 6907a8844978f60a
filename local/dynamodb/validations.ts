import * as deleteItem from "dynalite/validations/deleteItem.js"
import * as describeTimeToLive from "dynalite/validations/describeTimeToLive.js"
import * as getItem from "dynalite/validations/getItem.js"
import { checkTypes, checkValidations } from "dynalite/validations/index.js"
import type { Custom, Types } from "dynalite/validations/index.js"
import type { Store } from "dynalite/db/index.js"
import { ValidatedShapes } from "./validated-shapes.ts"
import * as putItem from "dynalite/validations/putItem.js"
import * as updateItem from "dynalite/validations/updateItem.js"

/** The rules for a request, in dynalite's language. */
export interface Validation {
  types: Types
  custom?: Custom | undefined
}

/** The request without unknown members and with its expressions parsed. @throws ValidationException */
export function valid<Request extends object>(
  request: Request,
  validation: Validation,
  store: Store,
): Request {
  const shapes = shapesOf(validation)
  const known = shapes.known(request)
  if (known) return known
  // The validation also removes unknown members from the request itself.
  const asked = { ...request }
  const checked = checkTypes(request, validation.types)
  checkValidations(checked, validation.types, validation.custom, store)
  shapes.learn(asked, checked)
  return checked
}

const shapesByValidation = new WeakMap<Validation, ValidatedShapes>()

function shapesOf(validation: Validation): ValidatedShapes {
  const shapes = shapesByValidation.get(validation) ?? new ValidatedShapes()
  shapesByValidation.set(validation, shapes)
  return shapes
}

/** Validates a transaction. Each of its members has a shape of its own. */
export function validTransaction<Request extends { TransactItems: Record<string, object>[] }>(
  request: Request,
  store: Store,
): Request {
  const known = knownMembers(request)
  if (known) return { ...request, TransactItems: known }
  const asked = structuredClone(request)
  const checked = checkTypes(request, transactWriteItems.types)
  checkValidations(checked, transactWriteItems.types, transactWriteItems.custom, store)
  for (const [at, member] of asked.TransactItems.entries())
    for (const [kind, write] of Object.entries(member))
      shapesOf(writes[kind as keyof typeof writes]).learn(write, checked.TransactItems[at]![kind]!)
  return checked
}

/** Undefined if the transaction as a whole, or one of its members, must be validated. */
function knownMembers(request: { TransactItems: Record<string, object>[]; ClientRequestToken?: unknown }) {
  const { TransactItems: members, ClientRequestToken: token, ...more } = request
  const isPlain = typeof token === "string" && token.length > 0 && token.length <= 36
  if (!isPlain || Object.keys(more).length > 0 || !Array.isArray(members)) return undefined
  if (members.length === 0 || members.length > 100) return undefined
  const known: Record<string, object>[] = []
  for (const member of members) {
    const [[kind, write] = [], another] = Object.entries(member ?? {})
    if (!kind || !write || another || !Object.hasOwn(writes, kind)) return undefined
    const filled = shapesOf(writes[kind as keyof typeof writes]).known(write)
    if (!filled) return undefined
    known.push({ [kind]: filled })
  }
  return known
}

/** A write that can return the item on which its condition failed. */
export function returningItem({ types, custom }: Validation): Validation {
  const ReturnValuesOnConditionCheckFailure = { type: "String", enum: ["ALL_OLD", "NONE"] }
  return { types: { ...types, ReturnValuesOnConditionCheckFailure }, custom }
}

const notNull = { type: "String", notNull: true }

/** A member of a transaction has no options beyond these. */
function memberOf({ types, custom }: Validation, required: Types = {}): Validation {
  const names = [
    "TableName",
    "Key",
    "Item",
    "ConditionExpression",
    "UpdateExpression",
    "ProjectionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
  ]
  const kept = Object.fromEntries(Object.entries(types).filter(([name]) => names.includes(name)))
  return { types: { ...kept, ...required }, custom }
}

const writes = {
  ConditionCheck: returningItem(memberOf(deleteItem, { ConditionExpression: notNull })),
  Put: returningItem(memberOf(putItem)),
  Delete: returningItem(memberOf(deleteItem)),
  Update: returningItem(memberOf(updateItem, { UpdateExpression: notNull })),
}

const transactWriteItems = transaction(writes, {
  ClientRequestToken: { type: "String", lengthGreaterThanOrEqual: 1, lengthLessThanOrEqual: 36 },
})

export const transactGetItems = transaction({ Get: memberOf(getItem) })

export const updateTimeToLive: Validation = {
  types: {
    ...describeTimeToLive.types,
    TimeToLiveSpecification: {
      type: "FieldStruct<TimeToLiveSpecification>",
      notNull: true,
      children: { AttributeName: notNull, Enabled: { type: "Boolean", notNull: true } },
    },
  },
}

function transaction(members: Record<string, Validation>, more: Types = {}): Validation {
  const structs = Object.entries(members).map(([name, { types }]) => [
    name,
    { type: `FieldStruct<${name}>`, children: types },
  ])
  const TransactItems = {
    type: "List",
    notNull: true,
    lengthGreaterThanOrEqual: 1,
    lengthLessThanOrEqual: 100,
    children: { type: "ValueStruct<TransactItem>", children: Object.fromEntries(structs) },
  }
  return { types: { ...more, TransactItems }, custom: eachMember(members) }
}

function eachMember(members: Record<string, Validation>): Custom {
  return (request, store) => {
    const { TransactItems } = request as { TransactItems: Record<string, object>[] } // types are checked
    for (const member of TransactItems) {
      const [entry, another] = Object.entries(member)
      if (!entry || another)
        return `TransactItems can only contain one of ${Object.keys(members).join(", ")} each`
      const complaint = members[entry[0]]?.custom?.(entry[1], store)
      if (complaint) return complaint
    }
    return undefined
  }
}
