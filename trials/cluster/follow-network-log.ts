import { setTimeout as sleep } from "node:timers/promises"
import type { Entry, NetworkClient } from "#local/network/client.ts"

/**
 * Reads the network's log as it grows, from the oldest entry that the network still remembers.
 * @param take called with each entry, in order. A gap is an error of the run: `broken` rejects.
 */
export function followNetworkLog(network: NetworkClient, take: (entry: Entry) => void) {
  let stopping = false
  let last = 0
  const following = follow()

  async function follow(): Promise<void> {
    while (!stopping) {
      await readOn()
      await sleep(200)
    }
    await readOn()
  }

  async function readOn(): Promise<void> {
    for (const entry of await network.log({ after: last })) {
      if (last > 0 && entry.n !== last + 1)
        throw new Error(`the network's log was read too slowly: ${last + 1} is gone`)
      last = entry.n
      take(entry)
    }
  }

  return {
    broken: following,
    stop: async () => {
      stopping = true
      await following
    },
  }
}
