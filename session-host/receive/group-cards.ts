import type { Logger } from "#core/platform/log.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import { within } from "../concurrency/call-deadline.ts"
import { askForGroupCard } from "../groups/group-card.ts"
import type { Connection } from "../network/connection.ts"
import type { Stanza } from "../network/stanza.ts"

/** How long the network may take, ms: messages wait meanwhile. */
const answerMs = 5_000
/** How often a group is asked for at most, in ms: its members cause the questions. */
const askedMs = 10_000

interface Input {
  connection: () => Pick<Connection, "ask"> | undefined
  log: Logger
}

/** Finds the card of a group, which names its admins; undefined if the network does not give it. */
export function newGroupCards({ connection, log }: Input): (group: string) => Promise<Stanza | undefined> {
  const asked = boundedCache<Promise<Stanza | undefined>>(100, { ttl: askedMs })

  async function ask(group: string): Promise<Stanza | undefined> {
    const open = connection()
    if (!open) return undefined
    try {
      return await within(answerMs, askForGroupCard(open, group), () => undefined)
    } catch (error) {
      log.info({ error }, "the admins of a group could not be looked up")
      return undefined
    }
  }

  return async (group) => {
    const card = asked.get(group) ?? ask(group)
    if (!asked.has(group)) asked.set(group, card)
    return await card
  }
}
