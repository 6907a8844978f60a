import { z } from "zod"

/**
 * Whose yes a message needs. `new`: a person's if it begins a chat, or may carry words of one chat to
 * another; `all`: a person's always; `never`: none.
 */
export const WhenToAsk = z.enum(["new", "all", "never"]).default("new")
export type WhenToAsk = z.infer<typeof WhenToAsk>
