import { held, type Item, type Value } from "../values/value.ts"

/** An attribute by its own name, or an element of the list that it holds. */
export interface Path {
  name: string
  at?: number
}

/** The value at this path; undefined if there is none. */
export function valueAt(item: Item | undefined, { name, at }: Path): Value | undefined {
  const value = item && Object.hasOwn(item, name) ? item[name] : undefined
  return at === undefined ? value : held(value, "L")?.[at]
}

/** Removes what is at this path. Stored values are shared, so a list is copied. */
export function remove(item: Item, { name, at }: Path): void {
  const list = at === undefined ? undefined : held(item[name], "L")
  if (at === undefined) delete item[name]
  else if (list) item[name] = { L: list.toSpliced(at, 1) }
}

/** Whether a change at one path would change what is at the other. */
export function isOverlapping(a: Path, b: Path): boolean {
  return a.name === b.name && (a.at === undefined || b.at === undefined || a.at === b.at)
}
