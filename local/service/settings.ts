import ipaddr from "ipaddr.js"
import "#core/platform/zod-sentences.ts"
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

/** The folder in which the commands on this machine keep their data. */
export const DataDir = z
  .string()
  .default(".data")
  .transform((path) => resolve(path))

/** The settings that a person may make for the service on one machine. */
export const Settings = z
  .object({
    /** The port of the API. */
    PORT: port(8787),
    /** The port of the simulated network's control API, for its phones. */
    SIMULATOR_CONTROL_PORT: port(8788),
    /** The folder for all data; each network needs its own. */
    DATA_DIR: DataDir,
    /** `live`: real numbers. */
    HOST_NETWORK: z
      .enum(["simulated", "live"], 'must be "simulated" or "live" (real numbers)')
      .default("simulated"),
    /**
     * Whether each account has a sandbox bridge. A sandbox is on the simulated network, and all hosts here are on one
     * network.
     */
    SANDBOX: z.enum(["0", "1"], 'must be "1" or "0"').optional(),
    /** Address ranges (CIDR, comma separated) that webhooks and media may use although they are not public. */
    URL_ALLOW: ranges.default("127.0.0.0/8,::1/128"),
    /** `pretend`: subscriptions are paid at a pretend Stripe, where no money moves. `stripe`: at Stripe itself. */
    BILLING: z.enum(["", "pretend", "stripe"], 'must be "pretend", "stripe" or nothing').default(""),
    STRIPE_SECRET_KEY: z.string().default(""),
    STRIPE_WEBHOOK_SECRET: z.string().default(""),
    STRIPE_PRICE: z.string().default(""),
    /** The port of the pretend Stripe. */
    PRETEND_STRIPE_PORT: port(8789),
    /** The capacity of a session host. Few processes are best on one machine, since each takes 200 MB for itself. */
    HOST_CAPACITY: count(1, 100),
    /** How many sessions to keep room for beyond those that bridges need: a process starts in a second or two. */
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
  .refine(
    ({ BILLING, ...given }) =>
      BILLING !== "stripe" || (given.STRIPE_SECRET_KEY && given.STRIPE_WEBHOOK_SECRET && given.STRIPE_PRICE),
    {
      path: ["BILLING"],
      message: "`stripe` needs STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and STRIPE_PRICE (docs/billing.md)",
    },
  )
export type Settings = z.infer<typeof Settings>

/** The service cannot start; the message tells a person why. */
export class CannotStart extends Error {}
