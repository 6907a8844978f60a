import type { Readable } from "node:stream"
import { asFetchError } from "./fetch-error.ts"
import type { Connections } from "./safe-fetch.ts"

/** A request of an AWS client, as far as it is read here. */
interface AwsRequest {
  protocol: string
  hostname: string
  port?: number
  path: string
  query?: Record<string, string | string[] | null>
  method: string
  headers: Record<string, string>
  body?: unknown
}

interface AwsResponse {
  statusCode: number
  headers: Record<string, string>
  body: Readable
}

/**
 * Lets an AWS client call a stranger's endpoint: it dials only what `safeFetch` would, and follows no
 * redirect.
 * @param signal ends each request, from the look-up of the name on
 * @throws FetchError from the client's calls
 */
export function awsHandler(connections: Connections, share: string, signal: AbortSignal) {
  return {
    async handle(request: AwsRequest): Promise<{ response: AwsResponse }> {
      const { protocol, hostname, port, method, body } = request
      const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}`)
      try {
        const client = await connections.clientFor({ url, share, signal })
        // undici writes this one itself.
        const { host: _, ...headers } = request.headers
        const answer = await client.request({
          path: request.path + searchOf(request.query),
          method,
          headers,
          body: body as Uint8Array | undefined,
          signal,
        })
        answer.body.on("error", () => {})
        answer.body.once("close", () => connections.giveBack(client, url))
        return {
          response: {
            statusCode: answer.statusCode,
            headers: answer.headers as Record<string, string>,
            body: answer.body,
          },
        }
      } catch (error) {
        throw asFetchError(error)
      }
    },
  }
}

function searchOf(query: AwsRequest["query"] = {}): string {
  const parts = Object.entries(query).flatMap(([name, values]) =>
    [values ?? ""].flat().map((value) => `${uriEncoded(name)}=${uriEncoded(value)}`),
  )
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

/** As AWS encodes (AWS General Reference, "Create a canonical request"). */
export function uriEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
