import { once } from "node:events"
import type { Server as HttpServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { createAdaptorServer } from "@hono/node-server"
import { Hono } from "hono"
import type { HostRoute, RouteNamed } from "#contract/routes.ts"
import { ApiError, internalError, sessionUnavailable } from "#core/error.ts"
import { timeHeader } from "#core/lease/clocks-of-hosts.ts"
import { verifyCall } from "#core/lease/signed-call.ts"
import { now } from "#core/platform/clock.ts"
import { listenAtSocket, namesSocket, socketPath } from "#core/platform/local-socket.ts"
import type { Logger } from "#core/platform/log.ts"
import { calls } from "./commands/calls.ts"
import { channels } from "./commands/channels.ts"
import { chats } from "./commands/chats.ts"
import { type Command, type CommandEnv, suffixOf } from "./commands/command.ts"
import { contacts } from "./commands/contacts.ts"
import { debugFigures } from "./commands/debug-figures.ts"
import { groups } from "./commands/groups.ts"
import { labels } from "./commands/labels.ts"
import { messages } from "./commands/messages.ts"
import { planned } from "./commands/planned.ts"
import { presence } from "./commands/presence.ts"
import { privacy } from "./commands/privacy.ts"
import { profile } from "./commands/profile.ts"
import { internalCommands, session as sessionCommands } from "./commands/session.ts"
import { sessionScope } from "./concurrency/session-scope.ts"
import type { SessionHost } from "./host/host.ts"
import { SessionEnded } from "./memory/session-ended.ts"

/**
 * The command of each route that a host answers. This does not compile if a command is missing or has another
 * command's name.
 */
const commands = {
  ...sessionCommands,
  ...messages,
  ...planned,
  ...chats,
  ...channels,
  ...calls,
  ...contacts,
  ...groups,
  ...labels,
  ...profile,
  ...privacy,
  ...presence,
  ...debugFigures,
} satisfies { [Name in HostRoute]: Command<RouteNamed<Name>> }

/** The host as the API sees it: commands to its sessions, each under the lease that the caller knows. */
export function serverApp(
  host: Pick<SessionHost, "sessions" | "isTrusted" | "calls">,
  log: Logger,
): Hono<CommandEnv> {
  const app = new Hono<CommandEnv>()
  app.use(async (c, next) => {
    const { pathname, search } = new URL(c.req.url)
    const call = verifyCall(c.req.header("authorization"), {
      method: c.req.method,
      path: pathname + search,
    })
    if (!call) throw new ApiError("unauthorized", "not signed by the API")
    const session = host.sessions.get(call.bridgeId)
    // The call is misdirected or too late, or the session may be moving to another host. The caller reads the
    // lease and tries again while its own caller waits. If the clocks differ, it learns that here.
    if (!call.isTimely || session?.lease.epoch !== call.epoch || !host.isTrusted)
      return c.body(null, 421, { [timeHeader]: String(now()) })
    session.notes.noteUse()
    c.set("session", session)
    c.set("call", call)
    const untilMs = performance.now() + (call.waitMs ?? Infinity)
    return host.calls.during(session, () =>
      sessionScope.run({ fail: (error) => session.fail(error), untilMs }, next),
    )
  })
  for (const { route, run } of [...Object.values(commands), ...internalCommands])
    app.on(route.method.toUpperCase(), suffixOf(route.path).replaceAll(/\{(\w+)\}/g, ":$1"), run)
  app.notFound((c) => answer(c, new ApiError("not_found", "there is no such command")))
  app.onError((error, c) => {
    if (error instanceof ApiError) return answer(c, error)
    if (error instanceof SessionEnded) return answer(c, sessionUnavailable())
    log.error({ error, requestId: c.var.call?.requestId }, "a command failed")
    return answer(c, internalError())
  })
  return app
}

export interface Server {
  /** The address at which it is reached, `host:port`, or the name of a socket. */
  addr: string
  /** Resolves when no client is connected, or after this time. */
  left: (withinMs: number) => Promise<void>
  /** Answers the calls it has read, then closes all connections. */
  close: () => Promise<void>
}

/** Much longer than callers keep theirs, so that none is closed while a call is on its way. */
const idleConnectionMs = 60_000

/** Listens. The app may be set up later, once it knows the address. */
export async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  at: { bind: string; reached: string; port: number },
): Promise<Server> {
  // Without other options the adapter creates one of these.
  const server = createAdaptorServer({ fetch }) as HttpServer
  server.keepAliveTimeout = idleConnectionMs
  if (namesSocket(at.bind)) await listenAtSocket(server, socketPath(at.bind))
  else await once(server.listen(at.port, at.bind), "listening")
  const address = server.address()! // it listens
  return {
    addr: typeof address === "string" ? at.reached : `${at.reached}:${address.port}`,
    left: async (withinMs) => {
      const until = performance.now() + withinMs
      while (performance.now() < until && (await connections(server)) > 0) await sleep(50)
    },
    close: async () => {
      const closed = once(server, "close")
      server.close()
      await closed
    },
  }
}

async function connections(server: HttpServer): Promise<number> {
  return await promisify(server.getConnections.bind(server))()
}

function answer(
  c: { json: (body: object, status: ApiError["status"], headers: Record<string, string>) => Response },
  error: ApiError,
) {
  return c.json({ error: error.message, code: error.code, ...error.fields }, error.status, error.headers)
}
