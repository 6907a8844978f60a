import { jidDecode, jidEncode } from "@whiskeysockets/baileys"

/** The domain of phone numbers. */
export const server = "s.whatsapp.net"

/** The network itself, as sender and addressee of what is between it and one device: no user. */
export const network = `@${server}`

/** An address as written: `user:device@server`; device 0 is the phone and is not written. */
export interface Jid {
  user: string
  server: string
  device: number
}

/** Undefined for what is no address. */
export function parse(text: string | undefined): Jid | undefined {
  const decoded = jidDecode(text)
  if (!decoded) return undefined
  return { user: decoded.user, server: decoded.server, device: decoded.device ?? 0 }
}

export function format(user: string, domain: string, device = 0): string {
  return jidEncode(user, domain as "lid", device || undefined)
}

/** Whether a person is meant: by phone number or by LID. */
export function isPerson(jid: Jid | undefined): jid is Jid {
  return jid?.server === server || jid?.server === "lid"
}
