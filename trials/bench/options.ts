import { z } from "zod"

export const Options = z.object({
  only: z
    .string()
    .transform((text) => text.split(","))
    .optional()
    .describe("Only the scenarios whose names begin with one of these; all if absent."),
  bridges: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe("What a fleet of so many of ours needs, in place of 20, 100 and 200 on either side."),
  short: z
    .boolean()
    .default(false)
    .describe(
      "Few messages and bridges, about a minute. It shows whether the bench works, not how fast anything is.",
    ),
  profile: z
    .boolean()
    .default(false)
    .describe(
      "Writes a CPU profile of each process and scenario into bench-profiles/, and prints what costs most; figures are dearer.",
    ),
})
export type Options = z.infer<typeof Options>
