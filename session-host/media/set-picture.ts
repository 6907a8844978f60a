import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import type { Slots } from "#core/platform/slots.ts"
import type { Connection } from "../network/connection.ts"
import { type Stanza, child, el } from "../network/stanza.ts"
import { fetchCustomerFile } from "./fetch.ts"
import { makeAvatar } from "./picture.ts"

interface Asking {
  bridgeId: string
  connection: Pick<Connection, "ask">
  /** The limit on this bridge's media transfers. */
  media: Slots
}

/**
 * Sets the account's own picture, or a group's, to the JPEG at this URL.
 * @throws ApiError `url_not_allowed`, `media_fetch_failed`, `media_type_mismatch`, `payload_too_large`.
 * NetworkRejected, NoAnswer
 */
export async function setPicture(
  { bridgeId, connection, media }: Asking,
  url: string,
  group?: string,
): Promise<{ picture_id: string }> {
  const answer = await media.use(async () => {
    const bytes = await FilesOnDisk.inFolder(bridgeId, (folder) => fetchAvatar(url, bridgeId, folder))
    return await connection.ask(question([el("picture", { type: "image" }, bytes)], group))
  })
  return { picture_id: child(answer, "picture")?.attrs.id ?? "" }
}

/** Removes our own picture, or a group's. @throws NetworkRejected, NoAnswer */
export async function removePicture(
  { connection }: Pick<Asking, "connection">,
  group?: string,
): Promise<void> {
  await connection.ask(question([], group))
}

function question(children: Stanza[], target: string | undefined) {
  return { xmlns: "w:profile:picture", type: "set" as const, children, ...(target && { target }) }
}

/** @throws ApiError `url_not_allowed`, `media_fetch_failed`, `media_type_mismatch`, `payload_too_large` */
async function fetchAvatar(url: string, bridgeId: string, folder: string): Promise<Buffer> {
  const { path, mimetype } = await fetchCustomerFile({ url, bridgeId, folder })
  if (mimetype !== "image/jpeg") throw new ApiError("media_type_mismatch", "such a picture must be a JPEG")
  return await makeAvatar(path, await Bridge.accountOf(bridgeId))
}
