import { setTimeout as sleep } from "node:timers/promises"
import type { Entry, NetworkClient } from "#one-machine/network/client.ts"

/**
 * Reads the network's log as it grows, from the oldest entry that the network still remembers, or after
 * `after`.
 * @param take called with each entry, or with those that match, in order. A gap is an error of the run:
 * `broken` rejects. Among those that match, none can be seen.
 */
export function followNetworkLog(
  network: NetworkClient,
  take: (entry: Entry) => void,
  { after = 0, match }: { after?: number; match?: { kind: "out"; tag: string } } = {},
) {
  let stopping = false
  let last = after
  const following = follow()

  async function follow(): Promise<void> {
    while (!stopping) {
      await readOn()
      await sleep(200)
    }
    await readOn()
  }

  async function readOn(): Promise<void> {
    for (const entry of await network.log({ ...match, after: last })) {
      if (!match && last > 0 && entry.n !== last + 1)
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

/** An entry in words, for a person who looks for a cause. */
export function inWords({ at, who, event, detail, stanza }: Entry): string {
  return `${new Date(at).toISOString()} ${who}: ${event ?? ""} ${JSON.stringify(detail ?? stanza)}`
}
