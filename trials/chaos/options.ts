import { randomInt } from "node:crypto"
import { z } from "zod"
import { shapes } from "../cluster/account-shapes.ts"
import { breakableRules, type BreakableRule } from "../cluster/breakable-rules.ts"
import { gatewayKinds, type Kind } from "../move-in/kinds.ts"
import { optionsFrom } from "../options.ts"

const whole = z.coerce.number().int()

const Options = z.object({
  kills: whole
    .min(0)
    .default(40)
    .describe("Kills and pauses that hit work in flight; the run ends with the last."),
  bridges: whole.min(1).max(200).default(6).describe("How many are linked."),
  messages: whole
    .min(1)
    .default(20)
    .describe(
      "Each bridge and each way, at the least; traffic goes on for as long as there is something to kill.",
    ),
  seed: whole
    .min(1)
    .default(() => randomInt(1, 2 ** 31))
    .describe("Equal seeds make equal choices; what they meet is decided by the machine."),
  beat: whole
    .min(50)
    .max(10_000)
    .default(500)
    .describe("`LEASE_BEAT_MS`, of which every other time of a lease is a multiple. In production 5000."),
  break: z.enum(breakableRules).optional().describe("The rule that is taken out of the service."),
  webhooks: whole
    .min(1)
    .max(5)
    .default(1)
    .describe("Webhooks of each bridge: one of the further ones is dead until the last blow, one is slow."),
  shape: z.enum(shapes).default("small").describe("The shape of accounts and their messages."),
  rounds: whole
    .min(1)
    .default(5000)
    .describe(
      "Messages and answers that the first bridge of the shape `real` has exchanged with one device before the first blow.",
    ),
  healing: z
    .boolean()
    .default(false)
    .describe("Receivers come and go, for an event or for seconds: what they gave up has to be sent again."),
  restore: z
    .boolean()
    .default(false)
    .describe("Each kill takes the whole service and its data folder, and a backup is restored."),
  move: z
    .boolean()
    .default(false)
    .describe("Bridges move between two services, there and back, while processes are killed in both."),
  "move-in": z
    .boolean()
    .default(false)
    .describe(
      "So many numbers of each of `--kinds` move here, from gateways that are killed, as is all else.",
    ),
  kinds: z
    .string()
    .default("baileys,waha")
    .describe(`Of gateways, with commas in between: ${gatewayKinds.join()}; or all.`),
  json: z.boolean().default(false).describe("Prints only the last line."),
})
export type Options = Omit<z.infer<typeof Options>, "break" | "move-in" | "kinds"> & {
  broken: BreakableRule | undefined
  moveIn: boolean
  kinds: Kind[]
}

/** @throws ZodError, TypeError: what is wrong with the command line. */
export function chaosOptions(args: string[]): Options {
  const { break: broken, "move-in": moveIn, kinds, ...rest } = optionsFrom(Options, args)
  const named = kinds === "all" ? [...gatewayKinds] : z.array(z.enum(gatewayKinds)).parse(kinds.split(","))
  return { ...rest, broken, moveIn, kinds: named }
}
