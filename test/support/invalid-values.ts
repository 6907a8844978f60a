import type { Schema } from "#contract/openapi.ts"

/** A value that a field must not have, and what is wrong with it. */
export type InvalidValue = [what: string, value: unknown]

/** One fault of each kind that this schema can have. `undefined` stands for a missing field. */
export function invalidValuesOf(
  schema: Schema & { minItems?: number; maxItems?: number },
  required: boolean,
): InvalidValue[] {
  const types = [schema.type ?? []].flat()
  const { items, minLength, maxLength, minItems, maxItems, minimum, maximum } = schema
  const faults: (InvalidValue | false | undefined)[] = [
    required && ["missing", undefined],
    !types.includes("null") && ["null", null],
    types.includes("string") ? ["a number", 7] : ["text", "text"],
    !types.includes("object") && ["an object", {}],
    !types.includes("array") && ["a list", []],
    types.includes("string") && ["not well-formed", "half \ud800"],
    types.includes("string") && ["with a NUL", "a\0b"],
    schema.enum && ["another word", "another"],
    schema.pattern !== undefined && !new RegExp(schema.pattern).test(" ") && ["of another form", " "],
    minLength !== undefined && minLength > 0 && ["too short", "x".repeat(minLength - 1)],
    maxLength !== undefined && ["too long", "x".repeat(maxLength + 1)],
    types.includes("integer") && ["not whole", 1.5],
    types.some((type) => type === "integer" || type === "number") && ["beyond all numbers", Infinity],
    minimum !== undefined && ["too small", minimum - 1],
    maximum !== undefined && ["too large", maximum + 1],
    minItems !== undefined && minItems > 0 && ["too few", []],
    maxItems !== undefined && [
      "too many",
      Array.from({ length: maxItems + 1 }, (_, i) => `${4_917_000_000 + i}`),
    ],
    ...(items
      ? invalidValuesOf(items, false).map(([what, value]): InvalidValue => [
          `holding one that is ${what}`,
          [value],
        ])
      : []),
  ]
  return faults.filter((fault) => Array.isArray(fault))
}

/** JSON, including the one number that JSON cannot express. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (inner === Infinity ? "1e400" : inner)).replaceAll(
    '"1e400"',
    "1e400",
  )
}
