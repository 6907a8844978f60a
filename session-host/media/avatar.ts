import { ApiError, sessionUnavailable } from "#core/error.ts"
import { FetchError } from "#core/fetch/fetch-error.ts"
import { safeFetch } from "#core/fetch/safe-fetch.ts"
import type { Connection } from "../network/connection.ts"

/** The network's own pictures are far smaller. */
const maxBytes = 5 * 1024 * 1024
const withinMs = 25_000

/** A person's picture. @throws ApiError `not_found`, `session_unavailable` */
export async function downloadAvatar(
  connection: Pick<Connection, "pictureUrl" | "toFiles">,
  jid: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const url = await connection.pictureUrl(jid)
  if (!url) throw new ApiError("not_found", "there is no picture, or this session may not see it")
  const connections = connection.toFiles()
  try {
    const answer = await safeFetch({
      url,
      connections,
      share: "network",
      method: "GET",
      redirects: 3,
      withinMs,
      maxBytes,
    })
    if (answer.status !== 200) throw sessionUnavailable("the network did not give the picture: try again")
    return new Uint8Array(Buffer.concat(await Array.fromAsync(answer.body)))
  } catch (error) {
    if (error instanceof FetchError) throw sessionUnavailable("the picture could not be fetched: try again")
    throw error
  } finally {
    await connections.destroy()
  }
}
