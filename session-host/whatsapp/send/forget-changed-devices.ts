import {
  areJidsSameUser,
  type AuthenticationCreds,
  type BinaryNode,
  getBinaryNodeChild,
  isPnUser,
  type WASocket,
} from "@whiskeysockets/baileys"
import { userOf, withoutDevice } from "#core/message/jid.ts"
import { hasChild } from "../stanza.ts"
import type { DeviceLists } from "./recipient-devices.ts"

interface Input {
  devices: Pick<DeviceLists, "forget" | "withHash">
  creds: Pick<AuthenticationCreds, "me">
  sock: () => Pick<WASocket, "signalRepository">
  onError: (error: unknown) => void
}

/**
 * Takes every frame, and forgets a list of devices that has changed: a contact's, or our own account's.
 * Baileys ignores notices that name no device, and those that list our own.
 */
export function newDeviceChanges({ devices, creds, sock, onError }: Input) {
  async function forget(from: string, lid: string | undefined): Promise<void> {
    devices.forget(userOf(from))
    const other = lid ?? (isPnUser(from) && (await sock().signalRepository.lidMapping.getLIDForPN(from)))
    if (other) devices.forget(userOf(other))
  }
  const isMe = (from: string) => [creds.me?.id, creds.me?.lid].some((own) => areJidsSameUser(from, own))
  return (frame: BinaryNode): void => {
    const { type, from, lid } = frame.attrs
    if (frame.tag !== "notification" || !from) return
    const update = type === "devices" ? getBinaryNodeChild(frame, "update") : undefined
    // Since July 2026 the notice comes from our own account, and its hash is of the contact
    // (`docs/network.md`).
    if (update?.attrs.hash && isMe(from)) {
      for (const user of devices.withHash(update.attrs.hash)) devices.forget(user)
      return
    }
    const isOurs = type === "account_sync" && hasChild(frame, "devices")
    if (update || isOurs) forget(withoutDevice(from), lid).catch(onError)
  }
}
