import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { sessionHostPids } from "#one-machine/service/session-host-pids.ts"
import { statusOf } from "#test/support/service/service.ts"
import type { Options } from "./options.ts"
import type { Street } from "./street.ts"

/** A restarted session is connected within this, ms. */
const targetMs = 10_000
/** More messages than these, set aside within an hour, ring the alarm `MessagesParked`. */
const alarmAbove = 10

/**
 * A stranger sends messages that the session cannot decrypt, and a hundredth as many that are no messages, on
 * which the simulated phone itself is slow. Then the session hosts restart.
 */
export async function sendUnreadable({ service, bully, eve, chat: bob }: Street, { messages }: Options) {
  const { network } = service
  const device = `${eve}:1`
  const flood = async (kind: "unreadable" | "garbage", count: number) => {
    const start = performance.now()
    for (let left = count; left > 0; left -= 1000)
      await network.flood(bob, { to: eve, kind, count: Math.min(left, 1000) })
    while (!(await network.settled(device, 10_000)));
    return Math.round(performance.now() - start)
  }
  const garbage = Math.ceil(messages / 100)
  const undecryptableMs = await flood("unreadable", messages)
  const garbageMs = await flood("garbage", garbage)

  const restartedAt = performance.now()
  for (const pid of await sessionHostPids(service)) process.kill(pid, "SIGKILL")
  while ((await statusOf(bully.call, "bully")) === "connected") await sleep(50)
  while ((await statusOf(bully.call, "bully")) !== "connected") await sleep(50)
  const connectedMs = Math.round(performance.now() - restartedAt)
  const parked = setAside(service.dataDir)
  const alarms = parked > alarmAbove ? 1 : 0
  // Only what is no message is set aside.
  const isTold = alarms === (garbage > alarmAbove ? 1 : 0)
  return { isWell: connectedMs < targetMs && isTold, undecryptableMs, garbageMs, connectedMs, parked, alarms }
}

/** How many messages were set aside, as the host's log has it. */
function setAside(dataDir: string): number {
  const log = readFileSync(join(dataDir, "logs/session-host.log"), "utf8")
  return log.split("\n").filter((line) => line.includes("could not be read and was parked")).length
}
