import { expect, test } from "vitest"
import { statementsOf } from "../graph.ts"
import { allows } from "../rehearsal/iam.ts"

const rows = "arn:aws:dynamodb:eu-central-1:111122223333:table/Leases"
const toRead = { action: "dynamodb:GetItem", resource: rows }
const keys = (...names: string[]) => ({ "dynamodb:LeadingKeys": names })

/** A policy of these statements, each of which allows to read the rows unless it says something else. */
function policy(...statements: object[]) {
  const common = { Effect: "Allow", Action: "dynamodb:GetItem", Resource: rows }
  return statementsOf(
    JSON.stringify({
      Version: "2012-10-17",
      Statement: statements.map((one) => ({ ...common, ...one })),
    }),
  )
}

test("what is denied is not allowed, whatever else allows it", () => {
  expect(allows(policy({}), toRead)).toBe(true)
  expect(allows(policy({}, { Effect: "Deny", Resource: "*" }), toRead)).toBe(false)
  expect(allows(policy({}, { Effect: "Deny", Action: "dynamodb:Put*" }), toRead)).toBe(true)
})

test("stars and question marks stand for what is there, dots for themselves, and action names have no case", () => {
  for (const [Resource, isAllowed] of [
    [`${rows}*`, true],
    [rows.replace("Leases", "Lea?es"), true],
    [`${rows}/index/*`, false],
    [rows.replace(":table", ".table"), false],
  ] as const)
    expect([Resource, allows(policy({ Resource }), toRead)]).toEqual([Resource, isAllowed])
  expect(allows(policy({ Action: "DynamoDB:getitem" }), toRead)).toBe(true)
  expect(allows(policy({ Action: "dynamodb:Get*" }), toRead)).toBe(true)
})

test("under ForAllValues each row's key has to fit, and a request that names none passes, as IAM decides", () => {
  const own = policy({
    Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["BRIDGE#5a-*", "HOSTS*"] } },
  })
  expect(allows(own, { ...toRead, context: keys("BRIDGE#5a-1", "HOSTS#3") })).toBe(true)
  expect(allows(own, { ...toRead, context: keys("BRIDGE#5a-1", "BRIDGE#6b-1") })).toBe(false)
  expect(allows(own, toRead)).toBe(true)
})

test("a condition on a key's context or on a service holds only where the request has it", () => {
  for (const [operator, variable, wanted, other] of [
    ["StringLike", "kms:EncryptionContext:bridge", "5a-*", "6b-1"],
    ["StringEquals", "iam:PassedToService", "5a-1", "6b-1"],
    ["Bool", "kms:ReEncryptOnSameKey", "5a-1", "false"],
  ] as const) {
    const bound = policy({ Condition: { [operator]: { [variable]: wanted } } })
    expect(allows(bound, { ...toRead, context: { [variable]: "5a-1" } })).toBe(true)
    expect(allows(bound, { ...toRead, context: { [variable]: other } })).toBe(false)
    expect(allows(bound, toRead)).toBe(false)
  }
})

const asked = (statement: object) => () => allows(policy(statement), { ...toRead, context: keys("1") })

test("what the judge does not know it does not pass: operator, variable, effect, statement turned round", () => {
  expect(asked({ Condition: { "ForAnyValue:StringLike": { a: "1" } } })).toThrow(/nobody knows ForAnyValue/)
  expect(asked({ Condition: { StringLikeIfExists: { a: "1" } } })).toThrow(/nobody knows StringLikeIfExists/)
  expect(asked({ Resource: "arn:aws:s3:::${aws:username}" })).toThrow(/nobody knows/)
  expect(asked({ Effect: "Perhaps" })).toThrow(/effect/)
  expect(asked({ NotAction: "s3:*" })).toThrow(/NotAction/)
})
