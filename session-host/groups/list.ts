import type { Connection } from "../network/connection.ts"
import { child, childrenOf, el } from "../network/stanza.ts"
import type { ConnectedSession } from "../session/connected-session.ts"
import { type Group, groupsOf } from "./group.ts"

interface Asked {
  limit?: number | undefined
  after?: string | undefined
}

const byDefault = 100

/**
 * How long the pages of a list show the groups that were read for its first page, in ms. The network limits
 * how often they can be asked for.
 */
const keptMs = 60_000

const kept = new WeakMap<Connection, { groups: Group[]; atMs: number }>()

/**
 * A page of the groups that the account is in, by JID (Contract, "Groups").
 * @throws NetworkRejected, NoAnswer
 */
export async function groupPage(connected: ConnectedSession, asked: Asked): Promise<Group[]> {
  const { after = "", limit = byDefault } = asked
  const before = after === "" ? undefined : kept.get(connected.connection)
  const isFresh = before !== undefined && performance.now() - before.atMs < keptMs
  const groups = isFresh ? before.groups : await askForGroups(connected)
  return groups.filter(({ jid }) => jid > after).slice(0, limit)
}

/** Asks for the groups that the account is in, as other clients do. @throws NetworkRejected, NoAnswer */
export async function askForGroups({ connection, own }: ConnectedSession): Promise<Group[]> {
  const children = [el("participating", {}, [el("participants"), el("description")])]
  const answer = await connection.ask({ xmlns: "w:g2", type: "get", to: "@g.us", children })
  const cards = childrenOf(child(answer, "groups"), "group")
  const groups = await groupsOf(cards, { own, connection })
  groups.sort((one, other) => (one.jid < other.jid ? -1 : 1))
  const now = { groups, atMs: performance.now() }
  kept.set(connection, now)
  setTimeout(() => kept.get(connection) === now && kept.delete(connection), keptMs).unref()
  return groups
}
