import { z } from "zod"

export const Options = z.object({
  /** Only the scenarios whose names begin with one of these; all if absent. */
  only: z
    .string()
    .transform((text) => text.split(","))
    .optional(),
  /** What a fleet of so many of ours needs, in place of 20, 100 and 200 on either side. */
  bridges: z.coerce.number().int().min(1).optional(),
  /** Few messages and bridges, about a minute. It shows whether the bench works, not how fast anything is. */
  short: z.boolean().default(false),
  /** Writes a profile of each process and scenario into this folder, and prints what costs most. Figures are dearer then. */
  profile: z.boolean().default(false),
  /** The store in a process of its own, so that its share can be seen. */
  "split-store": z.boolean().default(false),
})
export type Options = z.infer<typeof Options>
