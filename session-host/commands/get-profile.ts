import type { z } from "@hono/zod-openapi"
import * as contract from "#core/contract/profile.ts"
import { userOf } from "#core/jid.ts"
import { aboutOf } from "../people/person.ts"
import type { Command } from "./command.ts"

export const getProfile: Command = {
  route: contract.getProfile,
  run: async (c) => {
    const { session } = c.var
    const about = await session.use(({ connection, own }) => aboutOf(connection, own.jid))
    const { jid, name } = await session.status()
    const profile: z.infer<typeof contract.Profile> = { about, jid, name, phone: userOf(jid) }
    return c.json(profile, 200)
  },
}
