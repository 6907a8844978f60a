import type * as Undici from "undici"
import { ApiError, sessionUnavailable } from "#core/error.ts"
import { config } from "../platform/config.ts"
import { namesSocket, socketPath } from "../platform/local-socket.ts"
import { log } from "../platform/log.ts"
import { callThroughLambda, type Holder, isThroughLambda } from "./call-through-lambda.ts"
import { secondsAhead, learnTime, timeHeader } from "./clocks-of-hosts.ts"
import { signCall } from "./signed-call.ts"

export interface Call {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** The path at the host, with its query. */
  path: string
  bridgeId: string
  requestId: string
  /** JSON. */
  body?: string
  /** The id of the message that this call sends. */
  messageId?: string
  /** The id was chosen for this call. */
  isNew?: boolean
  /** The idempotency record that the host completes. */
  record?: string
  /** How long the host may still wait for the session, in milliseconds. */
  waitMs?: number
  /** The host must not begin after this, Unix seconds. */
  notAfter?: number
}

export interface HostAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Uint8Array
}

/**
 * Connections are kept for the next call. A host that died has closed them, and undici notices before it uses
 * one again; the call then goes over a new connection, which is refused. They are not kept for long, since a
 * host that vanished silently is noticed only when no new connection can be made. Hosts keep theirs much
 * longer.
 */
async function newAgent() {
  const { Agent: NewAgent, buildConnector } = await undici()
  const connected = { timeout: 2000 }
  const toPort = buildConnector(connected)
  const connect: Undici.buildConnector.connector = (to, callback) =>
    namesSocket(to.hostname)
      ? buildConnector({ ...connected, socketPath: socketPath(to.hostname) })(to, callback)
      : toPort(to, callback)
  return new NewAgent({ keepAliveTimeout: 4000, keepAliveMaxTimeout: 4000, connect })
}
let hosts: Promise<Undici.Agent> | undefined
let loaded: typeof Undici | undefined
/** Loaded with the first call: most of an operator's verbs make none. */
const undici = async () => (loaded ??= await import("undici"))

/**
 * Closes the kept connections, since a host that stops waits until its callers have hung up. Further calls
 * open others.
 */
export function hangUpOnHosts(): void {
  const before = hosts
  hosts = undefined
  void before?.then((agent) => agent.close())
}

/**
 * Makes one call to the host of a lease.
 *
 * `unreachable`: no connection, nothing was sent. `moved`: the host does not hold the bridge in this epoch.
 * If a connection breaks during the call, whether new or kept, it is unknown whether the host has read the
 * call.
 * @throws ApiError `send_outcome_unknown` or `session_unavailable` when the host took the call and did not
 * answer.
 */
export async function callHost(
  lease: Holder,
  call: Call,
  withinMs: number,
): Promise<HostAnswer | "unreachable" | "moved"> {
  if (!isThroughLambda()) return await callDirectly(lease, call, withinMs)
  const answer = await callThroughLambda(lease, call, withinMs)
  if (answer !== "unknown") return answer
  throw call.messageId ? outcomeUnknown() : sessionUnavailable()
}

/** Makes the call from this process, which is in the hosts' network; otherwise as `callHost`. */
export async function callDirectly(
  lease: Holder,
  call: Call,
  withinMs: number,
): Promise<HostAnswer | "unreachable" | "moved"> {
  // The operator's own machine has neither the secret that signs calls nor a way to hosts.
  if (config.HOST_TOKEN_SECRET === undefined) return "unreachable"
  const { method, path, bridgeId, requestId, messageId, isNew, record, waitMs } = call
  const signed = { method, path, bridgeId, requestId, messageId, isNew, record, waitMs, epoch: lease.epoch }
  const { notAfter } = call
  const authorization = signCall(signed, { notAfter, ahead: secondsAhead(lease.host) })
  const start = performance.now()
  try {
    const { request } = await undici()
    const response = await request(`http://${lease.addr}${path}`, {
      dispatcher: await (hosts ??= newAgent()),
      method,
      headers: { authorization, ...(call.body !== undefined && { "content-type": "application/json" }) },
      body: call.body,
      signal: AbortSignal.timeout(Math.max(0, Math.ceil(withinMs))),
    })
    const body = await response.body.bytes()
    if (response.statusCode === 421) {
      // Refused because the clocks differ: it is signed again, by the host's time.
      if (!learnTime(lease.host, response.headers[timeHeader])) return "moved"
      return await callDirectly(lease, call, withinMs - (performance.now() - start))
    }
    return { status: response.statusCode, headers: response.headers, body }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (isWithoutConnection(error)) return "unreachable"
    log.warn({ error, requestId, bridgeId, host: lease.host }, "host did not answer")
    throw messageId ? outcomeUnknown() : sessionUnavailable()
  }
}

/** Only a retry under the same key can find out whether the message was sent. */
export function outcomeUnknown(): ApiError {
  return new ApiError("send_outcome_unknown")
}

/** Whether a request failed before any of it was sent. */
function isWithoutConnection(error: Error): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException
  return code === "UND_ERR_CONNECT_TIMEOUT" || syscall === "connect"
}
