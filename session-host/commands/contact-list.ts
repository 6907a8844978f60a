import { randomUUID } from "node:crypto"
import { join } from "node:path"
import type { z } from "@hono/zod-openapi"
import { LRUCache } from "lru-cache"
import type * as contract from "#contract/contact.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { wellFormedJson } from "#core/platform/well-formed-json.ts"
import { BatchedLookups } from "../concurrency/batched-lookups.ts"
import { type Contacts, contactWire } from "../people/contacts.ts"
import type { Session } from "../session/session.ts"

type Asked = z.infer<typeof contract.listContacts.request.query>
const contentType = "application/json"

/** Complete contact lists as they were answered, by the state of their contacts (`Contacts.state`). */
const kept = new LRUCache<object, Answer>({
  maxSize: 32 * 1024 * 1024,
  sizeCalculation: ({ body }) => (body?.length ?? 0) + 200,
  // A list in the bucket may still be streamed from there for some time.
  ttl: StoredMedia.cachedForMs / 2,
})
/** A session makes one such list at a time. All callers who ask meanwhile get the next list. */
const making = new WeakMap<Contacts, BatchedLookups<string, Answer>>()

/** A list may have any length (Contract, "Contacts"). A long list goes through the bucket, as media do. */
interface Answer {
  body: Buffer<ArrayBuffer> | null
  headers: Record<string, string>
}

/** Answers with the contacts of a session, a page of them or all (Contract, "Contacts"). */
export async function contactsResponse(session: Session, asked: Asked): Promise<Response> {
  const contacts = await session.contacts()
  const isAll = asked.limit === undefined && asked.after === undefined
  const { bridgeId } = session.lease
  const { body, headers } = isAll
    ? await everybody(contacts).find(bridgeId)
    : await made(bridgeId, contacts, asked)
  return new Response(body, { headers })
}

function everybody(contacts: Contacts): BatchedLookups<string, Answer> {
  const before = making.get(contacts)
  if (before) return before
  const lists = new BatchedLookups<string, Answer>(async (asked) => {
    const { state } = contacts
    const answer = kept.get(state) ?? (await made(asked[0]!, contacts, {}))
    kept.set(state, answer)
    return asked.map(() => answer)
  })
  making.set(contacts, lists)
  return lists
}

async function made(bridgeId: string, contacts: Contacts, asked: Asked): Promise<Answer> {
  const texts: string[] = []
  for await (const page of contacts.pages(asked))
    texts.push(...page.map((contact) => wellFormedJson(contactWire(contact))))
  const body = Buffer.from(`[${texts.join(",")}]`)
  if (body.length <= AnswerInBucket.longestInline.maxBytes)
    return { body, headers: { "content-type": contentType } }
  return { body: null, headers: AnswerInBucket.pointerTo(await store(bridgeId, body)) }
}

async function store(bridgeId: string, body: Buffer): Promise<string> {
  const key = StoredMedia.keyOf(bridgeId, `contacts/${randomUUID()}`)
  await FilesOnDisk.inFolder(bridgeId, async (folder) => {
    const path = join(folder, "contacts")
    await FilesOnDisk.write(path, body.length, [body])
    await StoredMedia.put({ key, path, contentType, fileName: "contacts.json" })
  })
  return key
}
