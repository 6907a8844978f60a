import { invalid } from "../refusal.ts"
import { compare, held, isEqual, type Item, lengthOf, typeOf, type Value } from "../values/value.ts"
import type { Comparator, Condition, ConditionFunction, Operand } from "./parse.ts"
import { valueAt } from "./path.ts"
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
 * Refuses what no item could make right: an order of values that have none, or another kind of value than a function
 * takes.
 */
export function checkCondition(condition: Condition, given: Placeholders): void {
  const value = (operand: Operand | undefined) =>
    operand?.is === "value" ? given.values[operand.name] : undefined
  switch (condition.is) {
    case "and":
    case "or":
      for (const side of condition.sides) checkCondition(side, given)
      return
    case "not":
      return checkCondition(condition.side, given)
    case "compare":
      if (condition.by !== "=" && condition.by !== "<>")
        for (const side of [condition.left, condition.right]) mustHaveOrder(condition.by, value(side))
      return
    case "between": {
      const [low, high] = [value(condition.low), value(condition.high)]
      for (const bound of [low, high]) mustHaveOrder("BETWEEN", bound)
      if (low && high) checkBounds(low, high)
      return
    }
    case "in":
      return
    case "call":
      return checkCall(condition.name, condition.operands.map(value))
  }
}

function checkBounds(low: Value, high: Value): void {
  const order = compare(low, high)
  if (order === undefined)
    throw invalid(
      "Invalid ConditionExpression: The BETWEEN operator requires same data type for lower and upper bounds",
    )
  if (order > 0)
    throw invalid(
      "Invalid ConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound",
    )
}

function mustHaveOrder(operator: string, value: Value | undefined): void {
  if (value && !["S", "N", "B"].includes(typeOf(value)))
    throw invalid(
      `Invalid ConditionExpression: Incorrect operand type for operator or function; operator or function: ${operator}, ` +
        `operand type: ${typeOf(value)}`,
    )
}

function checkCall(name: ConditionFunction, values: (Value | undefined)[]): void {
  const wrong = name === "begins_with" && values.find((value) => value && !["S", "B"].includes(typeOf(value)))
  if (wrong)
    throw invalid(
      `Invalid ConditionExpression: Incorrect operand type for operator or function; operator or function: ${name}, ` +
        `operand type: ${typeOf(wrong)}`,
    )
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

/** Whether the comparison holds. Nothing is equal to an attribute that is not there, and everything else than it. */
function isSo(by: Comparator, left: Value | undefined, right: Value | undefined): boolean {
  if (!left || !right) return by === "<>" && left !== right
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
