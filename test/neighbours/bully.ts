import { connect } from "node:net"
import { Agent, request } from "undici"
import type { Customer, Service } from "#test/support/service.ts"

const huge = JSON.stringify({ chat: "491711234567", body: "x".repeat(700_000) })

/** Everything at once that an account can do to annoy, until it is stopped. */
export function misbehave(service: Service, bully: Customer, { floodPerSecond }: { floodPerSecond: number }) {
  const statuses: Record<string, number> = {}
  const running = new Set<Promise<boolean>>()
  // Connections of its own: that a refused body ends one is no neighbour's affair.
  const dispatcher = new Agent()
  async function asking(method: "GET" | "POST", path: string, body?: string): Promise<number | "none"> {
    const headers = { authorization: `Bearer ${bully.key}`, "content-type": "application/json" }
    try {
      const answer = await request(`${service.baseUrl}/api${path}`, { method, dispatcher, headers, body })
      await answer.body.bytes()
      return answer.statusCode
    } catch {
      // Hung up on in the middle of its body.
      return "none"
    }
  }
  function ask(method: "GET" | "POST", path: string, body?: string): void {
    const asked: Promise<boolean> = asking(method, path, body).then((status) => {
      statuses[status] = (statuses[status] ?? 0) + 1
      return running.delete(asked)
    })
    running.add(asked)
  }
  const timers = [
    setInterval(() => {
      for (let i = 0; i < floodPerSecond / 10; i++) ask("GET", "/instances/bully/proxy/status")
    }, 100),
    setInterval(() => ask("POST", "/instances/bully/proxy/send/text", huge), 500),
  ]
  const slow = Array.from({ length: 50 }, () => slowly(service.baseUrl, bully.key))
  return async () => {
    for (const timer of timers) clearInterval(timer)
    for (const stop of slow) stop()
    await Promise.all(running)
    await dispatcher.close()
    return statuses
  }
}

/** Sends a body of a byte each half second. */
function slowly(baseUrl: string, key: string): () => void {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  // It may be hung up on: that is no failure of the bully's neighbours.
  socket.on("error", () => {})
  socket.write(
    `POST /api/instances/bully/proxy/send/text HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
      "content-type: application/json\r\ncontent-length: 100000\r\n\r\n{",
  )
  const timer = setInterval(() => socket.write(" "), 500)
  return () => {
    clearInterval(timer)
    socket.destroy()
  }
}
