import type { Condition, Operand, Operator, Test } from "./expressions/parse.ts"
import { type Placeholders, resolved } from "./expressions/placeholders.ts"
import { invalid } from "./refusal.ts"
import { type KeyAttribute, type Keyed, sortableText } from "./table.ts"
import { held } from "./values/value.ts"

/** What a Query asks for, in SQL. The first value is that of the partition key. */
interface Asked {
  where: string
  values: string[]
}

/** A key condition: one partition, and perhaps a range within it. @throws Refusal for any other condition */
export function keyCondition(of: Keyed, condition: Condition, given: Placeholders): Asked {
  const parts = testsOf(condition).map(({ by, operands: [key, ...operands] }) => ({
    by,
    name: nameOf(key!, given),
    operands,
  }))
  const hash = parts.find(({ name, by }) => name === of.hash.name && by === "=")
  if (!hash) throw invalid(`Query condition missed key schema element: ${of.hash.name}`)
  const others = parts.filter((part) => part !== hash)
  if (others.length > 1) throw invalid("Conditions can be of length 1 or 2 only")
  const [range] = others
  const asked = { where: "hash = ?", values: [textOf(of.hash, hash.operands[0]!, given)] }
  if (!range) return asked
  if (range.name !== of.range.name)
    throw invalid(`Query condition missed key schema element: ${of.range.name}`)
  const bounds = range.operands.map((operand) => textOf(of.range, operand, given))
  const { where, values } = rangeOf(range.by, bounds)
  return { where: `${asked.where} AND ${where}`, values: [...asked.values, ...values] }
}

function testsOf(condition: Condition): Test[] {
  if (condition.is === "AND") return condition.sides.flatMap(testsOf)
  if (condition.is === "test" && forKeys.has(condition.by)) return [condition]
  throw invalid("Invalid operator used in KeyConditionExpression")
}

const forKeys = new Set<Operator>(["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"])

function nameOf(operand: Operand, given: Placeholders): string {
  if (operand.is !== "path" || operand.path.length > 1)
    throw invalid("Invalid KeyConditionExpression: a condition must begin with a key attribute")
  return String(resolved(operand.path, given)[0])
}

function textOf(attribute: KeyAttribute, operand: Operand, given: Placeholders): string {
  const text = operand.is === "value" ? held(given.values[operand.name], attribute.type) : undefined
  if (text !== undefined) return sortableText(attribute, text)
  throw invalid(
    "One or more parameter values were invalid: Condition parameter type does not match schema type",
  )
}

function rangeOf(by: Operator, bounds: string[]): Asked {
  if (by === "BETWEEN") return { where: "range BETWEEN ? AND ?", values: bounds }
  if (by !== "begins_with") return { where: `range ${by} ?`, values: bounds }
  const end = pastPrefix(bounds[0]!)
  return end === undefined
    ? { where: "range >= ?", values: bounds }
    : { where: "range >= ? AND range < ?", values: [bounds[0]!, end] }
}

/** The first text behind all that begin with this; undefined if there is none. */
function pastPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (point) => point.codePointAt(0)!)
  for (let last = points.pop(); last !== undefined; last = points.pop())
    // Between these two lie no characters.
    if (last < 0x10_ff_ff) return String.fromCodePoint(...points, last === 0xd7_ff ? 0xe0_00 : last + 1)
  return undefined
}
