import * as contract from "#core/contract/message.ts"
import { type File, mediaOf } from "../messages/compose.ts"
import { encryptFile } from "../media/encrypt.ts"
import { fetchMedia } from "../media/fetch.ts"
import { inFolder } from "../media/folder.ts"
import { inTime } from "../media/in-time.ts"
import { readPicture } from "../media/picture.ts"
import { sendCommand } from "./send.ts"

export const sendMedia = sendCommand(contract.sendMedia, (input, { live, context }) => {
  const sent = live.media.use(() =>
    inFolder(async (folder) => {
      const fetched = await fetchMedia(input.url, input.as_sticker ?? false, folder)
      const { path, kind, mimetype } = fetched
      const isPicture = kind === "image" || kind === "sticker"
      const picture = isPicture ? await readPicture(path) : undefined
      const { path: sealed, ...keys } = await encryptFile(path, kind)
      const where = await live.connection.upload({ path: sealed, kind, fileEncSha256: keys.fileEncSha256 })
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
    }),
  )
  return inTime(sent)
})
