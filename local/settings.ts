import { resolve } from "node:path"
import { z } from "zod"

/** What a person may set for the service on one machine. */
export const Settings = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8787),
  /** Of the simulated network's control API: the phones. */
  SIMULATOR_CONTROL_PORT: z.coerce.number().int().min(0).max(65_535).default(8788),
  DATA_DIR: z
    .string()
    .default(".data")
    .transform((path) => resolve(path)),
})
export type Settings = z.infer<typeof Settings>
