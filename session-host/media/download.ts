import { join } from "node:path"
import { ApiError, sessionUnavailable } from "#core/error.ts"
import { FetchError } from "#core/fetch/fetch-error.ts"
import { announcedBytes, safeFetch } from "#core/fetch/safe-fetch.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import type { Connection, MediaHost, Media } from "../network/connection.ts"
import { Damaged, decryptFile } from "./decrypt.ts"
import { limitOf } from "./kind-and-content-type.ts"

const withinMs = 25_000
/** The largest file, with room for the MAC and the padding. */
const maxBytes = limitOf("document") + 64

/** The network's statuses for a file that it no longer keeps, or an address that was never valid. */
const gone = new Set([403, 404, 410])

/**
 * Brings a message's file into this folder. If the network no longer has it, the account's phone is asked for
 * it.
 * @throws ApiError `media_expired`, and those of `downloadMedia`
 */
export async function bringFile(
  connection: Pick<Connection, "mediaHost" | "bringAgain">,
  { message, media }: { message: Omit<Parameters<Connection["bringAgain"]>[0], "mediaKey">; media: Media },
  folder: string,
): Promise<string> {
  const host = await connection.mediaHost()
  const path = await downloadMedia(media, host, folder)
  if (path) return path
  const directPath = await connection.bringAgain({ ...message, mediaKey: media.mediaKey })
  const again = directPath && (await downloadMedia({ ...media, directPath }, host, folder))
  if (again) return again
  throw new ApiError("media_expired")
}

/**
 * Fetches a received file from the network's media host and decrypts it into this folder.
 * @returns its path; undefined if the network no longer keeps the file
 * @throws ApiError `media_expired`, `payload_too_large`, `session_unavailable`, `storage_full`,
 * `file_limit_reached`
 */
async function downloadMedia(media: Media, at: MediaHost, folder: string): Promise<string | undefined> {
  const path = join(folder, "sealed")
  const connections = at.connections()
  try {
    const answer = await safeFetch({
      url: urlOf(media, at.host),
      connections,
      share: "network",
      method: "GET",
      headers: { origin: "https://web.whatsapp.com" },
      withinMs,
      maxBytes,
    })
    if (gone.has(answer.status)) return undefined
    if (answer.status !== 200) throw sessionUnavailable("the network did not deliver the file: try again")
    await FilesOnDisk.write(path, announcedBytes(answer, maxBytes), answer.body)
    return await decryptFile(path, media)
  } catch (error) {
    throw refusal(error)
  } finally {
    await connections.destroy()
  }
}

/**
 * The URL of a file. A stranger may choose the path, but never the host.
 * @throws ApiError `media_expired` without a path
 */
export function urlOf(media: Pick<Media, "directPath" | "url">, host: string): string {
  const path = media.directPath || pathIn(media.url)
  if (!path.startsWith("/")) throw expired("the message does not say where its media are")
  const url = new URL(`https://${host}`)
  const [pathname = "", query = ""] = path.split("?", 2)
  url.pathname = pathname
  url.search = query
  return url.href
}

function pathIn(url: string): string {
  if (!URL.canParse(url)) return ""
  const { pathname, search } = new URL(url)
  return pathname + search
}

function refusal(error: unknown): unknown {
  if (error instanceof Damaged)
    return expired(`what the network keeps is not what was sent: ${error.message}`)
  if (!(error instanceof FetchError)) return error
  if (error.category === "too_large")
    return new ApiError("payload_too_large", "the file is too large: at most 100 MB are fetched")
  return sessionUnavailable("the network did not deliver the file: try again")
}

function expired(sentence: string): ApiError {
  return new ApiError("media_expired", sentence)
}
