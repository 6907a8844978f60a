import { randomUUID } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { z } from "@hono/zod-openapi"
import * as contract from "#core/contract/contact.ts"
import { invalid, issuesOf } from "#core/error.ts"
import { StoredMedia } from "#core/stored-media.ts"
import { inFolder } from "../media/folder.ts"
import { wire } from "../people/contacts.ts"
import type { Command, CommandContext } from "./command.ts"

const Query = contract.listContacts.request.query
const contentType = "application/json"

/** A list may be of any length (§4.5): a long one goes by way of the bucket, as media do. */
export const listContacts: Command = {
  route: contract.listContacts,
  run: async (c) => {
    const { session } = c.var
    const asked = queryOf(c)
    const contacts = await session.contacts()
    const page = await contacts.list(asked)
    const body = Buffer.from(JSON.stringify(page.map((contact) => wire(contact))))
    if (body.length <= StoredMedia.inline.maxBytes) return c.body(body, 200, { "content-type": contentType })
    return c.body(null, 200, StoredMedia.pointerTo(await store(session.lease.bridgeId, body)))
  },
}

async function store(bridgeId: string, body: Buffer): Promise<string> {
  const key = StoredMedia.keyOf(bridgeId, `contacts/${randomUUID()}`)
  await inFolder(async (folder) => {
    const path = join(folder, "contacts")
    await writeFile(path, body)
    await StoredMedia.put({ key, path, contentType, fileName: "contacts.json" })
  })
  return key
}

/** The query, once more against the contract. @throws ApiError `invalid_request` */
function queryOf(c: CommandContext): z.infer<typeof Query> {
  const parsed = Query.safeParse(c.req.query())
  if (parsed.success) return parsed.data
  throw invalid(issuesOf(parsed.error))
}
