import { lidsOf } from "../events/phones-of-lids.ts"
import type { At } from "../events/connection.ts"
import { fromStanza } from "../events/from-stanza.ts"
import type { Logger } from "#core/platform/log.ts"
import { phoneOf } from "../messages/map-received.ts"
import { type Memory, nobody } from "../memory/memory.ts"
import type { Acquaintance, Connection, Stanza } from "../network/connection.ts"

interface Heard {
  memory: Memory
  /** The connection it was heard on, which may be asked for more. */
  connection: Pick<Connection, "phoneOf"> | undefined
  log: Logger
}

/** Records new information about people. @throws SessionEnded */
export async function learn(people: Acquaintance[], { memory, connection, log }: Heard): Promise<void> {
  await memory.contacts.learn(people, (lid) => phoneOf(lid, { connection, log }))
}

/** Turns a stanza other than a message into events. @throws SessionEnded */
export async function append(stanza: Stanza, at: At, { memory, connection, log }: Heard): Promise<void> {
  await memory.outbox.append(async () => {
    const phones = new Map<string, string>()
    for (const lid of lidsOf(stanza)) {
      const phone = await phoneOf(lid, { connection, log })
      if (phone) phones.set(lid, phone)
    }
    return fromStanza(stanza, { own: memory.vault.login ?? nobody, phones }, at)
  })
}
