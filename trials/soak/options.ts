import { z } from "zod"

const whole = z.coerce.number().int().min(1)

export const Options = z.object({
  messages: whole
    .default(20_000)
    .describe("Messages that come in, over all bridges; a tenth as many come before, to warm up."),
  bridges: whole.max(200).default(20).describe("How many they come to."),
  json: z.boolean().default(false).describe("Prints only the last line."),
})
export type Options = z.infer<typeof Options>
