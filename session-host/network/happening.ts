import type { PasskeyOptions } from "#contract/passkey.ts"
import type { Objection } from "#contract/status-and-objection.ts"
import type { WebMessageInfo } from "./message-proto/types.ts"
import type { Stanza } from "./stanza.ts"

/** The session's identity on the network. */
export interface Me {
  jid: string
  lid: string
  phone: string
  name: string
}

/** The addresses of the session's own account. */
export type Own = Pick<Me, "jid" | "lid">

/** The identity of a session that has not logged in. */
export const nobody: Own = { jid: "", lid: "" }

/**
 * - `logged_out`: the phone or the network removed the device; the credentials are worthless.
 * - `replaced`: another login of the same device took over.
 * - `restart`: the network asks to reconnect at once (after pairing).
 * - `refs_ended`: no phone scanned in time; reconnect to go on.
 * - `lost`: anything else; reconnect with backoff.
 */
type ClosedReason = "logged_out" | "replaced" | "restart" | "refs_ended" | "lost"

/** How a connection ended. */
export interface End {
  reason: ClosedReason
  /** The network's reason with its code, for a log. */
  detail: string
  /** Set if the network refused the login and said why. */
  objection?: Objection
  /** How long the network will refuse the login, in ms, if it says so. */
  refusedForMs?: number
}

/** The things that happen on a connection, in order. */
export type Happening = Step | News

/** A step of a connection's life. */
type Step =
  /** A QR code to show until the next one. `expiresAt` is in Unix seconds. */
  | { kind: "qr"; text: string; expiresAt: number }
  /**
   * The account can be linked with a passkey only. This comes again with each new request of the network.
   * `request` is missing if it cannot be read.
   */
  | { kind: "passkey_required"; request?: { options: PasskeyOptions; expiresAt: number } }
  /** Linked: the credentials are kept before the network hears of it. The network will ask for a restart. */
  | { kind: "paired" }
  /** Logged in and ready. */
  | { kind: "open"; me: Me }
  /** The end of this connection; nothing follows. */
  | ({ kind: "closed" } & End)

/**
 * What the network says on a connection, beside messages. `onTaken` is called once the news is written down,
 * or cannot be.
 */
export type News =
  /** A stanza that may become an event: calls, notifications, offline counts. */
  | { kind: "stanza"; stanza: Stanza; onTaken?: () => void }
  /** The network acknowledged a message late, after `send` had stopped waiting. */
  | { kind: "acknowledged"; messageId: string; timestamp: number }
  /** Information about people, from an address book, a history or a group. */
  | { kind: "people"; people: Acquaintance[]; onTaken?: () => void }
  /** What the account has set for its chats, on its phone or another of its devices. */
  | { kind: "chats"; settings: ChatSetting[]; onTaken?: () => void }
  /** A chat from before the link, with messages. */
  | { kind: "history"; chat: FormerChat; onTaken?: () => void }
  /** The key of a scheduled message. The message has come before the key, or comes after it. */
  | { kind: "revealed"; keyId: string; key: Uint8Array; onTaken?: () => void }
  /** News about an account, for a log or for `status`. */
  | { kind: "notice"; notice: Notice }

/** A limit that the network has set for the account: it may not begin chats, or may begin no more of them. */
export interface Restriction {
  kind: "new_chats" | "new_chats_quota"
  /** When it ends, in Unix seconds; 0 if the network does not say. */
  until: number
}

/**
 * - `identity_changed`: a person has another phone, or has installed WhatsApp anew. `jid` is their private
 *   one if it is known.
 * - `number_changed`: a person has another number; `jid` likewise.
 * - `newsletter`: a post or news of a channel.
 * - `bot_message`: a message of a bot that this session cannot read.
 * - `withheld_message`: a message that the network gives to the phone alone.
 * - `old_placeholder`: the placeholder of a message that is too old for the phone to be asked for it.
 * - `quota_nears`: the account will soon have started as many chats as it may.
 * - `restriction`: a restriction is now on, or off.
 */
export type Notice =
  | { kind: "identity_changed" | "number_changed"; jid: string | undefined }
  | { kind: "bot_message" | "withheld_message" | "unreadable_message" | "old_placeholder" | "quota_nears" }
  | { kind: "newsletter" }
  | { kind: "restriction"; restriction: Restriction; isOn: boolean }

/** What an account has set for a chat; only what was set is there. */
export interface ChatSetting {
  jid: string
  isArchived?: boolean
  isPinned?: boolean
  /** Unix seconds; 0: the chat is not muted, -1: it is muted for ever. */
  mutedUntil?: number
  /** False: the chat is marked as unread. */
  isRead?: boolean
  /** The account has removed the messages until then from its devices, Unix seconds. */
  clearedUntil?: number
  /** The chat went with them. */
  isDeleted?: true
  /** A message of it that the account has removed from its devices. `time`: about when it was sent. */
  deleted?: { messageId: string; time: number }
}

/** A chat from before the link, as the account's phone sends it, with some of its messages, newest first. */
export interface FormerChat {
  jid: string
  /** The name of a group; else `""`. */
  name: string
  /** The number of unread messages, which comes with the first messages of the chat; else 0. */
  unread: number
  isArchived: boolean
  isPinned: boolean
  /** As in `ChatSetting`. */
  mutedUntil: number
  messages: WebMessageInfo[]
  /** Of a chat that the phone was asked for: whether it has nothing older. */
  asked?: { isEnd: boolean }
}

/** The network's information about a person; only what the network said is set. */
export interface Acquaintance {
  /** The JID with the phone number. */
  jid?: string | undefined
  lid?: string | undefined
  /** From the phone's address book; `""`: it has none any more. */
  fullName?: string | undefined
  firstName?: string | undefined
  /** The name that the person chose. */
  pushName?: string | undefined
  /** The name by which strangers find the person, without `@`; `""`: the person has none any more. */
  username?: string | undefined
  /** A business's name, verified by the network. */
  verifiedName?: string | undefined
  /** The person was a business, and is none any more. */
  isNoBusiness?: true
  /** The part that a group shows of a number that it hides. */
  redactedPhone?: string | undefined
  about?: string | undefined
  /** The number that the person had before. */
  formerJid?: string | undefined
  /** This information is added to an existing contact only, and creates none. */
  ofContactsOnly?: true
}

/** Anything that may be learnt about a person: what the network sends unasked, and what it answers. */
export interface Learnt extends Acquaintance {
  isBusiness?: boolean
  businessAddress?: string
  businessEmail?: string
  isRegistered?: boolean
}
