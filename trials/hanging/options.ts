import { z } from "zod"

export const Options = z.object({
  receivers: z.coerce
    .number()
    .int()
    .min(0)
    .default(300)
    .describe("How many receivers of one account take a POST and never answer, each of a bridge of its own."),
  places: z.coerce.number().int().min(1).default(50).describe("How many deliveries run at once."),
  share: z
    .boolean()
    .default(true)
    .describe("An account's failing receivers have a fifth of the places at most, as on AWS."),
  others: z.coerce
    .number()
    .int()
    .min(1)
    .default(10)
    .describe("How many bridges of another account have events."),
  each: z.coerce.number().positive().default(2).describe("How often each of these has one, in seconds."),
  seconds: z.coerce.number().positive().default(300).describe("How long it lasts."),
  json: z.boolean().default(false).describe("The last line is nothing but the result."),
})
