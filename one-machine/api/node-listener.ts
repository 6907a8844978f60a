import type { IncomingMessage, ServerResponse } from "node:http"
import { getRequestListener } from "@hono/node-server"
import type { wholeApp } from "./whole-app.ts"

/** RFC 9112, 3.2: a path or a whole URL, in the characters that a URL may have. */
const target = /^(?:https?:\/\/[\w.:[\]-]+)?\/[\x21-\x5b\x5d-\x7e]*$/i
const host = /^[\w.:[\]-]+$/

/**
 * Puts the app behind Node's own server. The adapter answers a request with an invalid target or host without
 * the app. Such a request is given a path that does not exist instead, so that it is counted and refused like
 * any other.
 */
export function listenerOf(app: ReturnType<typeof wholeApp>) {
  const answer = getRequestListener(app.fetch)
  return function listener(request: IncomingMessage, response: ServerResponse): void {
    if (!target.test(request.url ?? "") || !host.test(request.headers.host ?? "")) {
      request.url = "/nowhere"
      request.headers.host = "localhost"
    }
    void answer(request, response)
  }
}
