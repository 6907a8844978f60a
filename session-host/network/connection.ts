/**
 * The messaging network as a session sees it, as types. Its errors are in `errors.ts`. Baileys' socket is
 * behind these types (`whatsapp/`). Of Baileys, only the form of a message's content, which is the protocol's
 * protobuf, is known elsewhere, too.
 */

import type { PasskeyAssertion } from "#contract/passkey.ts"
import type { Connections } from "#core/fetch/safe-fetch.ts"
import type { SessionWrite } from "../memory/rows.ts"
import type { Message, Message_EventResponseMessage, Message_PollVoteMessage } from "./message-proto/types.ts"
import type { proto } from "./proto.ts"
import type { Stanza } from "./stanza.ts"

/** The decoded content of a message: plain data under the protocol's names. */
export type MessageContent = Message

/**
 * An answer that only holders of the answered message can read: a vote, or a response to an event message.
 */
export interface OpenedAnswer {
  /** The message that it answers. */
  original: { id: string; content: MessageContent }
  vote?: Message_PollVoteMessage
  response?: Message_EventResponseMessage
}

/** A decrypted message stanza. */
export interface Received {
  /** SHA-256 of the ciphertext in hex; the same for each delivery of the same stanza. */
  hash: string
  /** The attributes of the stanza, as received. */
  attrs: Record<string, string>
  /** The decrypted bytes: a padded protobuf `Message`. */
  plaintext: Uint8Array
  /** Whether the stanza names a business whose name the network has verified. */
  verified?: boolean
  /** What the stanza says beside the message (`<meta>`): such as the key of a scheduled one. */
  meta?: Stanza[]
}

/** What a member of a group may do. */
export interface GroupRights {
  isAdmin: boolean
  /** Whether only admins may change the group, and what is pinned in it. */
  isLocked: boolean
}

/** How long messages of a chat stay. For a chat between two people, also who set this, and when. */
export interface DisappearingTimer {
  seconds: number
  /** Unix seconds. */
  setAt?: number
  /** `DisappearingMode.Initiator` */
  initiator?: number
  isOurs?: boolean
}

/** An outgoing message: everything that a retry with the same bytes needs. */
export interface Outgoing {
  messageId: string
  /** The recipient's JID. */
  chat: string
  /** The protobuf `Message`. It is built only once, since secrets and media keys are random each time. */
  message: Uint8Array
  /**
   * Of a status: the people who may see it. Of a message to a group, once it is encrypted: the people whom it
   * was encrypted for, ourselves included. They are addresses without a device.
   */
  members?: string[]
  /** The account that sends it, by JID: another phone may be linked later. */
  own?: string
  /** When the API asked for the message, in Unix milliseconds, and in which of its requests. */
  askedMs?: number
  requestId?: string
  /** How many events the bridge had had by then. */
  eventsBefore?: number
  /** Rows that are written together with the message's row. Called when that row is made. */
  beside?: () => SessionWrite[]
}

export type MediaKind = "image" | "video" | "audio" | "voice" | "document" | "sticker"

/** The place of a file's bytes, and the keys that decrypt them. */
export interface Media {
  kind: MediaKind
  caption: string
  mimetype: string
  fileName: string
  url: string
  directPath: string
  mediaKey: Uint8Array
  fileEncSha256: Uint8Array
  fileSha256: Uint8Array
}

/** The kinds of receipt that a recipient's devices send for a message, in the order in which they come. */
export const receiptKinds = ["delivered", "read", "played"] as const
export type ReceiptKind = (typeof receiptKinds)[number]

/** A receipt of messages by one person. */
export interface Receipt {
  kind: ReceiptKind
  messageIds: string[]
  /** A group, or the person themselves, without a device. */
  chat: string
  /** The addresses of the person in the stanza, without a device. */
  person: string[]
  /** Unix seconds; 0 if the stanza does not say. */
  timestamp: number
}

/** One value of the Signal key store, serialised; `null` removes it. */
export interface KeyChange {
  type: string
  id: string
  value: string | null
}

/** The changes that must become durable together: one unit. */
export interface VaultChange {
  keys?: KeyChange[]
  /** The credentials, serialised. They are written last if a unit needs several transactions. */
  creds?: string
  outgoing?: Outgoing
}

/**
 * The gate between memory and the network. A session's changes are units, numbered in the order in which they
 * are made in memory; they become durable in that order.
 */
export interface Gate {
  /** The number of the last unit that outgoing frames must wait for; 0 before the first. */
  readonly made: number
  /** The number of the last durable unit; all before it are durable, too. */
  readonly kept: number
  /** Whether so much waits to become durable that nothing more may be received. */
  readonly isFull: boolean
  /**
   * Resolves when this unit is durable, and makes its commit begin at once. Rejects when the session has
   * ended (fenced or given up); the connection is closed before that.
   */
  whenKept(unit: number): Promise<void>
}

/**
 * The credentials and Signal keys of a login, and the messages that it has sent, in the form that a
 * connection uses.
 */
export interface Vault {
  readonly gate: Gate
  /** The credentials as last kept; undefined before the first. */
  readonly creds: string | undefined
  /** The values of these keys, with every change that was made, durable or not. */
  keys(type: string, ids: string[]): Promise<Map<string, string>>
  /**
   * Resolves when the change is made, as one unit. The change becomes durable later, and no frame that is
   * sent after it leaves before that. Rejects when the session has ended (the connection is closed before
   * that), and with RowTooLarge when nothing was made.
   */
  change(change: VaultChange): Promise<void>
  /** A recently sent message, by its id alone, for retry receipts. */
  sent(messageId: string): Promise<Pick<Outgoing, "chat" | "message" | "members"> | undefined>
}

/** Where the messages of all of a session's connections arrive. */
export interface Intake {
  /**
   * Announces that a message stanza with these attributes has arrived, and that `whatToDoWith` will be asked.
   */
  foresee(attrs: Received["attrs"]): void
  /**
   * What to do with the ciphertext of this hash: `seen` if it was decrypted before, `skip` if the operator
   * wants it to count as one that cannot be read. With `mayBeNew` a ciphertext that was seen may be called
   * `decrypt`: `receive` finds out.
   */
  whatToDoWith(
    ciphertext: Pick<Received, "hash" | "attrs">,
    mayBeNew: boolean,
  ): Promise<"decrypt" | "seen" | "skip">
  /**
   * Notes that a placeholder of this message has come, and that the phone is asked for the message. Resolves
   * when this is durable.
   */
  expect(attrs: Received["attrs"]): Promise<void>
  /** Whether this ciphertext was decrypted before, as far as that is remembered. */
  isSeen(ciphertext: Pick<Received, "hash" | "attrs">): Promise<boolean>
  /**
   * Whether a message with these attributes leaves no mark for `isSeen`: `always` in an ignored chat, `maybe`
   * while the customer has not chosen every type of event, unless the login moved in some minutes ago.
   */
  forgets(attrs: Received["attrs"]): "always" | "maybe" | "never"
  /** Whether the customer wants to know what happens in this group. */
  followsGroup(group: string): boolean
  /**
   * Takes in a decrypted message. Resolves when its unit is made: its events, the rows that remember it, and
   * the changes of keys that its decryption has made. Nothing is made for a message that was taken in before.
   * Rejects as `Vault.keep` does.
   */
  receive(received: Received, keys: KeyChange[]): Promise<void>
  /**
   * Takes in a post of a channel. Resolves when its event is made, if it is wanted. Rejects as `receive`
   * does.
   */
  takePost(post: Stanza): Promise<void>
  /** Whether the customer wants to know what becomes of sent messages. */
  readonly followsReceipts: boolean
  /**
   * Takes in receipts of others. Resolves when their changes are made, as units. Receipts that change
   * nothing, or that come from people who are no recipients, make no unit. Rejects when the session has
   * ended.
   */
  recordReceipts(receipts: Receipt[]): Promise<void>
  /** Whether the customer wants to see chats, and what the account sets for them. */
  readonly keepsChats: boolean
  /** Whether the customer wants what was said before the link. */
  readonly keepsHistory: boolean
  /** Notes that the account has read this chat on its phone or another of its devices. */
  recordRead(chat: string): Promise<void>
}

/** A change of the account's settings, for all its devices. */
export interface SettingChange extends Setting {
  collection: Collection
  /** The version of this kind of setting. */
  version: number
  /** Removes it. */
  isRemoved?: true
}

/** A setting of the account, as all of its devices have it. */
export interface Setting {
  /** What is set, such as [archive, jid]. */
  index: string[]
  value: proto.ISyncActionValue
}

/** Settings are kept in these collections. Each kind belongs to one of them. */
type Collection = "critical_block" | "critical_unblock_low" | "regular_high" | "regular_low" | "regular"

/** The message before which older ones are asked for. */
export interface Oldest {
  id: string
  chat: string
  fromMe: boolean
  /** Unix seconds. */
  timestamp: number
}

/** The owner of a phone number. */
export interface Registered {
  jid: string
  /** `""` if the network does not say. */
  lid: string
  isBusiness: boolean
  /** `""` if the network has verified none. */
  verifiedName: string
}

/** A question to the network: an `<iq>` with its content. */
export interface Question {
  xmlns: string
  type: "get" | "set"
  /** Whom the question is for; the network itself if absent. */
  to?: string
  target?: string
  children?: Stanza[]
}

/** Where the network's files are fetched over https. */
export interface MediaHost {
  /** `host[:port]` */
  host: string
  /** New connections there. The caller destroys them. */
  connections: () => Connections
}

/** One connection, from dialling to its end. It never reconnects by itself. */
export interface Connection {
  /**
   * Sends one message. Resolves when the network acknowledges it, with the network's time (Unix seconds). The
   * row of `change({ outgoing })` is durable before the first byte of the stanza leaves. A repeat has its row
   * already: the same bytes go out under the same id.
   * @throws NotSent: definitely not sent. NetworkRejected: refused, with the network's number.
   * OutcomeUnknown: no acknowledgement in time.
   */
  send(outgoing: Outgoing, isRepeat?: boolean): Promise<{ timestamp: number }>
  /** The network's answer. @throws NetworkRejected, NoAnswer */
  ask(question: Question): Promise<Stanza>
  /**
   * An eight-character code to type on the phone of this number (digits). Only during linking, after the
   * first `qr`.
   * @throws NetworkRejected, NoAnswer
   */
  linkCode(phone: string): Promise<string>
  /** Answers the network's request for a passkey. @throws PasskeyRefused, NetworkRejected, NoAnswer */
  answerPasskey(assertion: PasskeyAssertion): Promise<void>
  /**
   * The owners of these phone numbers (digits), by number; none for a number that is not on the network.
   * @throws NetworkRejected, NoAnswer
   */
  registered(phones: string[]): Promise<Map<string, Registered>>
  /**
   * Shows the people in a chat that the account is writing or recording. The network does not confirm this.
   */
  showTyping(chat: string, state: "composing" | "recording" | "paused"): Promise<void>
  /** Shows us as available or not, from now on, on this connection. The network does not confirm this. */
  setAvailable(isAvailable: boolean): Promise<void>
  /** Subscribes to a person's presence and typing for some minutes. The network does not confirm this. */
  watch(jid: string): Promise<void>
  /**
   * Reacts to a post of a channel, by its number there; an empty emoji takes that back.
   * @throws NetworkRejected, NoAnswer
   */
  reactToPost(reaction: { channel: string; number: string; emoji: string }): Promise<void>
  /** Declines a call. Declining one that is over has no effect. @throws NetworkRejected, NoAnswer */
  rejectCall(call: { id: string; caller: string }): Promise<void>
  /**
   * The URL of a person's or a group's picture; undefined if there is none, or none that we may see.
   * @throws NetworkRejected, NoAnswer
   */
  pictureUrl(jid: string): Promise<string | undefined>
  /**
   * Tells a message's author that the message was read; or only our own devices, if the account's privacy
   * settings say so.
   * @throws NetworkRejected, NoAnswer
   */
  markRead(message: { id: string; remoteJid?: string; participant?: string }): Promise<void>
  /**
   * Changes a setting of the account.
   * @returns whether the change has already been reported (`chats`), among the changes of other devices;
   * otherwise the report comes later
   * @throws NetworkRejected, NoAnswer
   */
  changeSetting(change: SettingChange): Promise<boolean>
  /**
   * The settings of these kinds in a collection, as the network has them now.
   * @throws NetworkRejected, NoAnswer
   */
  settings(collection: Collection, kinds: string[]): Promise<Setting[]>
  /** Shows people this name as the account's from now on. The network does not confirm this. */
  showName(name: string): Promise<void>
  /** Keeps the timer that the session has set for a chat between two people (its addresses); 0: none. */
  keepTimer(chat: Iterable<string>, seconds: number): Promise<void>
  /**
   * Uploads an encrypted file, whose message then says where the file is.
   * @throws NetworkRejected, NoAnswer
   */
  upload(file: { path: string; kind: Media["kind"]; fileEncSha256: Uint8Array }): Promise<{
    url: string
    directPath: string
  }>
  /**
   * New connections to the network's files, through the bridge's proxy if it has one. The caller destroys
   * them.
   */
  toFiles(): Connections
  /** The host from which files are fetched. @throws NetworkRejected, NoAnswer */
  mediaHost(): Promise<MediaHost>
  /**
   * Asks the account's phone to upload the file of a message again, since the network no longer keeps it.
   * @returns where the file is then; undefined if the phone does not have it or does not answer
   */
  bringAgain(missed: {
    id: string
    chat: string
    sender: string
    fromMe: boolean
    mediaKey: Uint8Array
  }): Promise<string | undefined>
  /**
   * Asks the account's phone for a message of which the network gave only a placeholder. If the phone has the
   * message, it arrives later as a stanza of its own.
   */
  askPhoneFor(attrs: Received["attrs"]): Promise<void>
  /**
   * Asks the account's phone for so many messages of a chat before this one. If the phone is online, a
   * history with them comes (`FormerChat.asked`).
   */
  askPhoneForOlder(oldest: Oldest, count: number): Promise<void>
  /**
   * The token that this person has given us, which opens what they show to contacts alone; undefined without
   * a token that is still valid.
   */
  tokenOf(jid: string): Promise<Uint8Array | undefined>
  /**
   * The phone-number JIDs of these LIDs, by LID, as far as they are known; and those of these numbers that
   * the network spells otherwise. Without `group` the network is not asked. With it, the members of the group
   * are asked for if one of the LIDs is unknown and the network has not told of the group lately. Nobody
   * waits long for the answer.
   */
  phonesOf(jids: string[], group?: string): Promise<Map<string, string>>
  /**
   * What a person may do in a group; undefined if this is not known, or if they are not in the group. The
   * network is asked if it has not told of the group. Nobody waits long for the answer.
   */
  rightsIn(group: string, jid: string): Promise<GroupRights | undefined>
  /**
   * Whether the session is in this group. The network is asked only if this is not known.
   * @throws NetworkRejected, NoAnswer
   */
  isInGroup(group: string): Promise<boolean>
  /**
   * Whether the account may write in this group, as far as the network has told. It may be asked.
   * @throws NetworkRejected, NoAnswer
   */
  mayWriteIn(group: string): Promise<boolean>
  /**
   * The timer of a chat whose messages disappear; undefined if they stay. For a group, the network may be
   * asked.
   * @throws NetworkRejected, NoAnswer
   */
  timerOf(chat: string): Promise<DisappearingTimer | undefined>
  /**
   * Whether a group names its members by private id. The network may be asked.
   * @throws NetworkRejected, NoAnswer
   */
  isByLid(group: string): Promise<boolean>
  /** The network's time in Unix seconds, whatever this host's clock says. */
  networkTime(): number
  /** Removes this device from the account, then closes. */
  logout(): Promise<void>
  /**
   * Closes the socket at once, synchronously, without logging out. Nothing leaves any more, and nothing more
   * is reported, not even `closed`. The changes already handed to `change` must be settled before this
   * vault's next connection.
   */
  close(): void
}

/**
 * Says how keys that came back from a backup may still be used (decision 25). Each function takes a value in
 * its stored form.
 */
export interface KeysAnew {
  /** Kinds of keys that are of no use after a restore. */
  worthlessKinds: readonly string[]
  /** A peer's session that only reads from now on. */
  readingOnly: (record: string, nowMs: number) => string
  /** Whether these sender keys are our own. */
  areOwnSenderKeys: (senderKeys: string) => boolean
  /** The credentials, with prekeys that were never given out. */
  withUnusedPreKeys: (creds: string) => string
}
