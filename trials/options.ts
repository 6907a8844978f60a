import { parseArgs } from "node:util"
import { z } from "zod"

/**
 * The options of a command line: a flag (`--short`, `--no-short`) for each field that is a boolean with a
 * default, else a text, as its schema parses it. One field may be `positional`: it is named without dashes.
 * `--help` prints them all, and ends the process.
 * @throws ZodError, TypeError: what is wrong with the command line.
 */
export function optionsFrom<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  args: string[],
  positional?: keyof Shape & string,
): z.infer<z.ZodObject<Shape>> {
  if (args.includes("--help")) {
    console.log(helpOf(schema.shape, positional))
    process.exit(0)
  }
  const names = Object.keys(schema.shape).filter((name) => name !== positional)
  const options = Object.fromEntries(names.map((name) => [name, { type: typeOf(schema.shape[name]) }]))
  const allowPositionals = positional !== undefined
  const { values, positionals } = parseArgs({ args, allowNegative: true, allowPositionals, options })
  return schema.parse({ ...values, ...(positional !== undefined && { [positional]: positionals[0] }) })
}

function typeOf(field: unknown): "boolean" | "string" {
  return field instanceof z.ZodDefault && field.def.innerType instanceof z.ZodBoolean ? "boolean" : "string"
}

function helpOf(shape: z.ZodRawShape, positional?: string): string {
  const lines = Object.entries(shape).map(([name, field]) => {
    const said = field instanceof z.ZodType ? field.description : undefined
    const value = field instanceof z.ZodDefault ? `(${String(field.def.defaultValue)})` : undefined
    const inner =
      field instanceof z.ZodDefault || field instanceof z.ZodOptional ? field.def.innerType : field
    const choice = inner instanceof z.ZodEnum ? `${inner.options.join(", ")}.` : undefined
    const usage = name === positional ? `[${name}]` : `--${name}`
    return [`  ${usage.padEnd(14)}`, value, said, choice].filter((part) => part !== undefined).join(" ")
  })
  return lines.join("\n")
}
