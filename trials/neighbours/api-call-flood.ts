import { connect } from "node:net"
import type { Customer, Service } from "#test/support/service/service.ts"
import { BullyQuestions } from "./bully-questions.ts"

const huge = JSON.stringify({ chat: "491711234567", body: "x".repeat(700_000) })

/** Calls in great number, bodies that are too large, and bodies that never end: until it is stopped. */
export function startCallFlood(
  service: Pick<Service, "baseUrl">,
  bully: Customer,
  { floodPerSecond }: { floodPerSecond: number },
) {
  const asking = new BullyQuestions(service, bully)
  const timers = [
    setInterval(() => {
      for (let i = 0; i < floodPerSecond / 10; i++) asking.ask("GET", "status")
    }, 100),
    setInterval(() => asking.ask("POST", "send/text", huge), 500),
  ]
  const slow = Array.from({ length: 50 }, () => slowly(service.baseUrl, bully.key))
  return async () => {
    for (const timer of timers) clearInterval(timer)
    for (const stop of slow) stop()
    return await asking.end()
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
