import { randomUUID } from "node:crypto"
import { type Server, STATUS_CODES, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { ApiError } from "#core/error.ts"

/** A file of 100 MB takes so long at the least rate (Contract, "Uploads"), in ms. */
const uploadMs = 30 * 60_000

/** What Node's parser finds wrong, by its code; anything else is no HTTP. */
const faults = new Map<string | undefined, () => ApiError>([
  ["HPE_HEADER_OVERFLOW", () => new ApiError("headers_too_large")],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", () => new ApiError("payload_too_large")],
  ["ERR_HTTP_REQUEST_TIMEOUT", () => new ApiError("request_timeout")],
])

/**
 * Makes the server refuse what never reaches the app as the app would: a request that is no HTTP, has too
 * many headers or takes too long. Node answers these without a body.
 * @param requestMs how long a request may take to come, if it is no upload: for a call the app waits for less
 */
export function refuseAsApp(server: Server, requestMs = 60_000): Server {
  server.requestTimeout = uploadMs
  const answers = new WeakMap<Duplex, ServerResponse>()
  server.on("request", (request, response) => {
    answers.set(request.socket, response)
    const { "content-length": length = "0", "transfer-encoding": coding } = request.headers
    if ((length === "0" && !coding) || request.url === "/uploads") return
    // Nothing reads the rest of a body that was refused.
    const late = setTimeout(() => request.complete || request.socket.destroy(), requestMs).unref()
    response.once("close", () => request.complete && clearTimeout(late))
  })
  // It has no further meaning: there is only one expectation, which Node meets.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  server.on("connect", (_request, socket) => refuseOn(socket, noHttp("this service is no proxy")))
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket)
    const isMidway = answer?.headersSent === true && !answer.writableFinished
    const fault = faults.get(error.code) ?? (() => noHttp("this is no request of HTTP/1.1"))
    if (isMidway) socket.destroy()
    else refuseOn(socket, fault())
  })
  return server
}

function noHttp(sentence: string): ApiError {
  return new ApiError("invalid_request", sentence)
}

/** Answers a request that the app does not get. */
export function refuseAlone(response: ServerResponse, error: ApiError): void {
  const { headers, body } = answerOf(error)
  response.writeHead(error.status, headers).end(body)
}

/** Answers on a connection where Node has no request to answer, and closes it. */
function refuseOn(socket: Duplex, error: ApiError): void {
  // Whoever has gone hears nothing more. Node watches no tunnel for errors.
  socket.on("error", () => {})
  if (!socket.writable) return void socket.destroy()
  const { headers, body } = answerOf(error)
  const lines = Object.entries({ ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const head = [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy())
}

function answerOf(error: ApiError) {
  const requestId = randomUUID()
  const body = JSON.stringify({ error: error.message, code: error.code, request_id: requestId })
  const headers = {
    ...error.headers,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
  }
  return { headers, body }
}
