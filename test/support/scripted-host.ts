import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { onTestFinished } from "vitest"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { type HostCall, verifyCall } from "#core/lease/signed-call.ts"
import { listen } from "#one-machine/listen.ts"

interface Call {
  method: string
  path: string
  body: string
  authorization: string
  token: HostCall | undefined
}
type Answer = (call: Call, response: ServerResponse, request: IncomingMessage) => void

/** A peer that stands in for a session host, holds leases like one, and answers as the test says. */
export async function aScriptedHost(answer: Answer) {
  const calls: Call[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const [method = "", path = ""] = [request.method, request.url]
      const { authorization = "" } = request.headers
      const token = verifyCall(authorization, { method, path })
      const call = { method, path, body: await text(request), authorization, token }
      calls.push(call)
      answer(call, response, request)
    })()
  })
  const port = await listen(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })

  const addr = `127.0.0.1:${port}`
  const id = `host-${port}`
  await Host.beat({ id, addr, capacity: 20, sessions: 0, network: "simulated" })

  async function take(bridgeId: string): Promise<Lease.Info> {
    const free = await Lease.get(bridgeId)
    const held = free && (await Lease.acquire(free, { id, addr }))
    if (!held) throw new Error("the lease is not free")
    return held
  }
  return { id, addr, calls, take, server }
}

export function sayJson(response: ServerResponse, status: number, body: unknown, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(body))
}
