import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { hasWords } from "#core/event/folded.ts"
import { isGroup } from "#core/message/jid.ts"
import { askForGroups } from "../groups/list.ts"
import type { Connection } from "../network/connection.ts"
import { contactWire } from "../people/contacts.ts"
import type { Session } from "../session/session.ts"

/** The query of `namesOf`: JIDs, with commas between them. */
export const AskedNames = z.object({
  jids: z.string().transform((text) => text.split(",").slice(0, 200)),
})

/**
 * What people and groups are called, by JID; those whose name is not known are left out. Pages show it beside
 * what people wrote.
 * @throws ApiError `session_unavailable`; SessionEnded
 */
export async function namesOf(session: Session, jids: string[]): Promise<Record<string, string>> {
  const { chats, contacts } = await session.memory()
  const names = new Map<string, string>()
  for (const jid of jids) {
    const contact = isGroup(jid) ? undefined : await contacts.get(jid)
    const name = contact
      ? contactWire(contact).name
      : isGroup(jid) && chats.areKept
        ? (await chats.get(jid))?.name
        : undefined
    if (name) names.set(jid, name)
  }
  const own = await session.status()
  const ownJid = `${own.phone}@s.whatsapp.net`
  if (own.name && jids.includes(ownJid)) names.set(ownJid, own.name)
  const unknown = jids.filter((jid) => isGroup(jid) && !names.has(jid))
  if (unknown.length > 0) {
    const groups = await groupNames(session)
    for (const jid of unknown) if (groups.has(jid)) names.set(jid, groups.get(jid)!) // it is there
  }
  return Object.fromEntries(names)
}

/**
 * How long the names of groups are shown without asking again, in ms. The names of all groups are asked for
 * at once, and the network limits how often.
 */
const goodForMs = 900_000

/** How long a search waits for the names of groups, in ms: the network may have to be asked. */
const groupsWithinMs = 200

/** People and groups who have one of these folded texts in a name or the address. @throws SessionEnded */
export async function peopleNamed(
  session: Session,
  texts: string[],
  { most, isOver }: { most: number; isOver: () => boolean },
): Promise<{ jid: string; name: string }[]> {
  const { contacts } = await session.memory()
  const groups = Promise.race([groupNames(session), sleep(groupsWithinMs, new Map<string, string>())])
  const found: { jid: string; name: string }[] = []
  for await (const page of contacts.pages({})) {
    for (const { jid, name, full_name, username } of page.map(contactWire))
      if (hasWords([jid, name, full_name, username], texts)) found.push({ jid, name })
    if (found.length >= most || isOver()) break
  }
  for (const [jid, name] of await groups) if (hasWords([jid, name], texts)) found.push({ jid, name })
  return found.slice(0, most)
}

const read = new WeakMap<Connection, { names: Promise<Map<string, string>>; atMs: number }>()

/** The names of the account's groups; none where the network does not say them now. */
async function groupNames(session: Session): Promise<Map<string, string>> {
  if ((await session.status()).status !== "connected") return new Map()
  return await session.use(async (connected) => {
    const { connection } = connected
    const before = read.get(connection)
    if (before && performance.now() - before.atMs < goodForMs) return await before.names
    const names = askForGroups(connected).then(
      (groups) => new Map(groups.map(({ jid, name }) => [jid, name])),
      () => new Map<string, string>(), // a page without names says the groups' numbers
    )
    read.set(connection, { names, atMs: performance.now() })
    return await names
  })
}
