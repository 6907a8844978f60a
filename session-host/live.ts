import { isLid } from "#core/jid.ts"
import type { Contacts } from "./people/contacts.ts"
import type { Own } from "./events/about.ts"
import type { Remembered } from "./events/mapped.ts"
import type { Connection } from "./network.ts"
import type { Slots } from "./slots.ts"
import type { Standing } from "./uplink/standing.ts"

/** A session that is connected, as a command needs it. */
export interface Live {
  connection: Connection
  own: Own
  /** The JID to send to. @throws ApiError `recipient_not_found` */
  reach: (chat: string) => Promise<string>
  /** Every message of this id that is remembered, ours first. */
  messages: (id: string) => Promise<Remembered[]>
  contacts: Contacts
  standing: Standing
  /** Media of this bridge on their way. */
  media: Slots
}

/** Whether both name one chat: by phone number or by LID, so far as it is known which belong together. */
export async function isSameChat(live: Live, one: string, other: string): Promise<boolean> {
  return one === other || (await phoneOf(live, one)) === (await phoneOf(live, other))
}

async function phoneOf({ connection, own }: Live, jid: string): Promise<string> {
  if (!isLid(jid)) return jid
  return jid === own.lid ? own.jid : ((await connection.phoneOf(jid)) ?? jid)
}
