import { z } from "@hono/zod-openapi"

/** Contract, "Kept messages": for how many days. */
export const Keep = z.union([z.literal(7), z.literal(30), z.literal(90)])
export type Keep = z.infer<typeof Keep>
