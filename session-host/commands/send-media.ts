import type { z } from "@hono/zod-openapi"
import type * as contract from "#core/contract/message.ts"
import type { MessageContent } from "../network/connection.ts"
import { type Context, type File, mediaOf } from "../send/compose.ts"
import { encryptFile } from "../media/encrypt.ts"
import { fetchMedia } from "../media/fetch.ts"
import { readPicture } from "../media/picture.ts"
import { transfer } from "../media/transfer.ts"
import type { ConnectedSession } from "../session/connected-session.ts"

type Asked = z.infer<(typeof contract.sendMedia)["request"]["body"]["content"]["application/json"]["schema"]>

/** Fetches a file, uploads it encrypted, and makes the message that leads to it. */
export function composeMedia(
  input: Asked,
  connected: ConnectedSession,
  context: Context,
): Promise<MessageContent> {
  return transfer(connected.media, async (folder) => {
    const fetched = await fetchMedia({
      url: input.url,
      bridgeId: connected.bridgeId,
      asSticker: input.as_sticker ?? false,
      folder,
    })
    const { path, kind, mimetype } = fetched
    const isPicture = kind === "image" || kind === "sticker"
    const picture = isPicture ? await readPicture(path) : undefined
    const { path: sealed, ...keys } = await encryptFile(path, kind)
    const where = await connected.connection.upload({
      path: sealed,
      kind,
      fileEncSha256: keys.fileEncSha256,
    })
    const file: File = {
      ...keys,
      ...where,
      kind,
      mimetype,
      picture,
      caption: input.caption,
      fileName: input.filename ?? fetched.name,
    }
    return mediaOf(file, context)
  })
}
