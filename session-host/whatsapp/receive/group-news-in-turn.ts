import type { BinaryNode } from "@whiskeysockets/baileys"
import { isGroupNews } from "../../content/group.ts"
import type { Intake } from "../../network/connection.ts"
import type { Lifetime } from "../lifetime.ts"
import { toStanza } from "../stanza.ts"
import type { Interceptor } from "../tap.ts"
import type { UnsettledStanzas } from "./unsettled-stanzas.ts"

interface Input {
  intake: Pick<Intake, "followsGroup">
  lifetime: Pick<Lifetime, "emit">
  unsettled: Pick<UnsettledStanzas, "afterThose">
}

/**
 * Gives Baileys the news of a group once their events are made, after the messages that arrived before them.
 * Baileys acknowledges them then, and the ack waits at the gate until the events are durable: what was not
 * taken in comes again.
 */
export function newGroupNews({ intake, lifetime, unsettled }: Input): Interceptor {
  const isWanted = ({ tag, attrs }: BinaryNode) =>
    isGroupNews({ tag, attrs }) && intake.followsGroup(attrs.from ?? "")
  return async (node, pass) => {
    if (isWanted(node)) {
      await new Promise<void>((onTurn) => unsettled.afterThose(node, onTurn))
      const stanza = toStanza(node)
      await new Promise<void>((onTaken) => lifetime.emit({ kind: "stanza", stanza, onTaken }))
    }
    return await pass(node)
  }
}
