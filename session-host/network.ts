/**
 * What a session asks of the messaging network and what it gives to it, in types; its errors are in
 * `network-errors.ts`. Baileys' socket is behind this (`baileys/`). What messages are made of, the protocol's protobuf
 * as Baileys brings it, others know, too.
 */
import type { proto } from "@whiskeysockets/baileys"
import type { Media } from "./events/content.ts"

/** The content of a message, decoded: plain data, as the protocol names it. */
export type MessageContent = proto.IMessage

/** An answer that only those can read who have what it answers: a vote on a poll, a response to an event message. */
export interface OpenedAnswer {
  /** What it answers. */
  original: { id: string; content: MessageContent }
  vote?: proto.Message.IPollVoteMessage
  response?: proto.Message.IEventResponseMessage
}

/** A node of the network's binary XML, in plain data. */
export interface Stanza {
  tag: string
  attrs: Record<string, string>
  children: Stanza[]
  /** What a node without children holds. */
  bytes?: Uint8Array
}

/** A message stanza, decrypted. */
export interface Received {
  /** SHA-256 of the ciphertext, hex: the same for each delivery of the same stanza. */
  hash: string
  /** The attributes of the stanza, as received. */
  attrs: Record<string, string>
  /** What decryption gave: a padded protobuf `Message`. */
  plaintext: Uint8Array
  /** The stanza names a business whose name the network has verified. */
  verified?: boolean
}

/** A message on its way out: what a retry with the same bytes needs. */
export interface Outgoing {
  messageId: string
  /** The JID it goes to. */
  chat: string
  /** The protobuf `Message`, built once: secrets and media keys are random for each building. */
  message: Uint8Array
}

/** One value of the Signal key store, serialised; `null` removes it. */
export interface KeyChange {
  type: string
  id: string
  value: string | null
}

/** What must become durable together: one unit. */
export interface Change {
  keys?: KeyChange[]
  /** The credentials, serialised. Written last where a unit needs several transactions. */
  creds?: string
  received?: Received
  sending?: Outgoing
}

/**
 * What stands between memory and the network. A session's changes are units, numbered in the order in which they are
 * made in memory; they become durable in that order.
 */
export interface Gate {
  /** The number of the last unit that what leaves must wait for; 0 before the first. */
  readonly made: number
  /** The number of the last unit that is durable, as all before it are. */
  readonly kept: number
  /** Whether so much waits to become durable that no more may be taken in. */
  readonly isFull: boolean
  /**
   * Resolves when this unit is durable, and has it made so now. Rejects when the session has ended (fenced or given up),
   * and then the connection has been closed before.
   */
  whenKept(unit: number): Promise<void>
}

/** The session's memory, as the network may use it. */
export interface Vault {
  readonly gate: Gate
  /** The credentials as last kept; undefined before the first. */
  readonly creds: string | undefined
  /** Sees every change that was made, durable or not. */
  keys(type: string, ids: string[]): Promise<Map<string, string>>
  /**
   * Resolves when the change is made, as one unit: durable later, and no frame that leaves after it leaves before that.
   * Rejects when the session has ended, and then the connection has been closed before; and with TooLarge, and then nothing
   * was made.
   */
  keep(change: Change): Promise<void>
  /** A message stanza of these attributes has arrived, and `isSeen` will be asked. */
  foresee(attrs: Received["attrs"]): void
  /** Whether nobody wants to hear of the message of these attributes: it is decrypted, and leaves no mark (`isSeen`). */
  ignores(attrs: Received["attrs"]): boolean
  /** Whether the ciphertext of this hash, in a stanza of these attributes, was decrypted before. */
  isSeen(received: Pick<Received, "hash" | "attrs">): Promise<boolean>
  /** Whether the message at hand, unseen, is to be treated as one that cannot be decrypted: true once, if at all. */
  isToSkip(): Promise<boolean>
  /** The protobuf of a message sent in the last days, by its id alone, for retry receipts. */
  sent(messageId: string): Promise<Uint8Array | undefined>
}

/** Who the session is on the network. */
export interface Me {
  jid: string
  lid: string
  phone: string
  name: string
}

/**
 * - `logged_out`: the phone or the network removed the device; the credentials are worthless.
 * - `replaced`: another login of the same device took over.
 * - `restart`: the network asks to connect anew, at once (after pairing).
 * - `refs_ended`: nobody scanned in time; connect anew to go on.
 * - `lost`: anything else; connect anew with backoff.
 */
type ClosedReason = "logged_out" | "replaced" | "restart" | "refs_ended" | "lost"

/** What the network has against an account, or against the version of its protocol that is spoken here. */
export type Objection = "locked" | "banned" | "temporarily_banned" | "outdated"

/** How a connection ended. */
export interface End {
  reason: ClosedReason
  /** What was said, with its number, for a log. */
  detail: string
  /** Where the network has refused the login and said why. */
  objection?: Objection
  /** For how long the network will refuse it, ms, where it says so. */
  refusedForMs?: number
}

/** What happens on a connection, in order. */
export type Happening =
  /** A QR code to show, until the next one comes. `expiresAt` in Unix seconds. */
  | { kind: "qr"; text: string; expiresAt: number }
  /** The phone asks for a passkey step. */
  | { kind: "passkey_required" }
  /** Linked: credentials are kept, and only then the network is told; it will ask for a restart. */
  | { kind: "paired" }
  /** Logged in and ready. */
  | { kind: "open"; me: Me }
  /** A stanza that is no message and may become an event: calls, notifications, offline counts. */
  | { kind: "stanza"; stanza: Stanza }
  /** The network acknowledged a message late, after `send` had given up waiting. */
  | { kind: "acknowledged"; messageId: string; timestamp: number }
  /** What the network says of people: of an address book, a history, a group. `onLearned`: once it is taken down. */
  | { kind: "people"; people: Acquaintance[]; onLearned?: () => void }
  /** The end of this connection; nothing follows. */
  | ({ kind: "closed" } & End)

/** What the network says of a person: no more than it says. */
export interface Acquaintance {
  /** By phone number. */
  jid?: string | undefined
  lid?: string | undefined
  /** As the phone's address book has it. */
  fullName?: string | undefined
  firstName?: string | undefined
  /** As the person calls itself. */
  pushName?: string | undefined
  /** Of a business, verified by the network. */
  verifiedName?: string | undefined
  /** What a group shows of a number that it hides. */
  redactedPhone?: string | undefined
  /** It says something of whoever is a contact already; it makes none. */
  ofContactsOnly?: true
}

/** Who a phone number belongs to. */
export interface Registered {
  jid: string
  /** `""` where the network does not say. */
  lid: string
  isBusiness: boolean
  /** `""` where the network verifies none. */
  verifiedName: string
}

/** A question to the network: an `<iq>`, with what it holds. */
export interface Question {
  xmlns: string
  type: "get" | "set"
  /** The network itself, without. */
  to?: string
  target?: string
  children?: Stanza[]
}

/** One connection: from dialling to its end. It never reconnects by itself. */
export interface Connection {
  /**
   * Sends one message and resolves when the network acknowledged it, with the network's time (Unix seconds).
   * What `keep({ sending })` was given is durable before the first byte of the stanza leaves, unless `again`: then the row
   * exists, and the same bytes go out under the same id.
   * @throws NotSent: definitely not on the wire. NetworkRejected: refused, with the network's number.
   * OutcomeUnknown: no acknowledgement within the time.
   */
  send(outgoing: Outgoing, again?: boolean): Promise<{ timestamp: number }>
  /** The network's answer. @throws NetworkRejected, NoAnswer */
  ask(question: Question): Promise<Stanza>
  /**
   * A code to be typed on the phone of this number (digits), eight characters. While it is to be linked only, after the
   * first `qr`.
   * @throws NetworkRejected, NoAnswer
   */
  linkCode(phone: string): Promise<string>
  /** Those of these phone numbers (digits) that are on the network. @throws NetworkRejected, NoAnswer */
  registered(phones: string[]): Promise<Map<string, Registered>>
  /** Shows in a chat what its other side sees while somebody writes. Nobody confirms it. */
  showTyping(chat: string, state: "composing" | "recording" | "paused"): Promise<void>
  /** Is shown as available, or not: from now on, on this connection. Nobody confirms it. */
  setAvailable(isAvailable: boolean): Promise<void>
  /** Wants to hear of somebody's presence and typing, for some minutes. Nobody confirms it. */
  watch(jid: string): Promise<void>
  /** Declines a call. Of one that is over nobody takes notice. @throws NetworkRejected, NoAnswer */
  rejectCall(call: { id: string; caller: string }): Promise<void>
  /** Where a picture is, of a person or a group; undefined when there is none, or none for us. @throws NetworkRejected, NoAnswer */
  pictureUrl(jid: string): Promise<string | undefined>
  /**
   * Tells its author that a message was read; only the own devices, if the account's privacy settings say so.
   * @throws NetworkRejected, NoAnswer
   */
  markRead(message: { id: string; remoteJid?: string; participant?: string }): Promise<void>
  /** Brings an encrypted file to the network; its message then says where it is. @throws NetworkRejected, NoAnswer */
  upload(file: { path: string; kind: Media["kind"]; fileEncSha256: Uint8Array }): Promise<{
    url: string
    directPath: string
  }>
  /** `host[:port]` from which files are fetched, over https. @throws NetworkRejected, NoAnswer */
  mediaHost(): Promise<string>
  /**
   * Has the account's phone bring the file of a message once more, which the network does not keep any more: where it is
   * then; undefined when the phone does not have it, or does not answer.
   */
  bringAgain(missed: {
    id: string
    chat: string
    sender: string
    fromMe: boolean
    mediaKey: Uint8Array
  }): Promise<string | undefined>
  /** The phone-number JID that belongs to a LID, where known, without asking the network. */
  phoneOf(lid: string): Promise<string | undefined>
  /** After so many seconds messages of a chat go; 0: never. Of a group it may be asked for. @throws NetworkRejected, NoAnswer */
  timerOf(chat: string): Promise<number>
  /** Removes this device from the account, then closes. */
  logout(): Promise<void>
  /**
   * Closes the socket at once, synchronously, without logout: nothing leaves and nothing happens any more, `closed`
   * included. Before the next connection of this vault, the changes already handed to `keep` must be settled.
   */
  close(): void
}
