import { resolve } from "node:path"
import { z } from "zod"

const port = (otherwise: number) =>
  z.coerce
    .number("must be a whole number from 0 to 65535")
    .refine(
      (given) => Number.isInteger(given) && given >= 0 && given <= 65_535,
      "must be a whole number from 0 to 65535",
    )
    .default(otherwise)

/** What a person may set for the service on one machine. */
export const Settings = z.object({
  PORT: port(8787),
  /** Of the simulated network's control API: the phones. */
  SIMULATOR_CONTROL_PORT: port(8788),
  DATA_DIR: z
    .string()
    .default(".data")
    .transform((path) => resolve(path)),
})
export type Settings = z.infer<typeof Settings>
