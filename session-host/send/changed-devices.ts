import { type BinaryNode, isPnUser, type WASocket } from "@whiskeysockets/baileys"
import { userOf, withoutDevice } from "#core/jid.ts"
import type { DeviceLists } from "./device-lists.ts"
import { hasChild } from "../baileys/stanza.ts"

interface Input {
  devices: Pick<DeviceLists, "forget">
  sock: () => Pick<WASocket, "signalRepository">
  onError: (error: unknown) => void
}

/**
 * Takes every frame, and forgets a list of devices that has changed: somebody's, or our own account's. Baileys ignores
 * notices that name no device, and those that list our own.
 */
export function newStaleDevices({ devices, sock, onError }: Input) {
  async function forget(from: string, lid: string | undefined): Promise<void> {
    devices.forget(userOf(from))
    const other = lid ?? (isPnUser(from) && (await sock().signalRepository.lidMapping.getLIDForPN(from)))
    if (other) devices.forget(userOf(other))
  }
  return (frame: BinaryNode): void => {
    const { type, from, lid } = frame.attrs
    if (frame.tag !== "notification" || !from) return
    const isTheirs = type === "devices" && hasChild(frame, "update")
    const isOurs = type === "account_sync" && hasChild(frame, "devices")
    if (isTheirs || isOurs) forget(withoutDevice(from), lid).catch(onError)
  }
}
