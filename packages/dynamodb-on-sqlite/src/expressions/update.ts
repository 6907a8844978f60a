import { invalid } from "../refusal.ts"
import { sum } from "../values/number.ts"
import { type Held, held, type Item, typeOf, type Value } from "../values/value.ts"
import type { Term, Update } from "./parse.ts"
import { isOverlapping, type Path, remove, valueAt } from "./path.ts"
import { type Placeholders, resolved } from "./placeholders.ts"

/** Every path that an update writes. */
function pathsOf(update: Update, given: Placeholders): Path[] {
  return Object.values(update).flatMap((actions: { path: Path }[]) =>
    actions.map(({ path }) => resolved(path, given)),
  )
}

/** @throws Refusal if two of its paths overlap, or one belongs to the key */
export function checkUpdate(update: Update, given: Placeholders, keyNames: string[]): void {
  const paths = pathsOf(update, given)
  for (const [at, path] of paths.entries()) {
    const other = paths.slice(0, at).find((earlier) => isOverlapping(earlier, path))
    if (other)
      throw invalid(
        "Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these " +
          `paths; path one: ${shown(other)}, path two: ${shown(path)}`,
      )
    if (keyNames.includes(path.name))
      throw invalid(
        `One or more parameter values were invalid: Cannot update attribute ${path.name}. This attribute is part of the key`,
      )
  }
  for (const { value } of update.ADD)
    if (!held(given.values[value], "N"))
      throw invalid(
        "Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, operand type: " +
          typeOf(given.values[value]!),
      )
}

function shown({ name, at }: Path): string {
  return at === undefined ? `[${name}]` : `[${name}, [${at}]]`
}

/** The item as the update leaves it. All terms are computed from the item as it was. */
export function updated(update: Update, before: Item, given: Placeholders): Item {
  const after = { ...before }
  for (const { path, term } of update.SET) after[resolved(path, given).name] = termOf(term, before, given)
  for (const { path, value } of update.ADD) add(after, resolved(path, given), given.values[value]!)
  // From the end, because each removal shortens its list.
  const removed = update.REMOVE.map(({ path }) => resolved(path, given))
  for (const path of removed.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))) remove(after, path)
  return after
}

function add(item: Item, path: Path, more: Value): void {
  const old = valueAt(item, path)
  item[path.name] = old ? { N: sum(heldRight(old, "N"), heldRight(more, "N"), 1) } : more
}

function termOf(term: Term, item: Item, given: Placeholders): Value {
  switch (term.is) {
    case "value":
      return given.values[term.name]!
    case "path": {
      const value = valueAt(item, resolved(term.path, given))
      if (value) return value
      throw invalid("The provided expression refers to an attribute that does not exist in the item")
    }
    case "if_not_exists":
      return valueAt(item, resolved(term.path, given)) ?? termOf(term.otherwise, item, given)
    case "list_append":
      return { L: term.terms.flatMap((list) => heldRight(termOf(list, item, given), "L")) }
    case "+":
    case "-": {
      // It has two.
      const [a, b] = term.terms.map((one) => heldRight(termOf(one, item, given), "N")) as [string, string]
      return { N: sum(a, b, term.is === "+" ? 1 : -1) }
    }
    case "size":
      throw invalid(
        "Invalid UpdateExpression: The function is not allowed in an update expression; function: size",
      )
  }
}

function heldRight<T extends "L" | "N">(value: Value, type: T): Held[T] {
  const content = held(value, type)
  if (content !== undefined) return content
  throw invalid("An operand in the update expression has an incorrect data type")
}
