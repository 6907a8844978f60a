import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { sessionUnavailable } from "#core/error.ts"
import { refuseAlone } from "../api/refuse-without-app.ts"

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Calls beyond these are refused, so that they take no memory to speak of. */
const most = 1000

/**
 * Lets calls that come before the service is at work wait until it is: callers of a service that is started
 * anew, as by an upgrade, notice no more than that.
 * @returns a function that has the listener answer them, and from then on all calls
 */
export function holdCalls(server: Server): (listener: Listener) => void {
  const held: [IncomingMessage, ServerResponse][] = []
  const hold: Listener = (request, response) => {
    if (held.length < most) held.push([request, response])
    else refuseAlone(response, sessionUnavailable("the service is starting: try again"))
  }
  server.on("request", hold)
  return (listener) => {
    server.off("request", hold)
    server.on("request", listener)
    for (const [request, response] of held.splice(0)) if (!response.destroyed) listener(request, response)
  }
}
