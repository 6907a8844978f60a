import { z } from "zod"

export const Options = z.object({
  /** Hosts that the bridges just fill; the sweep starts some to spare. */
  hosts: z.coerce.number().int().min(2).default(100),
  bridges: z.coerce.number().int().min(2).default(2000),
  /** Hosts share so many processes: one of them is killed. */
  processes: z.coerce.number().int().min(2).default(4),
  /** The share of DynamoDB's limits that a partition has here: a fiftieth stands for a fleet fifty times as large. */
  partition: z.coerce.number().positive().max(1).default(1),
  /** How long it is watched at rest, in seconds. */
  rest: z.coerce.number().min(0).default(30),
  /** A new release comes last: some fifteen seconds for each ten hosts. `--no-deploy` ends before it. */
  deploy: z.boolean().default(true),
})
export type Options = z.infer<typeof Options>
