import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { bytesOf, type Draft, pathOf } from "./draft.ts"

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Each request has its own connection: the rest of a refused body must not meet the next request. */
const agent = new Agent({ keepAlive: false })

/** Contract, "Time to answer": every call but streams is answered within 50 s. */
const withinMs = 55_000

/**
 * Sends a request as it is, however malformed. For a stream, only its beginning is read. @throws when there
 * is no answer
 */
export async function ask(baseUrl: string, draft: Draft): Promise<Answer> {
  const body = bytesOf(draft)
  const answered = Promise.withResolvers<Answer>()
  const framed: [string, string][] = body ? [["content-length", String(body.length)]] : []
  // Grouped by name: Node wants a header that is given twice in that form.
  const headers = Object.fromEntries(
    [...Map.groupBy([...framed, ...draft.headers], ([name]) => name)].map(([name, all]) => [
      name,
      valuesOf(name, all),
    ]),
  )
  const { hostname, port } = new URL(baseUrl)
  const options = { agent, hostname, port, method: draft.method, path: pathOf(draft), headers }
  const sent = request({ ...options, signal: AbortSignal.timeout(withinMs) }, (response) => {
    const chunks: Buffer[] = []
    const { statusCode: status = 0, headers: received } = response
    const done = () => answered.resolve({ status, headers: received, body: Buffer.concat(chunks) })
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
      if (!received["content-type"]?.startsWith("text/event-stream")) return
      done()
      response.destroy()
    })
    response.once("end", done)
    response.once("error", answered.reject)
  })
  sent.once("error", answered.reject)
  sent.end(body)
  return await answered.promise
}

function valuesOf(name: string, all: [string, string][]): string | string[] {
  const values = all.map(([, value]) => value)
  // Node does not send two `host` headers.
  return values.length === 1 || name === "host" ? values[0]! : values
}
