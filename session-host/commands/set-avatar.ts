import * as contract from "#core/contract/profile.ts"
import { ApiError } from "#core/error.ts"
import { fetchMedia } from "../media/fetch.ts"
import { inFolder } from "../media/folder.ts"
import { readAvatar } from "../media/picture.ts"
import { child, el } from "../network/stanza.ts"
import { bodyOf, type Command } from "./command.ts"

const Body = contract.setAvatar.request.body.content["application/json"].schema

export const setAvatar: Command = {
  route: contract.setAvatar,
  run: async (c) => {
    const { url } = await bodyOf(c, Body)
    const answer = await c.var.session.use(({ connection, media }) =>
      media.use(async () => {
        const picture = el("picture", { type: "image" }, await inFolder((folder) => fetched(url, folder)))
        return await connection.ask({ xmlns: "w:profile:picture", type: "set", children: [picture] })
      }),
    )
    return c.json({ picture_id: child(answer, "picture")?.attrs.id ?? "" }, 200)
  },
}

/** @throws ApiError `url_not_allowed`, `media_fetch_failed`, `media_type_mismatch`, `payload_too_large` */
async function fetched(url: string, folder: string): Promise<Buffer> {
  const { path, mimetype } = await fetchMedia(url, false, folder)
  if (mimetype !== "image/jpeg") throw new ApiError("media_type_mismatch", "a profile picture must be a JPEG")
  return await readAvatar(path)
}
