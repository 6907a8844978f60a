import { invalid } from "../refusal.ts"
import {
  compare,
  held,
  isEqual,
  type Item,
  lengthOf,
  type Type,
  typeOf,
  type Value,
} from "../values/value.ts"
import type { Condition, Operand, Operator, Parsed, Test } from "./parse.ts"
import { isOverlapping, valueAt } from "./path.ts"
import { type Placeholders, resolved } from "./placeholders.ts"

/** Whether the item satisfies the condition. An item that does not exist has no attributes. */
export function isTrue(condition: Condition, item: Item | undefined, given: Placeholders): boolean {
  const isSo = (side: Condition) => isTrue(side, item, given)
  switch (condition.is) {
    case "AND":
      return condition.sides.every(isSo)
    case "OR":
      return condition.sides.some(isSo)
    case "NOT":
      return !condition.sides.some(isSo)
    case "test":
      return tests[condition.by](...condition.operands.map((operand) => operandOf(operand, item, given)))
  }
}

/** What is not there differs from everything, even from what else is not there, and has no order. */
type Found = Value | undefined
const tests: Record<Operator, (...operands: Found[]) => boolean> = {
  "=": areEqual,
  "<>": (a, b) => !areEqual(a, b),
  "<": (a, b) => order(a, b) < 0,
  "<=": (a, b) => order(a, b) <= 0,
  ">": (a, b) => order(a, b) > 0,
  ">=": (a, b) => order(a, b) >= 0,
  BETWEEN: (value, low, high) => order(value, low) >= 0 && order(value, high) <= 0,
  IN: (value, ...among) => among.some((one) => areEqual(value, one)),
  attribute_exists: (value) => value !== undefined,
  attribute_not_exists: (value) => value === undefined,
  begins_with: beginsWith,
}

function areEqual(a: Found, b: Found): boolean {
  return a !== undefined && b !== undefined && isEqual(a, b)
}

/** Not a number where there is no order: no comparison holds. */
function order(a: Found, b: Found): number {
  return (a && b && compare(a, b)) ?? Number.NaN
}

function beginsWith(whole: Found, part: Found): boolean {
  const [text, prefix] = [held(whole, "S"), held(part, "S")]
  if (text !== undefined && prefix !== undefined) return text.startsWith(prefix)
  const [bytes, start] = [held(whole, "B"), held(part, "B")]
  if (bytes === undefined || start === undefined) return false
  const first = Buffer.from(start, "base64")
  return Buffer.from(bytes, "base64").subarray(0, first.length).equals(first)
}

function operandOf(operand: Operand, item: Item | undefined, given: Placeholders): Found {
  switch (operand.is) {
    case "value":
      return given.values[operand.name]
    case "path":
      return valueAt(item, resolved(operand.path, given))
    case "size": {
      const value = operandOf(operand.of, item, given)
      const length = value && lengthOf(value)
      return length === undefined ? undefined : { N: String(length) }
    }
  }
}

/**
 * Refuses what no item could make right: an order of values that have none, another kind of value than a function takes,
 * an attribute that is compared with itself.
 */
export function checkCondition({ kind, tree }: Parsed<Condition>, given: Placeholders): void {
  check(tree)

  function check(condition: Condition): void {
    if (condition.is === "test") checkTest(condition)
    else condition.sides.forEach(check)
  }

  function checkTest({ by, operands }: Test): void {
    const [first, ...others] = operands
    if (others.some((other) => isSame(first!, other)))
      throw wrong(
        `The first operand must be distinct from the remaining operands for this operator or function; operator: ${by}`,
      )
    for (const operand of operands) {
      if (operand.is === "size") checkType("size", operand.of)
      checkType(by, operand)
    }
    if (by === "BETWEEN") checkBounds(valueOf(operands[1]!), valueOf(operands[2]!))
  }

  function isSame(a: Operand, b: Operand): boolean {
    if (a.is !== "path" || b.is !== "path" || a.path.length !== b.path.length) return false
    return isOverlapping(resolved(a.path, given), resolved(b.path, given))
  }

  function checkType(operator: Operator | "size", operand: Operand): void {
    const value = valueOf(operand)
    if (value && taken[operator]?.includes(typeOf(value)) === false)
      throw wrong(
        `Incorrect operand type for operator or function; operator or function: ${operator}, ` +
          `operand type: ${typeOf(value)}`,
      )
  }

  function checkBounds(low: Found, high: Found): void {
    if (!low || !high) return
    const found = compare(low, high)
    if (found === undefined)
      throw wrong("The BETWEEN operator requires same data type for lower and upper bounds")
    if (found > 0)
      throw wrong("The BETWEEN operator requires upper bound to be greater than or equal to lower bound")
  }

  function valueOf(operand: Operand): Found {
    return operand.is === "value" ? given.values[operand.name] : undefined
  }

  function wrong(why: string) {
    return invalid(`Invalid ${kind}: ${why}`)
  }
}

const ordered: Type[] = ["S", "N", "B"]
/** The types of values that an operator or function takes; any if it is not here. */
const taken: Partial<Record<Operator | "size", Type[]>> = {
  "<": ordered,
  "<=": ordered,
  ">": ordered,
  ">=": ordered,
  BETWEEN: ordered,
  begins_with: ["S", "B"],
  size: ["S", "B", "L", "M"],
}
