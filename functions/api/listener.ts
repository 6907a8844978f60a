import type { IncomingMessage, ServerResponse } from "node:http"
import { getRequestListener } from "@hono/node-server"
import { app } from "./app.ts"

const answer = getRequestListener(app.fetch)

/** RFC 9112, 3.2: a path, or all of a URL, in characters that URLs have. */
const target = /^(?:https?:\/\/[\w.:[\]-]+)?\/[\x21-\x5b\x5d-\x7e]*$/i
const host = /^[\w.:[\]-]+$/

/**
 * The app behind Node's own server. A request whose target or host is none is asked as a path that nobody has, so that
 * it is counted and refused as every other is: the adapter would answer it without the app.
 */
export function listener(request: IncomingMessage, response: ServerResponse): void {
  if (!target.test(request.url ?? "") || !host.test(request.headers.host ?? "")) {
    request.url = "/nowhere"
    request.headers.host = "localhost"
  }
  void answer(request, response)
}
