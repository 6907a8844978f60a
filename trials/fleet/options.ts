import { z } from "zod"

export const Options = z.object({
  hosts: z.coerce
    .number()
    .int()
    .min(2)
    .default(100)
    .describe("Hosts that the bridges just fill; the sweep starts some to spare."),
  bridges: z.coerce.number().int().min(2).default(2000).describe("How many there are."),
  processes: z.coerce
    .number()
    .int()
    .min(2)
    .default(4)
    .describe("Hosts share so many processes: one of them is killed."),
  partition: z.coerce
    .number()
    .positive()
    .max(1)
    .default(1)
    .describe(
      "The share of DynamoDB's limits that a partition has here: a fiftieth stands for a fleet fifty times as large.",
    ),
  quota: z.coerce
    .number()
    .positive()
    .max(1)
    .optional()
    .describe(
      "The sweep is its bundle, as Lambda runs it, with this share of a processor: 0.145 is what 256 MB have. First nobody may start a host, and one falls silent; then, at the end, all hosts are lost.",
    ),
  failing: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe("So many deliveries wait behind receivers that fail."),
  light: z
    .boolean()
    .default(false)
    .describe("Hosts without sessions, which only beat and take leases: some thousand fit on a machine."),
  starts: z.coerce.number().min(0).default(0).describe("How long a task takes to start, in seconds."),
  json: z.boolean().default(false).describe("Prints only the last line."),
  rest: z.coerce.number().min(0).default(30).describe("How long it is watched at rest, in seconds."),
  deploy: z
    .boolean()
    .default(true)
    .describe(
      "A new release comes last: some fifteen seconds for each ten hosts. `--no-deploy` ends before it.",
    ),
})
export type Options = z.infer<typeof Options>
