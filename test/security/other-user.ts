/**
 * Another user of this machine, who tries every port and every socket that they are given. Prints a list of
 * what was answered, as `[where, what, status]`; `no answer` in place of a status.
 */
import { request as overHttp } from "node:http"
import { request as overHttps } from "node:https"
import { connect } from "node:net"
import { probes, socketPath, type Probe } from "./probes.ts"

const { ports, sockets } = JSON.parse(process.argv[2]!) as { ports: number[]; sockets: string[] }
const names = ["127.0.0.1", "rebind.example"]
const nobody = 65_534

process.setgroups!([])
process.setgid!(nobody)
process.setuid!(nobody)

const said: [string, string, number | string][] = []
for (const path of sockets) said.push([path, "connect", await connected(path)])
for (const port of ports)
  for (const name of names)
    for (const request of [overHttp, overHttps]) {
      const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" }
      const opening = { ...upgrade, "sec-websocket-key": "c3RyYW5nZXJzdHJhbmdlcg==" }
      const all: Probe[] = [...probes, { method: "GET", path: socketPath, headers: opening }]
      for (const probe of all)
        said.push([
          String(port),
          `${probe.method} ${probe.path} ${name}`,
          await answered(request, port, name, probe),
        ])
    }
console.log(JSON.stringify(said))

async function connected(path: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect(path, () => resolve("connected"))
  socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "an error"))
  return await promise.finally(() => socket.destroy())
}

async function answered(request: typeof overHttp, port: number, name: string, probe: Probe) {
  const { promise, resolve } = Promise.withResolvers<number | string>()
  const { method, path, body } = probe
  const headers = { ...probe.headers, host: `${name}:${port}` }
  const asked = request({
    host: "127.0.0.1",
    port,
    path,
    method,
    headers,
    rejectUnauthorized: false,
  } as object)
  asked.once("response", (response) => {
    resolve(response.statusCode!)
    response.destroy()
  })
  asked.once("upgrade", (response, socket) => {
    resolve(response.statusCode!)
    socket.destroy()
  })
  asked.once("error", () => resolve("no answer"))
  asked.end(body)
  return await promise.finally(() => asked.destroy())
}
