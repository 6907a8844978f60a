/**
 * A JID without its device: `491711234567:3@s.whatsapp.net` becomes `491711234567@s.whatsapp.net`, and so
 * does `491711234567:99@hosted`, a device that is hosted for a business.
 */
export function withoutDevice(jid: string): string {
  return jid
    .replace(/:\d+(?=@)/, "")
    .replace(/@hosted$/, "@s.whatsapp.net")
    .replace(/@hosted\.lid$/, "@lid")
}

/** The user part of a JID, without its device. */
export function userOf(jid: string): string {
  return withoutDevice(jid).split("@")[0] ?? ""
}

/** A user's private address, which does not reveal the phone number. */
export function isLid(jid: string): boolean {
  return jid.endsWith("@lid")
}

export function isPhoneJid(jid: string): boolean {
  return jid.endsWith("@s.whatsapp.net")
}

export function isGroup(jid: string): boolean {
  return jid.endsWith("@g.us")
}

/** Whether this is a channel, which the network calls a newsletter. */
export function isChannel(jid: string | undefined): boolean {
  return jid?.endsWith("@newsletter") === true
}

/** The chat of all statuses. */
export const statusChat = "status@broadcast"

/** Whether a `chat` is a username, with or without the four digits that its owner may ask for. */
export function isUsername(chat: string): boolean {
  return chat.startsWith("@")
}

/**
 * The username in a word of the network's, which may begin with the `@` that people see; undefined if it is
 * none.
 */
export function usernameIn(word: string | undefined): string | undefined {
  return /^@?([\w.]{3,35})$/.exec(word ?? "")?.[1]
}

/**
 * The JID for a `chat` as the contract accepts it: digits with an optional leading `+`, or already a JID. A
 * username stays one: only the network knows whose it is.
 */
export function toJid(chat: string): string {
  return chat.includes("@") ? chat : `${chat.replace(/^\+/, "")}@s.whatsapp.net`
}
