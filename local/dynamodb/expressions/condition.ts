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
import type { Comparator, Condition, ConditionFunction, Operand, Parsed } from "./parse.ts"
import { isOverlapping, valueAt } from "./path.ts"
import { type Placeholders, resolved } from "./placeholders.ts"

/** Whether the item satisfies the condition. An item that does not exist has no attributes. */
export function isTrue(condition: Condition, item: Item | undefined, given: Placeholders): boolean {
  const value = (operand: Operand) => operandOf(operand, item, given)
  switch (condition.is) {
    case "and":
      return condition.sides.every((side) => isTrue(side, item, given))
    case "or":
      return condition.sides.some((side) => isTrue(side, item, given))
    case "not":
      return !isTrue(condition.side, item, given)
    case "compare":
      return isSo(condition.by, value(condition.left), value(condition.right))
    case "between": {
      const operand = value(condition.operand)
      return isSo(">=", operand, value(condition.low)) && isSo("<=", operand, value(condition.high))
    }
    case "in": {
      const operand = value(condition.operand)
      return condition.among.some((one) => isSo("=", operand, value(one)))
    }
    case "call":
      return call(condition.name, condition.operands.map(value))
  }
}

/**
 * Refuses what no item could make right: an order of values that have none, another kind of value than a function takes,
 * an attribute that is compared with itself.
 */
export function checkCondition({ kind, tree }: Parsed<Condition>, given: Placeholders): void {
  check(tree)

  function check(condition: Condition): void {
    switch (condition.is) {
      case "and":
      case "or":
        return condition.sides.forEach(check)
      case "not":
        return check(condition.side)
      case "compare":
        return checkOperands(condition.by, [condition.left, condition.right])
      case "between":
        checkOperands("BETWEEN", [condition.operand, condition.low, condition.high])
        return checkBounds(valueOf(condition.low), valueOf(condition.high))
      case "in":
        return checkOperands("IN", [condition.operand, ...condition.among])
      case "call":
        return checkOperands(condition.name, condition.operands)
    }
  }

  function checkOperands(operator: string, operands: Operand[]): void {
    const [first, ...others] = operands
    if (others.some((other) => isSame(first!, other)))
      throw wrong(
        `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}`,
      )
    for (const operand of operands) {
      checkType("size", operand.is === "size" ? valueOf(operand.of) : undefined)
      checkType(operator, valueOf(operand))
    }
  }

  function isSame(a: Operand, b: Operand): boolean {
    if (a.is !== "path" || b.is !== "path" || a.path.length !== b.path.length) return false
    return isOverlapping(resolved(a.path, given), resolved(b.path, given))
  }

  function checkType(operator: string, value: Value | undefined): void {
    if (value && taken[operator]?.includes(typeOf(value)) === false)
      throw wrong(
        `Incorrect operand type for operator or function; operator or function: ${operator}, ` +
          `operand type: ${typeOf(value)}`,
      )
  }

  function checkBounds(low: Value | undefined, high: Value | undefined): void {
    if (!low || !high) return
    const order = compare(low, high)
    if (order === undefined)
      throw wrong("The BETWEEN operator requires same data type for lower and upper bounds")
    if (order > 0)
      throw wrong("The BETWEEN operator requires upper bound to be greater than or equal to lower bound")
  }

  function valueOf(operand: Operand): Value | undefined {
    return operand.is === "value" ? given.values[operand.name] : undefined
  }

  function wrong(why: string) {
    return invalid(`Invalid ${kind}: ${why}`)
  }
}

const ordered: Type[] = ["S", "N", "B"]
/** The types of values that an operator or function takes; any if it is not here. */
const taken: Record<string, Type[] | undefined> = {
  "<": ordered,
  "<=": ordered,
  ">": ordered,
  ">=": ordered,
  BETWEEN: ordered,
  begins_with: ["S", "B"],
  size: ["S", "B", "L", "M"],
}

function operandOf(operand: Operand, item: Item | undefined, given: Placeholders): Value | undefined {
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

/** Whether the comparison holds. What is not there differs from everything, even from what else is not there. */
function isSo(by: Comparator, left: Value | undefined, right: Value | undefined): boolean {
  if (!left || !right) return by === "<>"
  if (by === "=" || by === "<>") return isEqual(left, right) === (by === "=")
  const order = compare(left, right)
  if (order === undefined) return false
  switch (by) {
    case "<":
      return order < 0
    case "<=":
      return order <= 0
    case ">":
      return order > 0
    case ">=":
      return order >= 0
  }
}

function call(name: ConditionFunction, [first, second]: (Value | undefined)[]): boolean {
  switch (name) {
    case "attribute_exists":
      return first !== undefined
    case "attribute_not_exists":
      return first === undefined
    case "begins_with":
      return beginsWith(first, second)
  }
}

function beginsWith(whole: Value | undefined, part: Value | undefined): boolean {
  const [text, prefix] = [held(whole, "S"), held(part, "S")]
  if (text !== undefined && prefix !== undefined) return text.startsWith(prefix)
  const [bytes, start] = [held(whole, "B"), held(part, "B")]
  if (bytes === undefined || start === undefined) return false
  const first = Buffer.from(start, "base64")
  return Buffer.from(bytes, "base64").subarray(0, first.length).equals(first)
}
