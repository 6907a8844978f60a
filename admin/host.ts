import { setTimeout as sleep } from "node:timers/promises"
import { AllHostsStop } from "#core/lease/all-hosts-stop.ts"
import { Host } from "#core/lease/host.ts"
import { iso } from "#core/platform/clock.ts"
import { argument, Refused, type Row, type Verb } from "./verb.ts"

/**
 * How long hosts get to end, in seconds: twice as long as the sweep waits for one that drains before it stops
 * its task.
 */
const stopsWithin = 300

export const host: Record<string, Verb> = {
  list: {
    takes: "",
    says: "every session host: its state, its sessions, how many of them are up, its last beat",
    run: async () => (await Host.list()).map(toRow),
  },
  stop: {
    takes: "all",
    says: "end every session host, and start none until `host start`; returns when none is left",
    run: async (args) => {
      if (argument(args, 0, "all") !== "all") throw new Refused("hosts are stopped together: `all`")
      await AllHostsStop.begin()
      await untilNoneIsLeft()
      return []
    },
  },
  start: {
    takes: "",
    says: "undo `host stop`: hosts are started again as bridges need them",
    run: async () => {
      await AllHostsStop.end()
      return []
    },
  },
}

/** @throws Refused when hosts are left after a while */
async function untilNoneIsLeft(): Promise<void> {
  for (let seconds = 0; ; seconds++) {
    // The row of a dead host stays for an hour; the sweep has stopped its task.
    const left = (await Host.list()).filter(({ state }) => state !== "dead").filter(Host.isOwnedBySweep)
    if (left.length === 0) return
    if (seconds === stopsWithin)
      throw new Refused(
        `hosts are still there (${left.map(({ id, state }) => `${id}: ${state}`).join(", ")}): does the sweep run? Ask again`,
      )
    await sleep(1000)
  }
}

function toRow(info: Host.Info): Row {
  return {
    id: info.id,
    state: info.state,
    network: info.network,
    sessions: info.sessions,
    up: info.up,
    capacity: info.capacity,
    started_at: iso(info.startedAt * 1000),
    last_beat: info.beatAt === 0 ? "" : iso(info.beatAt * 1000),
    task: info.task,
  }
}
