import type { WASocket } from "@whiskeysockets/baileys"
import { ifAny } from "#session-host/network/errors.ts"
import { answered } from "./ask.ts"

/** The address of a picture; undefined if there is none for us. @throws NetworkRejected, NoAnswer */
export async function pictureUrl(
  sock: Pick<WASocket, "profilePictureUrl">,
  jid: string,
): Promise<string | undefined> {
  // Baileys adds the token that opens pictures which people show to contacts alone.
  return await ifAny(answered(sock.profilePictureUrl(jid, "image")))
}
