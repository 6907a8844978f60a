import { z } from "zod"

// What bodies of other gateways' calls may have. There a name means the same in each call, so that one schema
// reads them all: our API says what a call needs, and what else it wants of a value.

/** Fields of one type. */
export function each<Type extends z.ZodType, Name extends string>(type: Type, ...names: Name[]) {
  return Object.fromEntries(names.map((name) => [name, type])) as Record<Name, Type> // these names, no others
}

/** An object, of which each field may be missing. */
export function some<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.looseObject(shape).partial()
}

/** A body without its nulls: programs send them for what they leave out. */
export function withoutNulls(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(withoutNulls)
  if (typeof given !== "object" || given === null) return given
  const fields = Object.entries(given).filter(([, value]) => value !== null)
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutNulls(value)]))
}
