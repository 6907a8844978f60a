import * as Jid from "../wire/jid.ts"
import type { DeviceAddress, User } from "./directory.ts"
import type { Network } from "./network.ts"

/** How a chat names its people: by private id or by phone number. */
export type Mode = "lid" | "pn"

export function modeOf(jid: Jid.Jid): Mode {
  return jid.server === "lid" ? "lid" : "pn"
}

/** A person's address in this mode, of one device if `device` is given. */
export function inMode(mode: Mode, user: User, device = 0): string {
  return mode === "lid" ? Jid.format(user.lid, "lid", device) : Jid.format(user.pn, Jid.server, device)
}

/**
 * The same person's address in the other mode. Stanzas have both, so that clients learn which belong
 * together.
 */
export function inOtherMode(mode: Mode, user: User): string {
  return inMode(mode === "lid" ? "pn" : "lid", user)
}

/**
 * The attributes by which a stanza names a person once more, so that clients learn who is who: `<prefix>_lid`
 * or `<prefix>_pn`. Clients are never told the number of a person with a username, and get the username in
 * its place. A message's sender has no prefix before the username (Baileys 7, `decode-wa-message.js`; zapo
 * 471ca18).
 */
export function alsoKnownAs(
  network: Network,
  user: User,
  { mode, prefix }: { mode: Mode; prefix: "sender" | "participant" | "peer_recipient" },
): Record<string, string> {
  const username = network.profiles.usernameOf(user.pn)
  const named = username !== undefined && {
    [prefix === "sender" ? "username" : `${prefix}_username`]: username,
  }
  const other = mode === "lid" ? "pn" : "lid"
  const shown = other === "lid" || !username ? { [`${prefix}_${other}`]: inOtherMode(mode, user) } : {}
  return { ...shown, ...named }
}

/**
 * How a person sees others: in the mode of the chat, or by phone number while their account has not moved to
 * private ids.
 */
export function shownMode(network: Network, pn: string, mode: Mode): Mode {
  return network.profiles.get(pn).byNumber ? "pn" : mode
}

/** The device that an address names; undefined when there is none. */
export function findDevice(network: Network, jid: Jid.Jid | undefined): DeviceAddress | undefined {
  const user = network.directory.find(jid)
  const address = user && { user: user.pn, id: jid?.device ?? 0 }
  return address && network.directory.device(address) ? address : undefined
}
