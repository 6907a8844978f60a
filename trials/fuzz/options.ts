import { randomInt } from "node:crypto"
import { z } from "zod"

const whole = z.coerce.number().int()

export const Options = z.object({
  runs: whole.min(1).default(1000).describe("The number of requests."),
  seed: whole
    .min(1)
    .default(() => randomInt(1, 2 ** 31))
    .describe("Equal seeds make equal requests, except for ids that only the running service knows."),
  from: whole
    .min(0)
    .default(0)
    .describe("The number of the seed's request to begin with, to see one finding again."),
  schemas: z
    .boolean()
    .default(false)
    .describe("Compares the document with the service, by Schemathesis from PyPI."),
})
export type Options = z.infer<typeof Options>
