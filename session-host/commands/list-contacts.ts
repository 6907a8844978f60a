import type { z } from "@hono/zod-openapi"
import * as contract from "#core/contract/contact.ts"
import { invalid, issuesOf } from "#core/error.ts"
import { wire } from "../people/contacts.ts"
import type { Command, CommandContext } from "./command.ts"

const Query = contract.listContacts.request.query

export const listContacts: Command = {
  route: contract.listContacts,
  run: async (c) => {
    const asked = queryOf(c)
    const contacts = await c.var.session.contacts()
    const page = await contacts.list(asked)
    return c.json(
      page.map((contact) => wire(contact)),
      200,
    )
  },
}

/** The query, once more against the contract. @throws ApiError `invalid_request` */
function queryOf(c: CommandContext): z.infer<typeof Query> {
  const parsed = Query.safeParse(c.req.query())
  if (parsed.success) return parsed.data
  throw invalid(issuesOf(parsed.error))
}
