import { decode } from "./baileys/decode.ts"
import type { Mapped } from "./events/mapped.ts"
import { fromMessage, lidsIn, type Own, phonesIn } from "./events/message.ts"
import type { Logger } from "./log.ts"
import type { Connection, Received } from "./network.ts"

/**
 * A received message, as events. The mapper is pure: what it needs beside the message is looked up here, as far as
 * there is a connection that knows. @throws when it cannot be read
 */
export async function mapReceived(
  received: Received,
  own: Own,
  connection: Pick<Connection, "phoneOf"> | undefined,
  log: Logger,
): Promise<Mapped[]> {
  const { attrs } = received
  const content = decode(received.plaintext)
  const phones = phonesIn(attrs, own)
  for (const lid of lidsIn({ attrs, content, own })) {
    const phone = await phoneOf(lid, connection, log)
    if (phone) phones.set(lid, phone)
  }
  return fromMessage({ attrs, content, own, phones })
}

async function phoneOf(
  lid: string,
  connection: Pick<Connection, "phoneOf"> | undefined,
  log: Logger,
): Promise<string | undefined> {
  try {
    return await connection?.phoneOf(lid)
  } catch (error) {
    // The connection ended meanwhile. An event without a phone number is better than none.
    log.info({ error }, "a phone number could not be looked up")
    return undefined
  }
}
