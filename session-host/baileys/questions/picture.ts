import type { WASocket } from "@whiskeysockets/baileys"
import { ifAny } from "#session-host/network/errors.ts"
import { answered } from "./ask.ts"

/** Where a picture is; undefined when there is none for us. @throws NetworkRejected, NoAnswer */
export async function pictureUrl(
  sock: Pick<WASocket, "profilePictureUrl">,
  jid: string,
): Promise<string | undefined> {
  // Baileys adds the token that opens the pictures of those who show them to contacts alone.
  return await ifAny(answered(sock.profilePictureUrl(jid, "image")))
}
