import { resolve } from "node:path"
import ipaddr from "ipaddr.js"
import { z } from "zod"
import "#core/sentences.ts"

const port = (otherwise: number) =>
  z.coerce
    .number("must be a whole number from 0 to 65535")
    .refine(
      (given) => Number.isInteger(given) && given >= 0 && given <= 65_535,
      "must be a whole number from 0 to 65535",
    )
    .default(otherwise)

const count = (least: number, otherwise: number) =>
  z.coerce
    .number(`must be a whole number from ${least}`)
    .refine((given) => Number.isInteger(given) && given >= least, `must be a whole number from ${least}`)
    .default(otherwise)

const ranges = z
  .string()
  .refine(
    (text) => text === "" || text.split(",").every((range) => ipaddr.isValidCIDR(range.trim())),
    "must be ranges as 10.0.0.0/8, comma separated",
  )

/** Where a command of this machine keeps and finds what it kept. */
export const DataDir = z
  .string()
  .default(".data")
  .transform((path) => resolve(path))

/** What a person may set for the service on one machine. */
export const Settings = z
  .object({
    /** Of the API. */
    PORT: port(8787),
    /** Of the simulated network's control API: the phones. */
    SIMULATOR_CONTROL_PORT: port(8788),
    /** Everything is kept there; one folder for each network. */
    DATA_DIR: DataDir,
    /** `live`: real numbers. */
    HOST_NETWORK: z
      .enum(["simulated", "live"], 'must be "simulated" or "live" (real numbers)')
      .default("simulated"),
    /** Whether each account has a sandbox bridge; it is on the simulated network, and here all hosts are on one. */
    SANDBOX: z.enum(["0", "1"], 'must be "1" or "0"').optional(),
    /** Address ranges (CIDR, comma separated) that webhooks and media may be at although they are not public. */
    URL_ALLOW: ranges.default("127.0.0.0/8,::1/128"),
    /** Sessions of a session host: on one machine the fewer processes the better, each takes 200 MB for itself. */
    HOST_CAPACITY: count(1, 100),
    /** Sessions for which there is room although no bridge needs it yet: a process starts in a second or two. */
    HOST_SPARE: count(0, 0),
  })
  .transform((given) => ({
    ...given,
    SANDBOX: given.SANDBOX ?? (given.HOST_NETWORK === "simulated" ? "1" : "0"),
  }))
  .refine(({ SANDBOX, HOST_NETWORK }) => SANDBOX === "0" || HOST_NETWORK === "simulated", {
    path: ["SANDBOX"],
    message: "sandbox bridges are on the simulated network: leave it off with HOST_NETWORK=live",
  })
export type Settings = z.infer<typeof Settings>
