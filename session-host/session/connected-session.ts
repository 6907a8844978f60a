import type { LRUCache } from "lru-cache"
import type { Choice } from "#core/bridge/choice.ts"
import type { Slots } from "#core/platform/slots.ts"
import type { UploadedFile } from "../content/compose.ts"
import type { CreatedGroups } from "../memory/created-groups.ts"
import type { LoginStanding } from "../memory/login-standing.ts"
import type { Recalled } from "../memory/messages/messages.ts"
import type { Connection } from "../network/connection.ts"
import type { Own } from "../network/happening.ts"
import type { Contacts } from "../people/contacts.ts"
import type { Manner } from "../send/pacing.ts"
import type { Wish } from "../send/sending.ts"
import type { Memory } from "./memory.ts"

/** A connected session, as a command needs it. */
export interface ConnectedSession {
  bridgeId: string
  /** What the customer has chosen, as it is now. */
  choice: () => Choice.Info
  connection: Connection
  own: Own
  /** The JID to send to. @throws ApiError `recipient_not_found` */
  reach: (chat: string) => Promise<string>
  /**
   * The JID that a caller means by a `chat`, which may be a username.
   * @throws ApiError `not_found` for a username that no account has
   */
  named: (chat: string) => Promise<string>
  /** Every known address of a person or group, in both spellings of a number. */
  namesOf: (jid: string) => Promise<Set<string>>
  /** Notes that the person with these addresses is on the network. */
  heardOf: (addresses: string[]) => void
  /** The private id that belongs to a number's JID, if it is known without asking the network. */
  lidOf: (jid: string) => Promise<string | undefined>
  /**
   * Waits until a message to this chat may leave (Contract, "Pacing", "New chats").
   * @throws ApiError `pacing`, `new_chat`
   */
  pace: (chat: string, manner?: Manner) => Promise<void>
  /** Every remembered message of this id, ours first. */
  messages: (id: string) => Promise<Recalled[]>
  contacts: Contacts
  /** The number of the login. */
  generation: number
  /** The groups that the API has asked for. */
  created: CreatedGroups
  standing: LoginStanding
  /** The limit on this bridge's media transfers. */
  media: Slots
  /** The files that were uploaded to the network, by the ids of the uploads. */
  sentFiles: Pick<LRUCache<string, UploadedFile>, "get" | "set">
}

/** Composes a message that a command wants sent (`Wish`). */
export type ComposeFor = (connected: ConnectedSession) => ReturnType<Wish["prepare"]>

/** A session that is connected now. */
export function connectedSession(
  connection: Connection,
  { choice, messages, vault, contacts, recipients, standing, pacing, createdGroups }: Memory,
  own: Pick<ConnectedSession, "bridgeId" | "media" | "sentFiles">,
): ConnectedSession {
  return {
    ...own,
    choice,
    connection,
    own: vault.login ?? { jid: "", lid: "" },
    contacts,
    generation: vault.generation,
    created: createdGroups,
    standing,
    pace: (chat, manner) => pacing.wait(chat, connection, manner),
    reach: (chat) => recipients.reach(chat, connection),
    named: (chat) => recipients.named(chat, connection),
    namesOf: (jid) => vault.namesOf(jid),
    lidOf: (jid) => vault.otherAddress(jid),
    heardOf: (addresses) => recipients.heardOf(addresses),
    messages: (id) => messages.all(id),
  }
}
