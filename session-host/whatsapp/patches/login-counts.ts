import { jidDecode, proto } from "@whiskeysockets/baileys"

/** How often a device has logged in: ever (`lc`), and in this process. */
interface Logins {
  lc: number
  connectAttemptCount: number
}

/** The counts of devices that are about to log in, by number and device. */
const known = new Map<string, Logins>()

/** Makes the next logins of this device say these counts. @returns a function that ends this */
export function sayAtLogin(jid: string, logins: Logins): () => void {
  const { user = "", device = 0 } = jidDecode(jid) ?? {}
  const key = `${user}:${device}`
  known.set(key, logins)
  return () => {
    if (known.get(key) === logins) known.delete(key)
  }
}

/**
 * Baileys 7.0.0-rc14 leaves two counts out of its login. WhatsApp Web sends them, 0 at the first login (zapo
 * 7f7f560, compared with a live session; whatsapp-rust 630 blames their lack for sessions that are connected
 * and dead). Once per process.
 */
export function repairLoginPayload(): void {
  const { ClientPayload } = proto
  const fromObject = ClientPayload.fromObject.bind(ClientPayload)
  ClientPayload.fromObject = (object) => {
    const payload = fromObject(object)
    const { username, device } = payload
    return Object.assign(payload, username ? known.get(`${String(username)}:${device ?? 0}`) : undefined)
  }
}
