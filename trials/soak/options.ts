import { z } from "zod"

const whole = z.coerce.number().int().min(1)

export const Options = z.object({
  /** Messages that come in, over all bridges; a tenth as many come before, to warm up. */
  messages: whole.default(20_000),
  bridges: whole.max(200).default(20),
  /** Prints only the last line. */
  json: z.boolean().default(false),
})
export type Options = z.infer<typeof Options>
