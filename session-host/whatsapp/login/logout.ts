import { S_WHATSAPP_NET, type WASocket } from "@whiskeysockets/baileys"
import type { ILogger } from "../quiet-log.ts"

/** How long the network may take to confirm a logout, ms. */
const confirmMs = 10_000

/**
 * Asks the network to take this device off the account. Baileys' own logout closes before the request can
 * have arrived.
 */
export async function removeDevice(
  sock: Pick<WASocket, "query" | "generateMessageTag">,
  jid: string,
  log: ILogger,
) {
  const request = {
    tag: "iq",
    attrs: { to: S_WHATSAPP_NET, type: "set", id: sock.generateMessageTag(), xmlns: "md" },
    content: [{ tag: "remove-companion-device", attrs: { jid, reason: "user_initiated" } }],
  }
  try {
    await sock.query(request, confirmMs)
  } catch (error) {
    // The credentials are forgotten all the same; the account's owner sees the device and can remove it.
    log.warn({ error }, "the logout was not confirmed")
  }
}
