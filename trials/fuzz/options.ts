import { randomInt } from "node:crypto"
import { z } from "zod"

const whole = z.coerce.number().int()

export const Options = z.object({
  /** The number of requests. */
  runs: whole.min(1).default(1000),
  /** Equal seeds make equal requests, except for ids that only the running service knows. */
  seed: whole.min(1).default(() => randomInt(1, 2 ** 31)),
  /** The number of the seed's request to begin with, to see one finding again. */
  from: whole.min(0).default(0),
})
export type Options = z.infer<typeof Options>
