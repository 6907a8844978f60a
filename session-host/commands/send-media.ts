import { ApiError } from "#core/error.ts"
import type { MessageContent } from "../network/connection.ts"
import { type Context, type File, maySeeOnce, mediaOf } from "../send/compose.ts"
import { encryptFile } from "../media/encrypt.ts"
import type { Kind } from "../media/kind-and-content-type.ts"
import { fetchMedia } from "../media/fetch.ts"
import { readPicture } from "../media/picture.ts"
import { transfer } from "../media/transfer.ts"
import type { ConnectedSession } from "../session/connected-session.ts"

interface Asked {
  url: string
  as_sticker?: boolean | undefined
  view_once?: boolean | undefined
  caption?: string | undefined
  filename?: string | undefined
  /** A file of another kind is refused. */
  kind?: Kind
}

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
    if (input.kind && input.kind !== kind)
      throw new ApiError("media_type_mismatch", `this takes an ${input.kind} alone`)
    if (input.view_once && !maySeeOnce(kind)) throw new ApiError("media_type_mismatch", onceOnly)
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
      viewOnce: input.view_once,
    }
    return mediaOf(file, context)
  })
}

const onceOnly = "only an image, a video or a voice note can be opened once"
