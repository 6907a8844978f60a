import { once } from "node:events"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { until } from "#test/support/until.ts"
import type { Store } from "./open-core.ts"

const beatEachMs = 5000

/** An address where no server listens. */
export const nowhere = "127.0.0.1:9"

/** A session host that beats, takes what is asked of it, and never answers. The caller closes it. */
export async function silentHost({ Bridge, Host, Lease }: Store) {
  const server = createServer((socket) => socket.on("error", () => socket.destroy()))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // it listens on TCP
  const addr = `127.0.0.1:${port}`
  const id = `silent-${port}`
  // The host has no room, so no bridge is given to it that it does not take itself.
  const beat = async () => await Host.beat({ id, addr, capacity: 0, sessions: 1, network: "simulated" })
  await beat()
  const beating = setInterval(() => void beat().catch(() => "the service is gone"), beatEachMs)
  return {
    /**
     * Holds a new number of this account, which was connected a moment ago. `at`: where it says that it can
     * be asked.
     */
    hold: async (accountId: string, customerRef: string, at = addr) => {
      // Another host may be faster.
      await until(async () => {
        const { bridge } = await Bridge.create({ accountId, customerRef })
        const held = await Lease.acquire((await Lease.get(bridge.id))!, { id, addr: at })
        if (!held) return await Bridge.remove(bridge).then(() => false)
        await Lease.reportStatus(held, {
          status: "connected",
          since: Math.floor(Date.now() / 1000),
          epoch: held.epoch,
        })
        return true
      })
    },
    close: () => {
      clearInterval(beating)
      server.close()
    },
  }
}
