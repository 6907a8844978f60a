import { invalid } from "../refusal.ts"
import { held, type Item, type Value } from "../values/value.ts"
import type { Path } from "./parse.ts"

/** The value there; undefined if there is none. */
export function valueAt(item: Item | undefined, path: Path): Value | undefined {
  let value: Value | undefined = { M: item ?? {} }
  for (const step of path)
    value = typeof step === "number" ? held(value, "L")?.[step] : own(held(value, "M"), step)
  return value
}

function own(map: Item | undefined, name: string): Value | undefined {
  return map && Object.hasOwn(map, name) ? map[name] : undefined
}

/**
 * Writes a value there, or removes what is there, in an item that may be changed down that path. An index past the end of
 * a list appends.
 * @throws Refusal if what the path leads through is not there
 */
export function change(item: Item, path: Path, value: Value | undefined): void {
  const last = path.at(-1)!
  const parent = path.length > 1 ? valueAt(item, path.slice(0, -1)) : { M: item }
  const [list, map] = [held(parent, "L"), held(parent, "M")]
  if (typeof last === "number" && list) changeList(list, last, value)
  else if (typeof last === "string" && map) changeMap(map, last, value)
  else throw invalid("The document path provided in the update expression is invalid for update")
}

function changeList(list: Value[], at: number, value: Value | undefined): void {
  if (value) list[Math.min(at, list.length)] = value
  else if (at < list.length) list.splice(at, 1)
}

function changeMap(map: Item, name: string, value: Value | undefined): void {
  if (value) map[name] = value
  else delete map[name]
}

/** Whether one is before the other, the earlier element of a list first. */
export function comparePaths(a: Path, b: Path): number {
  const at = a.findIndex((step, index) => step !== b[index])
  const [x, y] = [a[at], b[at]]
  return x === undefined || y === undefined ? a.length - b.length : x < y ? -1 : 1
}

/** `path two` begins with `path one`, or the other way round: one would change what the other is about. */
export function isOverlapping(a: Path, b: Path): boolean {
  return a.slice(0, b.length).every((step, at) => step === b[at])
}
