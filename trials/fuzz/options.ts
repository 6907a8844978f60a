import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"
import { z } from "zod"

const whole = z.coerce.number().int()

const Options = z.object({
  /** The number of requests. */
  runs: whole.min(1).default(1000),
  /** Equal seeds make equal requests, except for ids that only the running service knows. */
  seed: whole.min(1).optional(),
  /** The number of the seed's request to begin with, to see one finding again. */
  from: whole.min(0).default(0),
})
export type Options = Required<z.infer<typeof Options>>

/** @throws ZodError, TypeError when the command line is wrong. */
export function optionsFrom(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: { runs: { type: "string" }, seed: { type: "string" }, from: { type: "string" } },
  })
  const { seed, ...rest } = Options.parse(values)
  return { ...rest, seed: seed ?? randomInt(1, 2 ** 31) }
}
