import { lidsInStanza } from "../receive/map/people-in-stanza.ts"
import type { At } from "../receive/map/connection.ts"
import { fromStanza } from "../receive/map/from-stanza.ts"
import type { Logger } from "#core/platform/log.ts"
import { phonesOf } from "../receive/map-received.ts"
import type { Memory } from "../memory/memory.ts"
import { nobody } from "../receive/map/chat-and-sender.ts"
import type { Acquaintance, Connection, Stanza } from "../network/connection.ts"

interface Heard {
  memory: Memory
  /** The connection it was heard on, which may be asked for more. */
  connection: Pick<Connection, "phonesOf"> | undefined
  log: Logger
}

/** Records new information about people. @throws SessionEnded */
export async function learnPeople(people: Acquaintance[], { memory, connection, log }: Heard): Promise<void> {
  await memory.contacts.learn(people, (lids) => phonesOf(lids, { connection, log }))
}

/** Turns a stanza other than a message into events. @throws SessionEnded */
export async function appendStanza(
  stanza: Stanza,
  at: At,
  { memory, connection, log }: Heard,
): Promise<void> {
  await memory.outbox.append(async () => {
    const phones = await phonesOf(lidsInStanza(stanza), { connection, log })
    return fromStanza(stanza, { own: memory.vault.login ?? nobody, phones }, at)
  })
}
