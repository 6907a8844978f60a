import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Pool } from "undici"
import { type NetworkClient, networkClient } from "#one-machine/network/client.ts"
import { spawnSimulator } from "#simulator/spawn.ts"
import { followNetworkLog } from "../cluster/follow-network-log.ts"

/** A message as the network handed it to a device. */
export interface Handed {
  id: string
  /** Unix milliseconds, with their fraction. */
  at: number
}

export type Network = Awaited<ReturnType<typeof startNetwork>>

/** The simulated network, which both sides are on, in a process of its own. It outlives them. */
export async function startNetwork(dir: string) {
  const dataDir = join(dir, "network")
  mkdirSync(join(dataDir, "logs"), { recursive: true })
  const simulator = await spawnSimulator({
    dataDir,
    controlPort: 0,
    imports: [import.meta.resolve("#core/platform/faster-node-crypto.ts")],
  })
  if (!simulator) throw new Error(`the simulated network did not start: see ${dataDir}/logs`)
  const { url, controlUrl, rootKey, caFile } = simulator
  const control = networkClient(simulator)
  const { origin, pathname } = new URL(controlUrl)
  const pool = new Pool(origin, { connections: 64 })

  return {
    pid: simulator.pid,
    url,
    controlUrl,
    rootKey,
    caFile,
    control,
    /** Writes a text as this phone; the network has it when this resolves. @returns its id */
    async write(from: string, to: string, body: string): Promise<string> {
      const answer = await pool.request({
        method: "POST",
        path: `${pathname}/phones/${from}/messages`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ to, text: body }),
      })
      if (answer.statusCode !== 201) throw new Error(`the network answered ${await answer.body.text()}`)
      return ((await answer.body.json()) as { id: string }).id // by the simulator
    },
    /** The number of the newest note of the log: of a connection made or lost, for one. */
    lastNote: async () => (await control.log({ kind: "note" })).at(-1)?.n ?? 0,
    /** Records from now on which messages the network hands to whom. */
    watch: () => watch(control),
    stop: async () => {
      await pool.destroy()
      await simulator.stop()
    },
  }
}

/** Where the log was read last. */
let position = 0

/** The network remembers only the newest entries of its log: it is read while the traffic goes on. */
function watch(control: NetworkClient) {
  const byDevice = new Map<string, Handed[]>()
  const known = new Set<string>()
  const log = followNetworkLog(
    control,
    ({ n, who, at, stanza }) => {
      position = n
      const id = stanza?.attrs.id ?? ""
      // A message that was not acknowledged in time is handed out again: the first time counts.
      if (known.has(`${who} ${id}`)) return
      known.add(`${who} ${id}`)
      const handed = byDevice.get(who)
      if (handed) handed.push({ id, at })
      else byDevice.set(who, [{ id, at }])
    },
    { after: position, match: { kind: "out", tag: "message" } },
  )

  return {
    /** Ends it. @returns what each device was handed, in order, by `number:device` */
    end: async () => {
      await log.stop()
      return byDevice
    },
  }
}
