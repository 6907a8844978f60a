/** A form of Stripe's API: texts, and lists and objects of them. */
export interface Form {
  [name: string]: Value
}
type Value = string | Form | Value[]

/** Reads Stripe's way of writing an object as a form: `items[0][price]=price_1`. */
export function parseForm(text: string): Form {
  const root: Form = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== "")
    put(root, path, value)
  }
  return asLists(root) as Form // the root is an object: no form consists of numbers alone
}

function put(into: Form, [first = "", ...rest]: string[], value: string): void {
  if (rest.length === 0) {
    into[first] = value
    return
  }
  const inner = into[first]
  const next: Form = typeof inner === "object" && !Array.isArray(inner) ? inner : {}
  into[first] = next
  put(next, rest, value)
}

/** An object whose names are 0, 1, 2 is a list. */
function asLists(value: Value): Value {
  if (typeof value === "string" || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, asLists(inner)] as const)
  const isList = entries.length > 0 && entries.every(([name], i) => name === String(i))
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}
