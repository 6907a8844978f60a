import { z } from "zod"

/** Whose yes a message needs: a person's if it begins a chat (`new`), a person's always (`all`), nobody's (`never`). */
export const WhenToAsk = z.enum(["new", "all", "never"]).default("new")
export type WhenToAsk = z.infer<typeof WhenToAsk>
