import { EventRow } from "#core/event/event-row.ts"
import { tables } from "#core/store/tables.ts"
import { aNetwork, type Network } from "../network/network.ts"
import { rowsOf } from "../rows-of.ts"
import { until } from "../until.ts"
import { call, eventsOfType } from "./host.ts"
import { aPairedSession } from "./paired.ts"

/**
 * A paired session, a phone that chats with it, and ways to ask about the session; on a network of its own,
 * or on this.
 */
export async function aChat(options: Parameters<typeof aPairedSession>[1] & { network?: Network } = {}) {
  const network = options.network ?? (await aNetwork())
  const session = await aPairedSession(network, options)
  const bob = await network.phone("Bob")
  const bridgeId = session.bridge.id
  return {
    ...session,
    network,
    bob,
    /** Sends a command and returns its answer. */
    ask: async (method: string, path: string, body?: unknown) => {
      const answer = await call(bridgeId, method, path, { body })
      const said = (await answer.json()) as Record<string, unknown> // compared by the caller
      return { status: answer.status, message_id: "", ...said }
    },
    /** The `message` event of this message, once it is there. */
    message: async (id: string) =>
      await until(async () =>
        (await eventsOfType(bridgeId, "message")).find((event) => event.message_id === id),
      ),
    /** The webhook event ids of the messages' events. */
    eventIds: async () => {
      const rows = await rowsOf(tables.events, bridgeId, "EVENT#")
      return rows.map((row) => EventRow.fromRow(row).eventId)
    },
  }
}

/**
 * One chat for all tests of a file, none of which ends what another needs. Its host has no room for another
 * session, so it takes none of another network's.
 */
export const aSharedChat = () => aChat({ isShared: true, capacity: 1, timing: { beatMs: 1000 } })
