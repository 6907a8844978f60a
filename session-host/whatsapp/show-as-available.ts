import type { AuthenticationCreds, WASocket } from "@whiskeysockets/baileys"

/** Whether a connection is shown as available. */
export interface ShowAsAvailable {
  set(isAvailable: boolean): Promise<void>
  /** The account's name may have come. */
  onCreds(): void
}

/**
 * The network takes a presence only with the account's name. A newly linked device does not know the name
 * yet: its presence is sent once the name has come.
 */
export function newShowAsAvailable(
  sock: Pick<WASocket, "sendPresenceUpdate">,
  creds: AuthenticationCreds,
  onError: (error: unknown) => void,
): ShowAsAvailable {
  let waits: boolean | undefined
  return {
    async set(isAvailable) {
      waits = creds.me?.name ? undefined : isAvailable
      if (waits === undefined) await sock.sendPresenceUpdate(isAvailable ? "available" : "unavailable")
    },
    onCreds() {
      if (waits === undefined || !creds.me?.name) return
      this.set(waits).catch(onError)
    },
  }
}
