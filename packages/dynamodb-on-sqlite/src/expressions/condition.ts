import { invalid } from "../refusal.ts"
import { compare, held, isEqual, type Item, typeOf, type Value } from "../values/value.ts"
import type { Condition, Operand, Operator, Parsed, Test } from "./parse.ts"
import { valueAt } from "./path.ts"
import { type Placeholders, resolved } from "./placeholders.ts"

/** Whether the item satisfies the condition. An item that does not exist has no attributes. */
export function isTrue(condition: Condition, item: Item | undefined, given: Placeholders): boolean {
  const isSo = (side: Condition) => isTrue(side, item, given)
  switch (condition.is) {
    case "AND":
      return condition.sides.every(isSo)
    case "OR":
      return condition.sides.some(isSo)
    case "test":
      return tests[condition.by](...condition.operands.map((operand) => operandOf(operand, item, given)))
  }
}

/**
 * A value that is not there differs from everything, even from another one that is not there, and has no
 * order.
 */
type Found = Value | undefined
const tests: Record<Operator, (...operands: Found[]) => boolean> = {
  "=": areEqual,
  "<>": (a, b) => !areEqual(a, b),
  "<": (a, b) => order(a, b) < 0,
  "<=": (a, b) => order(a, b) <= 0,
  ">": (a, b) => order(a, b) > 0,
  ">=": (a, b) => order(a, b) >= 0,
  IN: (value, ...among) => among.some((one) => areEqual(value, one)),
  attribute_exists: (value) => value !== undefined,
  attribute_not_exists: (value) => value === undefined,
}

function areEqual(a: Found, b: Found): boolean {
  return a !== undefined && b !== undefined && isEqual(a, b)
}

/** NaN where there is no order: then no comparison holds. */
function order(a: Found, b: Found): number {
  return (a && b && compare(a, b)) ?? Number.NaN
}

function operandOf(operand: Operand, item: Item | undefined, given: Placeholders): Found {
  if (operand.is === "value") return given.values[operand.name]
  const value = valueAt(item, resolved(operand.path, given))
  if (operand.is === "path" || !value) return value
  const list = held(value, "L")
  if (!list) throw invalid("The embedded store knows the size of lists alone: nothing here asks for another")
  return { N: String(list.length) }
}

const ordering = new Set<Operator>(["<", "<=", ">", ">="])
const ordered = new Set(["S", "N", "B"])

/** Refuses a comparison of values that have no order, whatever is stored. */
export function checkCondition({ kind, tree }: Parsed<Condition>, given: Placeholders): void {
  check(tree)

  function check(condition: Condition): void {
    if (condition.is === "test") checkTest(condition)
    else condition.sides.forEach(check)
  }

  function checkTest({ by, operands }: Test): void {
    if (!ordering.has(by)) return
    for (const operand of operands) {
      const type = operand.is === "value" ? typeOf(given.values[operand.name]!) : "N"
      if (!ordered.has(type))
        throw invalid(
          `Invalid ${kind}: Incorrect operand type for operator or function; operator or function: ${by}, ` +
            `operand type: ${type}`,
        )
    }
  }
}
