import { iso } from "#core/platform/clock.ts"
import { Host } from "#core/lease/host.ts"
import type { Row, Verb } from "./verb.ts"

export const host: Record<string, Verb> = {
  list: {
    takes: "",
    says: "every session host: its state, its sessions, how many of them are up, its last beat",
    run: async () => (await Host.list()).map(toRow),
  },
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
