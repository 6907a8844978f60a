import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { sendPlanned } from "#session-host/commands/planned.ts"
import { SessionHost } from "#session-host/host/host.ts"
import { timing } from "#session-host/timing.ts"
/**
 * Many session hosts in one process: their own code, with sessions that are linked to no phone and so never
 * dial.
 */
import * as keysAnew from "#session-host/whatsapp/signal/anew.ts"
import type { FromHosts, ToHosts } from "../hosts.ts"

process.once("disconnect", () => process.exit(0))

const hosts = new Map<string, SessionHost>()

function say(said: FromHosts): void {
  process.send?.(said)
}

async function start(id: string): Promise<void> {
  const host = new SessionHost({
    id,
    // These hosts get no calls.
    addr: "127.0.0.1:1",
    capacity: config.HOST_CAPACITY,
    network: config.HOST_NETWORK,
    keysAnew,
    sendPlanned,
    connect: () => {
      throw new Error("a bridge without a phone has dialled")
    },
    timing: timing(),
    log,
  })
  await host.start()
  hosts.set(id, host)
  await host.ended
  hosts.delete(id)
  say({ ended: id })
}

process.on("message", (said: ToHosts) => {
  if ("stop" in said) void hosts.get(said.stop)?.stop()
  if ("start" in said)
    start(said.start).catch((error: unknown) => {
      log.error({ error, hostId: said.start }, "a host did not start")
      say({ ended: said.start })
    })
  if ("count" in said) {
    const sessions = [...hosts.values()].flatMap((host) => [...host.sessions.values()])
    say({ up: sessions.filter((session) => session.isUp).length })
  }
})
say({ ready: true })
