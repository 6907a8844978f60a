import { createHash } from "node:crypto"
import { jidDecode } from "@whiskeysockets/baileys"
import { Metrics } from "#core/platform/metrics.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import type { ILogger } from "../quiet-log.ts"
import { type Device, jidOf } from "./recipient-devices.ts"
import type { newRecipientDevices } from "./recipient-devices.ts"
import type { Transmission } from "./transmission.ts"

interface Input {
  recipientDevices: Pick<ReturnType<typeof newRecipientDevices>, "knownDevices" | "refreshDevices">
  me: () => { id: string; lid?: string } | undefined
  log: ILogger
}

/** Sends the message to one device alone, as if that device had asked for it again. */
type SendTo = (transmission: Transmission, participant: { jid: string; count: number }) => Promise<unknown>

/** Called once the network has accepted a message; `phash` is its hash of the chat's devices. */
export type SendToMissed = (transmission: Transmission, phash: string, sendTo: SendTo) => Promise<void>

/** How many chats' hashes are remembered. */
const mostChats = 2000

/**
 * Sends a message to devices that it has missed. Our list of a chat's devices is out of date if the network's
 * hash of them differs from ours. Each new hash leads to only one question, since the network might change
 * how it makes the hash.
 */
export function newSendToMissed({ recipientDevices, me, log }: Input): SendToMissed {
  const asked = boundedCache<string>(mostChats)
  return async (transmission, phash, sendTo) => {
    const { chat } = transmission
    if (asked.get(chat) === phash) return
    asked.set(chat, phash)
    const known = recipientDevices.knownDevices(transmission)
    if (phashOf(known, me()) === phash) return
    const had = new Set(known.map(jidOf))
    const now = await recipientDevices.refreshDevices(transmission)
    const missed = now.filter((device) => !had.has(jidOf(device)))
    if (missed.length === 0) return
    Metrics.add("DevicesMissed", missed.length)
    log.warn({ devices: missed.length }, "devices that were not known get a message once more")
    for (const device of missed) await sendTo(transmission.repeated(), { jid: jidOf(device), count: 1 })
  }
}

/** The network's hash of a list of devices (whatsmeow `participantListHashV2`). */
function phashOf(devices: Device[], me: ReturnType<Input["me"]>): string {
  const servers = new Set(devices.map(({ server }) => server))
  const own = [me?.id, me?.lid].flatMap((jid) => {
    const decoded = jidDecode(jid)
    return decoded && servers.has(decoded.server) ? [decoded] : []
  })
  const named = [...devices, ...own].map(({ user, device, server }) => `${user}.0:${device ?? 0}@${server}`)
  const hash = createHash("sha256")
    .update([...new Set(named)].toSorted().join(""))
    .digest()
  return `2:${hash.subarray(0, 6).toString("base64").replaceAll("=", "")}`
}
