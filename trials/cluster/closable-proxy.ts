import { connect, createServer, type Socket } from "node:net"
import { listen } from "#one-machine/listen.ts"

/**
 * A way to a server on this machine that can be closed: connections are reset, and no new one comes about.
 */
export async function startClosableProxy(endpoint: string) {
  const target = new URL(endpoint)
  const open = new Set<Socket>()
  let isOpen = true
  const server = createServer((near) => {
    if (!isOpen) {
      near.resetAndDestroy()
      return
    }
    const far = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  const port = await listen(server)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    setOpen(now: boolean): void {
      isOpen = now
      if (!now) for (const socket of open) socket.resetAndDestroy()
    },
  }
}
