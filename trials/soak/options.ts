import { parseArgs } from "node:util"
import { z } from "zod"

const whole = z.coerce.number().int().min(1)

const Options = z.object({
  /** Messages that come in, over all bridges; a tenth as many come before, to warm up. */
  messages: whole.default(20_000),
  bridges: whole.max(200).default(20),
  /** Prints only the last line. */
  json: z.boolean().default(false),
})
export type Options = z.infer<typeof Options>

/** @throws ZodError, TypeError: what is wrong with the command line. */
export function optionsFrom(args: string[]): Options {
  const text = { type: "string" } as const
  const { values } = parseArgs({
    args,
    options: { messages: text, bridges: text, json: { type: "boolean" } },
  })
  return Options.parse(values)
}
