import type { Schema } from "#contract/openapi.ts"

/** A schema as a document has it, with what bounds a list. */
export type Bounded = Schema & { minItems?: number; maxItems?: number; anyOf?: Schema[] }

/**
 * Values around a JSON schema's edges, some of which fit it and some do not: the least and the most of what
 * it bounds, and one beyond; each word that it lists, and others; other types; and, for each part of a
 * fitting value, all of these in its place.
 * @param known a value that fits the schema, if one is known
 */
export function edgesOf(given: Bounded, known: unknown, resolve: (schema: Schema) => Schema): unknown[] {
  const schema: Bounded = resolve(given)
  const fitting = fittingOf(schema, known, resolve)
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, items, properties = {} } = schema
  const around = [fitting, ...(schema.enum ?? []), null, true, "", " ", 0, 1.5, -1, 2 ** 53, [], [null], {}]
  if (typeof fitting === "string") around.push(...respelt(fitting))
  for (const edge of [minimum, maximum]) if (edge !== undefined) around.push(edge - 1, edge, edge + 1)
  for (const edge of [minLength, maxLength])
    for (const length of [edge, (edge ?? 0) + 1, (edge ?? 1) - 1])
      if (edge !== undefined && length !== undefined && length >= 0) around.push(...ofLength(length))
  const item = items && fittingOf(items, Array.isArray(fitting) ? fitting[0] : undefined, resolve)
  if (items) {
    around.push(...edgesOf(items, item, resolve).map((each) => [each]))
    for (const edge of [minItems, maxItems])
      for (const count of [edge, (edge ?? 0) + 1, (edge ?? 1) - 1])
        if (edge !== undefined && count !== undefined)
          around.push(Array.from({ length: count }, (_, i) => numbered(item, i)))
  }
  const whole = typeof fitting === "object" && fitting !== null && !Array.isArray(fitting) ? fitting : {}
  for (const [name, part] of Object.entries(properties)) {
    const { [name]: before, ...rest } = whole as Record<string, unknown>
    around.push(rest, { [name]: fittingOf(part, before, resolve) })
    for (const each of edgesOf(part, before, resolve)) around.push({ ...whole, [name]: each })
  }
  if (Object.keys(properties).length > 0) around.push({ ...whole, unknown: 1, __proto__: {} })
  return around
}

/** A value that most likely fits a schema of which none is known. */
function fittingOf(given: Bounded, known: unknown, resolve: (schema: Schema) => Schema): unknown {
  if (known !== undefined) return known
  const schema = resolve(given) as Bounded & { example?: unknown; default?: unknown }
  const { example, enum: words, properties, required = [], minLength = 1, minimum = 0, items } = schema
  if (example !== undefined) return example
  if (words) return words[0]
  switch ([schema.type ?? "object"].flat()[0]!) {
    case "string":
      return "x".repeat(Math.max(1, minLength))
    case "integer":
    case "number":
      return Math.max(minimum, 0)
    case "boolean":
      return true
    case "array":
      return items ? [fittingOf(items, undefined, resolve)] : []
    default:
      return Object.fromEntries(
        required.map((name) => [name, fittingOf(properties?.[name] ?? {}, undefined, resolve)]),
      )
  }
}

function respelt(text: string): string[] {
  return [
    `${text}\n`,
    ` ${text}`,
    `${text} `,
    `${text}x`,
    text.slice(1),
    text.slice(0, -1),
    text.toUpperCase(),
    text.toLowerCase(),
    `${text}\0`,
    text.replaceAll(/\d/g, "٣"),
    text.replace(/^\+?/, "+"),
    text.replace(/^[^@]*@/, "@"),
    text.replace("@", ":1@"),
    `@${text}`,
    "é",
    "\u0001",
  ]
}

/** Of plain characters, and of those that UTF-16 writes with two units. */
function ofLength(length: number): string[] {
  return ["x".repeat(length), "1".repeat(length), "😀".repeat(length)]
}

function numbered(item: unknown, i: number): unknown {
  return typeof item === "string" && /^\d+$/.test(item) ? `${BigInt(item) + BigInt(i)}` : item
}
