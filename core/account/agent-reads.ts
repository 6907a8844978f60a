export * as AgentReads from "./agent-reads.ts"

import { iso, now } from "../platform/clock.ts"
import { getRow, type Key, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"

// The chats whose words an agent was shown lately, by its key. Requests of an agent have nothing else in
// common. A row holds those of one day, each as an attribute of its own, so that requests at once lose
// nothing of each other.

const day = 86_400
/**
 * As many of a day are kept. More make no difference: words of some other chat were shown, whichever is
 * written to.
 */
const most = 20
const prefix = "CHAT "

/** Notes the chats (JIDs) whose words an agent is about to be shown. */
export async function note(keyId: string, chats: string[]): Promise<void> {
  const key = rowKey(keyId, now())
  const known = chatsIn(await getRow(tables.accounts, key))
  const added = [...new Set(chats)]
    .filter((chat) => !known.includes(chat))
    .slice(0, Math.max(0, most - known.length))
  if (added.length === 0) return
  await updateRow({
    TableName: tables.accounts,
    Key: key,
    UpdateExpression: `SET expires_at = :end, ${added.map((_, i) => `#${i} = :at`).join(", ")}`,
    ExpressionAttributeNames: Object.fromEntries(added.map((chat, i) => [`#${i}`, prefix + chat])),
    ExpressionAttributeValues: { ":end": now() + 2 * day, ":at": now() },
  })
}

/** The chats whose words an agent was shown today or yesterday (UTC), so for a day at least: at most 40. */
export async function lately(keyId: string): Promise<string[]> {
  const rows = await Promise.all(rowKeys(keyId).map((key) => getRow(tables.accounts, key)))
  return [...new Set(rows.flatMap(chatsIn))]
}

/** Where the rows of a key are, if there are any. */
export function rowKeys(keyId: string): [Key, Key] {
  return [rowKey(keyId, now()), rowKey(keyId, now() - day)]
}

function rowKey(keyId: string, at: number): Key {
  return { pk: `KEY#${keyId}`, sk: `READ#${iso(at * 1000).slice(0, 10)}` }
}

function chatsIn(row: object | undefined): string[] {
  return Object.keys(row ?? {}).flatMap((name) =>
    name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
  )
}
