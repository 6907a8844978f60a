import { z } from "zod"

/**
 * Whose yes a message needs. `new`: a person's if it begins a chat, or may carry words of one chat to somebody else;
 * `all`: a person's always; `never`: nobody's.
 */
export const WhenToAsk = z.enum(["new", "all", "never"]).default("new")
export type WhenToAsk = z.infer<typeof WhenToAsk>
