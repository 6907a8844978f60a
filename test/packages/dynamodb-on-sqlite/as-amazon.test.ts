import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { aDynamoDb } from "#test/support/dynamodb.ts"
import { type Answer, play } from "./amazon/play.ts"

const recorded = JSON.parse(readFileSync(new URL("amazon/answers.json", import.meta.url), "utf8")) as Record<
  string,
  Answer[]
>

/**
 * Where AWS, and so the store, says in other words what DynamoDB Local says, or the store says it in its own.
 */
const wordings: [ours: RegExp, amazons: RegExp][] = [
  [/38 significant digits/, /38 digits/],
  [/cannot be converted to a numeric value/, /cannot be converted into a number/],
  [
    /Number (over|under)flow|Null attribute value/,
    /ExpressionAttributeValues contains invalid value: .*(flow|null|Null)/,
  ],
  [
    /key element does not match the schema|Missing the key/,
    /number of conditions on the keys|required keys was not given/,
  ],
  [/key element does not match the schema|Type mismatch/, /Type mismatch|Invalid attribute value type/],
  [/Size of hashkey|size of all range keys/, /Hash primary key values must be under|Size limit exceeded/],
  [/cannot contain an empty string value/, /cannot contain an empty string value/],
  [/^Requested resource not found/, /non-existent table/],
  [/^Table already exists/, /preexisting table/],
  [/is not defined as an attribute/, /not (specified|defined) in Attribute ?Definitions/],
  [/TableName.*Invalid string/, /^Invalid table\/index name/],
  [/used in expression is not defined|unused in expressions/, /contains invalid key: Syntax error/],
  [
    /must (have at most|not be empty)|Member must have length/,
    /Too many items|empty|some requests set|no requests set|must have length/,
  ],
  [/RequestItems.*Invalid input/, /exactly one of the supported/],
  [
    /can only contain one of Check, Put, Update or Delete/,
    /can only contain one of|should contain|conditionExpression/,
  ],
  [/at least 1/, /greater than or equal to 1/],
  [/maximum allowed size of 4 MB/, /cannot exceed 4MB/],
  [/^The request uses the same client token/, /^UnknownError$/],
  [/incorrect data type|ADD, operand type: [SL]$/, /Incorrect operand type for operator or function/],
  [
    /Invalid function name; function: (size|attribute_exists|contains)/,
    /not allowed in an update expression|Invalid operator used/,
  ],
  [
    /Syntax error; token: "(:v|\)|<EOF>)"/,
    /requires a document path|Incorrect number of operands|not allowed to be used this way/,
  ],
  [/reserved keyword: SET/, /Syntax error; token: "SET"/],
  [/document path provided in the update expression is invalid/, /Two document paths conflict/],
  [
    /must begin with a key attribute/,
    /nested operations|must be scalars|must have the key attribute as its first/,
  ],
  [/^Conditions can be of length 1 or 2|missed key schema element: sk/, /only contain one condition per key/],
  [/missed key schema element/, /key condition not supported/],
  [
    /parameter type does not match schema/,
    /Multiple attribute names|operator or function: begins_with|same data type/,
  ],
  [/outside query boundaries/, /does not match the range key predicate/],
  [/starting key is invalid/, /same size as table's key schema/],
]

test("the store answers as Amazon's DynamoDB Local does", async () => {
  const { client } = await aDynamoDb()
  const answers = await play(client)
  const wanted = Object.entries(recorded).map(([name, given]) => [
    name,
    given.map((answer, at) => inOurWords(answer, answers[name]?.[at] ?? {})),
  ])
  expect(answers).toEqual(Object.fromEntries(wanted))
})

/** The answer, with the store's wording where it means the same. */
function inOurWords(amazons: Answer, ours: Answer): Answer {
  const [theirReasons, ourReasons] = [amazons, ours].map(
    (one) => one.CancellationReasons as Answer[] | undefined,
  )
  return {
    ...amazons,
    ...(theirReasons && {
      CancellationReasons: theirReasons.map((one, at) => inOurWords(one, ourReasons?.[at] ?? {})),
    }),
    ...worded(amazons, ours, "message"),
    ...worded(amazons, ours, "Message"),
  }
}

function worded(amazons: Answer, ours: Answer, member: "message" | "Message"): Answer {
  const [said, say] = [String(amazons[member]), String(ours[member])]
  const isSame =
    startsAs(said, say) || startsAs(say, said) || wordings.some(([a, b]) => a.test(say) && b.test(said))
  return isSame && member in ours ? { [member]: ours[member] } : {}
}

/** AWS adds details to some of its sentences: which operand, what is near. */
function startsAs(one: string, other: string): boolean {
  return one.startsWith(other.split(/, near: |; expression size/)[0]!)
}
