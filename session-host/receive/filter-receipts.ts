import {
  areJidsSameUser,
  type AuthenticationCreds,
  type BinaryNode,
  buildAckStanza,
  type WASocket,
} from "@whiskeysockets/baileys"
import type { Vault } from "../network/connection.ts"
import type { Instead } from "../baileys/tap.ts"

interface Input {
  sock: Pick<WASocket, "sendNode">
  creds: Pick<AuthenticationCreds, "me">
  sent: Vault["sent"]
  onError: (error: unknown) => void
}

/**
 * Acknowledges receipts that Baileys 7.0.0-rc14 should not see. At one that names no sender it throws before it has
 * acknowledged it, so that it would come again with each connection. For one that asks for a message again it asks the
 * network for its sender's keys first, even if there never was such a message: strangers could make it ask for ever.
 */
export function filterReceipts({ sock, creds, sent, onError }: Input): Instead {
  /** Messages of Baileys' own, to our phone, are in no vault. */
  const isOurs = ({ from, participant }: BinaryNode["attrs"]) =>
    [creds.me?.id, creds.me?.lid].some((own) => areJidsSameUser(participant ?? from, own))
  const asksForNothing = async ({ attrs }: BinaryNode) =>
    attrs.type === "retry" && !isOurs(attrs) && !(attrs.id && (await sent(attrs.id)))
  return async (node, pass) => {
    if (node.attrs.from && !(await asksForNothing(node))) return await pass(node)
    return await sock.sendNode(buildAckStanza(node)).catch(onError)
  }
}
