import { parseArgs } from "node:util"
import { z } from "zod"

/**
 * The options of a command line: a flag (`--short`, `--no-short`) for each field that is a boolean with a default, else
 * a text, as its schema parses it. One field may be `positional`: it is named without dashes.
 * @throws ZodError, TypeError: what is wrong with the command line.
 */
export function optionsFrom<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  args: string[],
  positional?: keyof Shape & string,
): z.infer<z.ZodObject<Shape>> {
  const names = Object.keys(schema.shape).filter((name) => name !== positional)
  const options = Object.fromEntries(names.map((name) => [name, { type: typeOf(schema.shape[name]) }]))
  const allowPositionals = positional !== undefined
  const { values, positionals } = parseArgs({ args, allowNegative: true, allowPositionals, options })
  return schema.parse({ ...values, ...(positional !== undefined && { [positional]: positionals[0] }) })
}

function typeOf(field: unknown): "boolean" | "string" {
  return field instanceof z.ZodDefault && field.def.innerType instanceof z.ZodBoolean ? "boolean" : "string"
}
